/*
 * verify_inject.c - see verify_inject.h. The facts of HotSpot behind it: docs/injection.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify_inject.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/verify_frames.h"
#include "agent/verify_shadow.h"
#include "agent/verify_tracker.h"
#include "base/arena.h"
#include "base/err.h"
#include "classfile/instrument.h"

enum {
    CLASS_BYTES_MAX = 256 << 20, /* memory for the injection of one class */
    HUGE_METHOD = 8000,          /* HotSpot's compilers leave longer ones alone */
    SHARES = 10000,
};

static struct {
    jvmtiEnv *jvmti;
    uint64_t share; /* of SHARES */
    _Atomic uint64_t refused;
} inject;

/* JDK 8's interpreter has an entry of its own for it, and dies when its class was replaced; later
 * JDKs mark it as an intrinsic, which is left alone anyway. */
static int is_reference_get(const struct instrument_method *m)
{
    return cpool_utf8_is(m->class_name, "java/lang/ref/Reference") && cpool_utf8_is(m->name, "get");
}

static int32_t select_method(void *context, const struct instrument_method *m)
{
    uint64_t hash = verify_frames_hash_texts(m->class_name.bytes, m->class_name.len, m->name.bytes,
                                             m->name.len, m->desc.bytes, m->desc.len);

    if (m->advice != INSTRUMENT_INJECTED || is_reference_get(m) ||
        (m->handlers == 0 && (hash >> 1) % SHARES >= inject.share))
        return -1;
    return verify_tracker_add(m, hash);
}

static const struct instrument_probe probe = {
    .tracker = VERIFY_TRACKER,
    .enter = VERIFY_TRACKER_ENTER,
    .exit = VERIFY_TRACKER_EXIT,
    .kept = 'J',
    .enter_keep = VERIFY_TRACKER_ENTER,
    .exit_keep = VERIFY_TRACKER_EXIT,
    .caught = VERIFY_TRACKER_CAUGHT,
    .keep = INSTRUMENT_KEEP_ALL,
    .huge_bytes = HUGE_METHOD,
    .select = select_method,
};

/* Classes without a name are JDK 8's anonymous ones: nobody could find them again. */
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len, const unsigned char *bytes,
                             jint *new_len, unsigned char **new_bytes)
{
    struct instrument_result result;
    struct arena arena;
    unsigned char *copy;

    if (!name)
        return;
    arena_init(&arena, CLASS_BYTES_MAX);
    if (instrument_class(&probe, bytes, (size_t)len, &arena, &result) == 0 && result.bytes &&
        (*jvmti)->Allocate(jvmti, (jlong)result.len, &copy) == JVMTI_ERROR_NONE) {
        memcpy(copy, result.bytes, result.len);
        *new_bytes = copy;
        *new_len = (jint)result.len;
    }
    arena_done(&arena);
}

static int can_be_changed(jclass klass)
{
    char *signature = NULL;
    jboolean yes = JNI_FALSE;
    int is_anonymous = 0;

    if ((*inject.jvmti)->IsModifiableClass(inject.jvmti, klass, &yes) != JVMTI_ERROR_NONE || !yes ||
        (*inject.jvmti)->GetClassSignature(inject.jvmti, klass, &signature, NULL) !=
            JVMTI_ERROR_NONE)
        return 0;
    /* JDK 8 says yes for its anonymous classes, and then dies of it: X$$Lambda$1/2125039532. */
    for (const char *at = strchr(signature, '/'); at; at = strchr(at + 1, '/'))
        is_anonymous |= at[1] >= '0' && at[1] <= '9';
    (*inject.jvmti)->Deallocate(inject.jvmti, (unsigned char *)signature);
    return !is_anonymous;
}

/* All at once, for each time stops the program; a batch fails as a whole, so halve it then. */
static void retransform(JNIEnv *env, const jclass *classes, jint count)
{
    if (count == 0 ||
        (*inject.jvmti)->RetransformClasses(inject.jvmti, count, classes) == JVMTI_ERROR_NONE)
        return;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (count == 1) {
        atomic_fetch_add(&inject.refused, 1);
        return;
    }
    retransform(env, classes, count / 2);
    retransform(env, classes + count / 2, count - count / 2);
}

static void inject_loaded(JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0, used = 0;

    if ((*inject.jvmti)->GetLoadedClasses(inject.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (can_be_changed(classes[i]))
            classes[used++] = classes[i];
    }
    retransform(env, classes, used);
    (*inject.jvmti)->Deallocate(inject.jvmti, (unsigned char *)classes);
}

static void JNICALL on_switch(jvmtiEnv *jvmti, ...)
{
    verify_shadow_clear();
}

/* Where one virtual thread's frames give way to another's on a carrier (JDK 21 and later). */
static void hear_of_switches(jvmtiEnv *jvmti)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint count = 0;

    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0 ||
            strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
            (*jvmti)->SetExtensionEventCallback(jvmti, events[i].extension_event_index, on_switch);
        for (jint p = 0; p < events[i].param_count; p++)
            (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].params[p].name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].params);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].id);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].short_description);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
}

/* JNI's headers of JDK 17 do not name this capability; it is the bit after the last they know. */
static void want_virtual_threads(jvmtiEnv *jvmti)
{
    enum { CAN_SUPPORT_VIRTUAL_THREADS = 44 };
    jvmtiCapabilities all, wanted;
    unsigned char *bits = (unsigned char *)&all;

    memset(&wanted, 0, sizeof(wanted));
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &all) != JVMTI_ERROR_NONE ||
        !(bits[CAN_SUPPORT_VIRTUAL_THREADS / 8] >> CAN_SUPPORT_VIRTUAL_THREADS % 8 & 1))
        return;
    ((unsigned char *)&wanted)[CAN_SUPPORT_VIRTUAL_THREADS / 8] =
        1u << CAN_SUPPORT_VIRTUAL_THREADS % 8;
    (*jvmti)->AddCapabilities(jvmti, &wanted);
}

int verify_inject_start(struct agent *a, JNIEnv *env, unsigned percent)
{
    static const jvmtiCapabilities wanted = {
        .can_retransform_classes = 1,
        .can_retransform_any_class = 1,
        .can_generate_all_class_hook_events = 1,
    };
    static const jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class};

    inject.share = (uint64_t)percent * SHARES / 100;
    if ((*a->vm)->GetEnv(a->vm, (void **)&inject.jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*inject.jvmti)->AddCapabilities(inject.jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*inject.jvmti)->SetEventCallbacks(inject.jvmti, &callbacks, (jint)sizeof(callbacks)) !=
            JVMTI_ERROR_NONE) {
        log_error("this VM does not let its classes be changed: no shadow stacks");
        return E_UNSUPPORTED;
    }
    want_virtual_threads(inject.jvmti);
    hear_of_switches(inject.jvmti);
    if (verify_tracker_define(env) != 0) {
        log_error("the class " VERIFY_TRACKER " cannot be defined: no shadow stacks");
        return E_UNSUPPORTED;
    }
    (*inject.jvmti)
        ->SetEventNotificationMode(inject.jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                   NULL);
    inject_loaded(env);
    return 0;
}

void verify_inject_stop(void)
{
    if (inject.jvmti)
        (*inject.jvmti)
            ->SetEventNotificationMode(inject.jvmti, JVMTI_DISABLE,
                                       JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}
