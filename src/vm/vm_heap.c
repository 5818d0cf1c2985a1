/*
 * vm_heap.c - see vm_heap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_heap.h"

static __thread bool is_making;

jvmtiError vm_heap_iterate(jvmtiEnv *jvmti, jint filter, const jvmtiHeapCallbacks *callbacks,
                           const void *arg)
{
    is_making = true;
    jvmtiError error = (*jvmti)->IterateThroughHeap(jvmti, filter, NULL, callbacks, arg);

    is_making = false;
    return error;
}

jvmtiError vm_heap_follow(jvmtiEnv *jvmti, jint filter, jobject from,
                          const jvmtiHeapCallbacks *callbacks, const void *arg)
{
    is_making = true;
    jvmtiError error = (*jvmti)->FollowReferences(jvmti, filter, NULL, from, callbacks, arg);

    is_making = false;
    return error;
}

jvmtiError vm_heap_owned_monitors(jvmtiEnv *jvmti, jthread thread, jint *ret_count,
                                  jobject **ret_owned)
{
    is_making = true;
    jvmtiError error = (*jvmti)->GetOwnedMonitorInfo(jvmti, thread, ret_count, ret_owned);

    is_making = false;
    return error;
}

jvmtiError vm_heap_local_instance(jvmtiEnv *jvmti, jthread thread, jint depth, jobject *ret_object)
{
    is_making = true;
    jvmtiError error = (*jvmti)->GetLocalInstance(jvmti, thread, depth, ret_object);

    is_making = false;
    return error;
}

bool vm_heap_is_making(void)
{
    return is_making;
}
