/*
 * alloc_inject.c - allocations as injected code tells of them, where the VM has no sampler: JDK 8.
 *
 * Every object passes the constructor of java.lang.Object, every array its instruction; what passes
 * neither is told of by VMObjectAlloc, by JNI (alloc_jni.c), or by the caller: docs/allocation.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_jni.h"
#include "agent/alloc/alloc_size.h"
#include "agent/alloc/alloc_source.h"
#include "agent/alloc/alloc_stack.h"
#include "agent/alloc/alloc_tracker.h"
#include "agent/injection.h"
#include "base/err.h"
#include "vm/vmself.h"

static jvmtiEnv *vm;

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

static const struct instrument_probe probe = {
    .tracker = ALLOC_TRACKER,
    .object = ALLOC_TRACKER_OBJECT,
    .array = ALLOC_TRACKER_ARRAY,
    .arrays = ALLOC_TRACKER_ARRAYS,
    .maybe = ALLOC_TRACKER_MAYBE,
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_method,
};

static struct injection injection = {.probe = &probe};

/* Objects that the VM makes for Java code without running any: clones, reflection. */
static void JNICALL on_vm_object(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                 jclass klass, jlong size)
{
    const struct alloc_seen seen = {.object = object, .klass = klass, .bytes = (uint64_t)size};

    alloc_count_once(env, &seen);
}

/* The mirror of a class, which no Java code makes. Array classes have no such event. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass klass)
{
    const struct alloc_seen seen = {.object = klass, .bytes = alloc_size_of_class(env, klass)};

    alloc_count_once(env, &seen);
}

static int load(struct agent *a, jvmtiEnv *jvmti)
{
    static const jvmtiCapabilities wanted = {.can_generate_vm_object_alloc_events = 1};
    static const jvmtiEventCallbacks callbacks = {.VMObjectAlloc = on_vm_object,
                                                  .ClassLoad = on_class_load};

    vmself_turn_off("OptimizeStringConcat"); /* its objects would pass no constructor */
    vm = jvmti;
    if (injection_open(a, &injection) != 0)
        return E_UNSUPPORTED;
    if (!a->attached)
        injection_watch(&injection);
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE &&
                   (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks)) ==
                       JVMTI_ERROR_NONE
               ? 0
               : E_UNSUPPORTED;
}

static void enable(jvmtiEventMode mode)
{
    (*vm)->SetEventNotificationMode(vm, mode, JVMTI_EVENT_VM_OBJECT_ALLOC, NULL);
    (*vm)->SetEventNotificationMode(vm, mode, JVMTI_EVENT_CLASS_LOAD, NULL);
}

static int start(struct agent *a, JNIEnv *env)
{
    alloc_size_prepare(vm, env, alloc_stack_layout());
    if (alloc_tracker_define(a, env) != 0 || alloc_jni_start(vm) != 0)
        return E_UNSUPPORTED;
    enable(JVMTI_ENABLE);
    injection_start(&injection, env);
    return 0;
}

static void stop(void)
{
    enable(JVMTI_DISABLE);
    injection_stop(&injection);
}

const struct alloc_source alloc_inject = {.name = "injected code",
                                          .load = load,
                                          .start = start,
                                          .stop = stop,
                                          .weight = alloc_tracker_weight};
