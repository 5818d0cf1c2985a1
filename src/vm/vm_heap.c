/*
 * vm_heap.c - see vm_heap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_heap.h"
#include "vm/vm_pause.h"

/* a callback's pointer and the structure that it belongs to are at most so many bytes apart */
enum { STACK_NEAR = 1 << 16 };

/* The fields of a JvmtiHeapwalkObject. */
struct walked {
    uint64_t object;
    uint32_t offset;
    uint64_t value_klass;
};

static __thread bool is_making;

/* The JvmtiHeapwalkObject of a tag; NULL before JDK 28. */
static const struct walked *walked_of(const jlong *tag_ptr)
{
    uint64_t here = (uint64_t)(uintptr_t)tag_ptr, word = ((const uint64_t *)tag_ptr)[-2];
    bool is_near = word % 8 == 0 && word >= here - STACK_NEAR && word <= here + STACK_NEAR;
    return is_near ? (const struct walked *)(uintptr_t)word : NULL;
}

uint64_t vm_heap_address(const jlong *tag_ptr)
{
    const struct walked *walked = walked_of(tag_ptr);
    if (!walked)
        return ((const uint64_t *)tag_ptr)[-2];
    return walked->offset == 0 ? walked->object : 0;
}

bool vm_heap_is_value(const jlong *tag_ptr, uint64_t *ret_place)
{
    const struct walked *walked = walked_of(tag_ptr);
    if (!walked || walked->value_klass == 0)
        return false;
    *ret_place = walked->object + walked->offset;
    return true;
}

bool vm_heap_is_flat(const jlong *tag_ptr)
{
    const struct walked *walked = walked_of(tag_ptr);
    return walked && walked->offset != 0 && walked->value_klass != 0;
}

jvmtiError vm_heap_iterate(jvmtiEnv *jvmti, jint filter, const jvmtiHeapCallbacks *callbacks,
                           const void *arg)
{
    jvmtiError error;
    if (!vm_pause_begin())
        return JVMTI_ERROR_WRONG_PHASE;
    is_making = true;
    error = (*jvmti)->IterateThroughHeap(jvmti, filter, NULL, callbacks, arg);
    is_making = false;
    vm_pause_end();
    return error;
}

jvmtiError vm_heap_follow(jvmtiEnv *jvmti, jint filter, jobject from,
                          const jvmtiHeapCallbacks *callbacks, const void *arg)
{
    jvmtiError error;
    if (!vm_pause_begin())
        return JVMTI_ERROR_WRONG_PHASE;
    is_making = true;
    error = (*jvmti)->FollowReferences(jvmti, filter, NULL, from, callbacks, arg);
    is_making = false;
    vm_pause_end();
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
