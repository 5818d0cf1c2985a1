/*
 * injection.c - see injection.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/injection.h"
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "base/arena.h"
#include "base/err.h"
#include "safe/own_class.h"
#include "vm/vm_env.h"
#include "vm/vm_lookup.h"

enum {
    CLASS_BYTES_MAX = 256 << 20, /* memory for the injection of one class */
    NAMES_BYTES_MAX = 4 << 20,   /* memory for the names of the classes that were watched */
    NAME_MAX_LENGTH = 65536,
};

static _Atomic int open_count;

/* A class name that was watched. */
struct injection_seen {
    struct injection_seen *next;
    int is_plain; /* each class of that name, whatever its loader: nothing to inject */
    char name[];
};

static struct injection_seen *find_seen(const struct injection *in, const char *name)
{
    struct injection_seen *s = in->seen;

    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    return s;
}

static void note_seen(struct injection *in, const char *name, int is_plain)
{
    size_t size = strlen(name) + 1;
    struct injection_seen *s;

    pthread_mutex_lock(&in->lock);
    s = find_seen(in, name);
    if (s) {
        s->is_plain &= is_plain;
    } else if ((s = arena_alloc(&in->arena, sizeof(*s) + size)) != NULL) {
        *s = (struct injection_seen){.next = in->seen, .is_plain = is_plain};
        memcpy(s->name, name, size);
        in->seen = s;
    }
    pthread_mutex_unlock(&in->lock);
}

/* Whether the class (java/lang/String) may have methods to inject. */
static int is_wanted(const struct injection *in, const char *name)
{
    return !own_class_is(name, strlen(name)) && (!in->wants || in->wants(name));
}

/* Memory for one class: that of the last one, whose pages are there already, or new. NULL: none. */
static struct arena *take_arena(struct injection *in)
{
    struct arena *a = atomic_exchange(&in->spare, NULL);

    if (!a && (a = malloc(sizeof(*a))) != NULL)
        arena_init(a, CLASS_BYTES_MAX);
    return a;
}

static void give_arena(struct injection *in, struct arena *a)
{
    struct arena *other;

    arena_reset(a);
    other = atomic_exchange(&in->spare, a);
    if (other)
        arena_done(other);
    free(other);
}

static void inject(struct injection *in, const char *name, const unsigned char *bytes, jint len,
                   struct arena *arena, jint *new_len, unsigned char **new_bytes)
{
    struct instrument_result result;
    unsigned char *copy;

    if (instrument_class(&in->probe, 1, bytes, (size_t)len, arena, &result) != 0) {
        if (!in->watches) /* else it comes again */
            atomic_fetch_add(&in->failed, 1);
        return;
    }
    if (in->watches) {
        note_seen(in, name, !result.bytes);
        return;
    }
    if (result.bytes &&
        (*in->jvmti)->Allocate(in->jvmti, (jlong)result.len, &copy) == JVMTI_ERROR_NONE) {
        memcpy(copy, result.bytes, result.len);
        result.bytes = copy;
        *new_bytes = copy;
        *new_len = (jint)result.len;
        atomic_fetch_add(&in->classes, 1);
    }
    if (in->done)
        in->done(&result);
}

/* Classes without a name are JDK 8's anonymous ones: nobody could find them again. */
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len, const unsigned char *bytes,
                             jint *new_len, unsigned char **new_bytes)
{
    struct injection *in = NULL;
    struct arena *arena;

    if (!name || (*jvmti)->GetEnvironmentLocalStorage(jvmti, (void **)&in) != JVMTI_ERROR_NONE ||
        !in || !is_wanted(in, name))
        return;
    arena = take_arena(in);
    if (!arena) {
        atomic_fetch_add(&in->failed, 1);
        return;
    }
    inject(in, name, bytes, len, arena, new_len, new_bytes);
    give_arena(in, arena);
}

