/*
 * allocsample_inject.c - see allocsample_inject.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/allocsample/allocsample_inject.h"
#include <errno.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/alloc/alloc_code.h"
#include "agent/alloc/alloc_countdown.h"
#include "base/err.h"
#include "base/expo.h"
#include "base/gate.h"
#include "base/splitmix.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_env.h"
#include "vm/vmself.h"

enum { CLOSE_MS = 2000 };

#define TRACKER OWN_CLASS("AllocSample")

static struct {
    struct gate gate; /* entered by the native methods */
    struct agent *agent;
    struct alloc_countdown countdown;
    allocsample_inject_seen *seen;
    jvmtiEnv *tags;  /* in this environment the tag 1 says: the object has been drawn */
    bool is_defined; /* the tracker class is there; it stays as long as the VM lives */
} injected;

static void tell(JNIEnv *env, jobject object, uint64_t weight, uint32_t own)
{
    jvmtiEnv *jvmti = injected.agent->vm.main;
    struct allocsample_object o = {
        .object = object, .klass = (*env)->GetObjectClass(env, object), .weight = weight};
    jlong bytes = 0;
    (*jvmti)->GetObjectSize(jvmti, object, &bytes);
    o.bytes = (uint64_t)bytes;
    injected.seen(env, &o, own);
    (*env)->DeleteLocalRef(env, o.klass);
}

/* Native method of the tracker: the counter of the thread has run out at this object. For an object
 * that is not an array (`length` is -1), the innermost frame besides the tracker's is the
 * constructor of Object. */
static void JNICALL sampled(JNIEnv *env, jclass self, jobject object, jlong counter, jint length)
{
    _Atomic uint32_t *inside = gate_enter(&injected.gate);
    if (!inside) { /* the class still has the injected code */
        alloc_countdown_put_off(&injected.countdown, counter);
        return;
    }
    if (alloc_countdown_take(&injected.countdown, counter, length))
        tell(env, object, alloc_countdown_weight(length), length < 0);
    gate_leave(inside);
}

/* The identity hash of the object, which is random, decides. An object that is reported twice is
 * therefore drawn once or not at all. */
static bool is_drawn(jobject object, uint64_t weight)
{
    jvmtiEnv *jvmti = injected.agent->vm.main;
    double p = expo_hit((double)weight / (double)injected.countdown.interval);
    jint hash = 0;
    (*jvmti)->GetObjectHashCode(jvmti, object, &hash);
    return splitmix_fraction(splitmix_mix((uint64_t)hash + SPLITMIX_STEP)) < p;
}

/* The length of an array; -1: the object is not an array. *ret_is_nested: its elements are arrays.
 */
static jint length_of(JNIEnv *env, jobject object, bool *ret_is_nested)
{
    jvmtiEnv *jvmti = injected.agent->vm.main;
    jclass klass = (*env)->GetObjectClass(env, object);
    char *signature = NULL;
    jint length = -1;
    *ret_is_nested = false;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) == JVMTI_ERROR_NONE) {
        if (signature[0] == '[')
            length = (*env)->GetArrayLength(env, object);
        *ret_is_nested = signature[0] == '[' && signature[1] == '[';
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, klass);
    return length;
}

/* Draws an object that no counter has seen. Returns its length if its elements are arrays,
 * otherwise 0. */
static jint draw(JNIEnv *env, jobject object)
{
    bool is_nested;
    jint length = length_of(env, object, &is_nested);
    uint64_t weight = alloc_countdown_weight(length);
    jlong tag = 0;
    if (is_drawn(object, weight) &&
        (*injected.tags)->GetTag(injected.tags, object, &tag) == JVMTI_ERROR_NONE && tag == 0) {
        (*injected.tags)->SetTag(injected.tags, object, 1);
        tell(env, object, weight, 0);
    }
    return is_nested ? length : 0;
}

