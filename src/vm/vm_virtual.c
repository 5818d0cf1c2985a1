/*
 * vm_virtual.c - see vm_virtual.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_virtual.h"
#include "base/splitmix.h"
#include "safe/release.h"
#include "vm/vm.h"
#include "vm/vm_lookup.h"

enum {
    LEVELS_MAX = 16, /* how many levels of containers in containers are visited */
    REFERENCES = 8,  /* local references for one container */
};

static struct {
    jclass klass;      /* VirtualThread, a global reference; NULL: not found yet */
    jclass containers; /* ThreadContainers, a global reference; NULL: not found yet */
    jmethodID root, threads, children, thread_count, to_array;
    jfieldID carrier;
    bool is_counting; /* the JDK counts threads that it does not list */
    bool has_failed;  /* this JDK has other classes */
} jdk;

/* Find the class VirtualThread without initializing it: the program's first virtual thread does
 * that. */
static void find_class(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jobject kept = NULL;
    jdk.has_failed = !vm_lookup_end_with(&l, vm_lookup_class(&l, "java/lang/VirtualThread"), &kept);
    jdk.klass = kept;
}

bool vm_virtual_is_used(const struct vm *vm, JNIEnv *env)
{
    jint status = 0;
    if (vm->release < RELEASE_CONTINUATIONS || jdk.has_failed)
        return false;
    if (!jdk.klass)
        find_class(env);
    return jdk.klass &&
           (*vm->main)->GetClassStatus(vm->main, jdk.klass, &status) == JVMTI_ERROR_NONE &&
           (status & JVMTI_CLASS_STATUS_INITIALIZED) != 0;
}

static bool find_containers(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass containers = vm_lookup_class(&l, "jdk/internal/vm/ThreadContainers"),
           container = vm_lookup_class(&l, "jdk/internal/vm/ThreadContainer"),
           stream = vm_lookup_class(&l, "java/util/stream/Stream");
    jmethodID tracks = vm_lookup_static_method(&l, containers, "trackAllThreads", "()Z");
    jobject kept = NULL;
    jdk.root =
        vm_lookup_static_method(&l, containers, "root", "()Ljdk/internal/vm/ThreadContainer;");
    jdk.threads = vm_lookup_method(&l, container, "threads", "()Ljava/util/stream/Stream;");
    jdk.children = vm_lookup_method(&l, container, "children", "()Ljava/util/stream/Stream;");
    jdk.thread_count = vm_lookup_method(&l, container, "threadCount", "()J");
    jdk.to_array = vm_lookup_method(&l, stream, "toArray", "()[Ljava/lang/Object;");
    jdk.carrier = vm_lookup_field(&l, jdk.klass, "carrierThread", "Ljava/lang/Thread;");
    jdk.is_counting = !l.failed && !(*env)->CallStaticBooleanMethod(env, containers, tracks);
    jdk.has_failed = !vm_lookup_end_with(&l, containers, &kept);
    jdk.containers = kept;
    return !jdk.has_failed;
}

/* ---- the draw: the n-th thread replaces a drawn one with a chance of max in n */

struct draw {
    JNIEnv *env;
    uint64_t *random;
    jobject *drawn;
    int max, count;
    struct vm_virtual_count of;
};

static void add(struct draw *d, jobject thread)
{
    uint64_t place = d->of.listed++;
    if (place >= (uint64_t)d->max)
        place = splitmix_next(d->random) % d->of.listed;
    if (place >= (uint64_t)d->max)
        return;
    if (d->count < d->max)
        d->count++;
    else
        (*d->env)->DeleteGlobalRef(d->env, d->drawn[place]);
    d->drawn[place] = (*d->env)->NewGlobalRef(d->env, thread);
}

/* The Stream that a method returns, as an array; NULL if the method throws. */
static jobjectArray array_of(JNIEnv *env, jobject container, jmethodID method)
{
    jobject stream = (*env)->CallObjectMethod(env, container, method);
    jobject array = NULL;
    if (!vm_lookup_clear(env) && stream)
        array = (*env)->CallObjectMethod(env, stream, jdk.to_array);
    return vm_lookup_clear(env) ? NULL : array;
}

static void add_threads(struct draw *d, jobject container)
{
    JNIEnv *env = d->env;
    jobjectArray threads = array_of(env, container, jdk.threads);
    jsize length = threads ? (*env)->GetArrayLength(env, threads) : 0;
    jlong all = jdk.is_counting ? (*env)->CallLongMethod(env, container, jdk.thread_count) : length;
    if (!vm_lookup_clear(env) && all > length)
        d->of.hidden += (uint64_t)(all - length);
    for (jsize i = 0; i < length; i++) {
        jobject thread = (*env)->GetObjectArrayElement(env, threads, i);
        if (thread && (*env)->IsInstanceOf(env, thread, jdk.klass))
            add(d, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
}

static void add_container(struct draw *d, jobject container, int levels)
{
    JNIEnv *env = d->env;
    if (levels == 0 || (*env)->PushLocalFrame(env, REFERENCES) != JNI_OK) {
        vm_lookup_clear(env);
        return;
    }
    add_threads(d, container);
    jobjectArray children = array_of(env, container, jdk.children);
    jsize length = children ? (*env)->GetArrayLength(env, children) : 0;

    for (jsize i = 0; i < length; i++) {
        jobject child = (*env)->GetObjectArrayElement(env, children, i);
        if (child)
            add_container(d, child, levels - 1);
        (*env)->DeleteLocalRef(env, child);
    }
    (*env)->PopLocalFrame(env, NULL);
}

int vm_virtual_draw(JNIEnv *env, uint64_t *random, jobject *ret, int max,
                    struct vm_virtual_count *ret_count)
{
    struct draw d = {.env = env, .random = random, .drawn = ret, .max = max};
    jobject root;
    if (!jdk.containers && (jdk.has_failed || !find_containers(env)))
        return -1;
    root = (*env)->CallStaticObjectMethod(env, jdk.containers, jdk.root);
    if (vm_lookup_clear(env) || !root)
        return -1;
    add_container(&d, root, LEVELS_MAX);
    (*env)->DeleteLocalRef(env, root);
    *ret_count = d.of;
    return d.count;
}

bool vm_virtual_is_mounted(JNIEnv *env, jobject thread)
{
    jobject carrier = (*env)->GetObjectField(env, thread, jdk.carrier);
    (*env)->DeleteLocalRef(env, carrier);
    return carrier != NULL;
}

void vm_virtual_close(JNIEnv *env)
{
    (*env)->DeleteGlobalRef(env, jdk.klass);
    (*env)->DeleteGlobalRef(env, jdk.containers);
    jdk.klass = jdk.containers = NULL;
    jdk.has_failed = false;
}