/* The name of a class that may be changed, as in java/lang/String; 0 for the others. */
static int changeable_name(const struct injection *in, jclass klass, char *ret, size_t size)
{
    char *signature = NULL;
    jboolean yes = JNI_FALSE;
    int is_good = 0;
    size_t len;

    if ((*in->jvmti)->IsModifiableClass(in->jvmti, klass, &yes) != JVMTI_ERROR_NONE || !yes ||
        (*in->jvmti)->GetClassSignature(in->jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return 0;
    len = strlen(signature);
    if (signature[0] == 'L' && len > 2 && len < size) {
        memcpy(ret, signature + 1, len - 2);
        ret[len - 2] = '\0';
        is_good = 1;
    }
    (*in->jvmti)->Deallocate(in->jvmti, (unsigned char *)signature);
    /* JDK 8 says yes for its anonymous classes, and then dies of it: X$$Lambda$1/2125039532. */
    for (const char *at = is_good ? strchr(ret, '/') : NULL; at; at = strchr(at + 1, '/'))
        is_good &= !(at[1] >= '0' && at[1] <= '9');
    return is_good;
}

/* Whether it is known that there is nothing to inject in the class. */
static int is_plain(const struct injection *in, const char *name)
{
    const struct injection_seen *s = find_seen(in, name);

    return s && s->is_plain;
}

/* All at once, for each time stops the program; a batch fails as a whole, so halve it then. */
static void retransform(struct injection *in, JNIEnv *env, const jclass *classes, jint count)
{
    if (count == 0 ||
        (*in->jvmti)->RetransformClasses(in->jvmti, count, classes) == JVMTI_ERROR_NONE)
        return;
    vm_lookup_clear(env);
    if (count == 1) {
        atomic_fetch_add(&in->refused, 1);
        return;
    }
    retransform(in, env, classes, count / 2);
    retransform(in, env, classes + count / 2, count - count / 2);
}

static void retransform_loaded(struct injection *in, JNIEnv *env)
{
    char *name = malloc(NAME_MAX_LENGTH);
    jclass *classes = NULL;
    jint count = 0, used = 0;

    if (!name || (*env)->PushLocalFrame(env, 16) != JNI_OK) { /* a reference for each class */
        free(name);
        return;
    }
    if ((*in->jvmti)->GetLoadedClasses(in->jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++) {
            if (changeable_name(in, classes[i], name, NAME_MAX_LENGTH) && is_wanted(in, name) &&
                !is_plain(in, name))
                classes[used++] = classes[i];
        }
        retransform(in, env, classes, used);
        (*in->jvmti)->Deallocate(in->jvmti, (unsigned char *)classes);
    }
    (*env)->PopLocalFrame(env, NULL);
    free(name);
}

int injection_open(struct agent *a, struct injection *in)
{
    static const uint64_t needed = VM_ENV_SET(VM_CAN_RETRANSFORM_CLASSES) |
                                   VM_ENV_SET(VM_CAN_RETRANSFORM_ANY_CLASS) |
                                   VM_ENV_SET(VM_CAN_GENERATE_ALL_CLASS_HOOK_EVENTS);
    static const jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class};

    if (vm_env_open(&a->vm, needed, &in->jvmti, NULL) != 0)
        return E_UNSUPPORTED;
    if ((*in->jvmti)->SetEnvironmentLocalStorage(in->jvmti, in) != JVMTI_ERROR_NONE ||
        (*in->jvmti)->SetEventCallbacks(in->jvmti, &callbacks, (jint)sizeof(callbacks)) !=
            JVMTI_ERROR_NONE) {
        vm_env_close(in->jvmti);
        in->jvmti = NULL;
        return E_UNSUPPORTED;
    }
    vm_env_ask(&a->vm, in->jvmti, VM_CAN_SUPPORT_VIRTUAL_THREADS, NULL);
    atomic_fetch_add(&open_count, 1);
    return 0;
}

static void enable_hook(const struct injection *in)
{
    (*in->jvmti)
        ->SetEventNotificationMode(in->jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

void injection_watch(struct injection *in)
{
    pthread_mutex_init(&in->lock, NULL);
    arena_init(&in->arena, NAMES_BYTES_MAX);
    in->watches = 1;
    enable_hook(in);
}

void injection_start(struct injection *in, JNIEnv *env)
{
    in->watches = 0;
    enable_hook(in);
    retransform_loaded(in, env);
}

void injection_stop(struct injection *in)
{
    if (in->jvmti)
        (*in->jvmti)
            ->SetEventNotificationMode(in->jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
}

int injection_is_alone(const struct injection *in)
{
    return atomic_load(&open_count) == (in->jvmti != NULL);
}

void injection_give_back(struct injection *in, JNIEnv *env)
{
    if (in->jvmti)
        retransform_loaded(in, env);
}