static void JNICALL maybe_made(JNIEnv *env, jclass self, jobject object)
{
    _Atomic uint32_t *inside = object ? gate_enter(&injected.gate) : NULL;
    if (!inside)
        return;
    draw(env, object);
    gate_leave(inside);
}

/* Draws a new array of arrays and the arrays in it. Such an array holds only new arrays and nulls.
 */
static void draw_arrays(JNIEnv *env, jobject array)
{
    jint count = draw(env, array);
    for (jint i = 0; i < count; i++) {
        jobject inner = (*env)->GetObjectArrayElement(env, array, i);
        if (!inner)
            break; /* the further dimensions were given no length */
        draw_arrays(env, inner);
        (*env)->DeleteLocalRef(env, inner);
    }
}

static void JNICALL arrays_made(JNIEnv *env, jclass self, jobject array)
{
    _Atomic uint32_t *inside = gate_enter(&injected.gate);
    if (!inside)
        return;
    draw_arrays(env, array);
    gate_leave(inside);
}

static const JNINativeMethod natives[] = {
    {(char *)"sampled", (char *)ALLOC_COUNTDOWN_SIGNATURE, (void *)sampled},
    {(char *)"maybeMade", (char *)"(Ljava/lang/Object;)V", (void *)maybe_made},
    {(char *)"arraysMade", (char *)"(Ljava/lang/Object;)V", (void *)arrays_made},
};

static const struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                       false};

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .object = "object",
    .array = "array",
    .arrays = "arrays",
    .maybe = "maybe",
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_method,
};

static struct injector_user user = {.probe = &probe,
                                    .layer = INJECTOR_EVENTS,
                                    .code = &alloc_code_makes_arrays,
                                    .draws = true,
                                    .may_stay = true};

static int define(struct agent *a, JNIEnv *env)
{
    struct alloc_code c;
    if (alloc_countdown_open(&injected.countdown) != 0 ||
        alloc_code_begin(&c, a, env, &tracker) != 0)
        return E_UNSUPPORTED;
    alloc_countdown_write(&injected.countdown, &c, probe.object, "sampled", false);
    alloc_countdown_write(&injected.countdown, &c, probe.array, "sampled", true);
    alloc_code_plain(&c, probe.maybe, "maybeMade");
    alloc_code_plain(&c, probe.arrays, "arraysMade");
    return alloc_code_define(&c, a, env, &tracker);
}

int allocsample_inject_load(struct agent *a)
{
    struct vm_env_refusal why;
    injected.agent = a;
    vmself_turn_off("OptimizeStringConcat"); /* with it, strings would pass no constructor */
    if (injector_open(&a->vm) != 0 ||
        vm_env_open(&a->vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &injected.tags, &why) != 0)
        return E_UNSUPPORTED;
    if (!a->attached)
        injector_watch(&user);
    return 0;
}

int allocsample_inject_start(struct agent *a, JNIEnv *env, uint64_t interval,
                             allocsample_inject_seen *seen)
{
    injected.seen = seen;
    alloc_countdown_set_interval(&injected.countdown, interval);
    if (!injected.is_defined && define(a, env) != 0)
        return E_UNSUPPORTED;
    injected.is_defined = true;
    gate_open(&injected.gate);
    return injector_add(&user) == 0 ? 0 : E_UNSUPPORTED;
}

void allocsample_inject_set_interval(uint64_t interval)
{
    alloc_countdown_set_interval(&injected.countdown, interval);
}

struct injector_later_cover allocsample_inject_cover(void)
{
    return injector_later_covered(&user);
}

void allocsample_inject_stop(void)
{
    injector_remove(&user);
}

int allocsample_inject_release(void)
{
    if (!gate_close(&injected.gate, CLOSE_MS))
        return -EBUSY;
    alloc_countdown_rest(&injected.countdown);
    if (injected.tags)
        vm_env_close(injected.tags);
    injected.tags = NULL;
    return 0;
}
