/*
 * alloc_vm.c - allocations as the VM's own sampler tells of them (JEP 331, JDK 11 and later).
 *
 * At an interval of 0 it tells of every one; else an object is sampled when a random distance,
 * exponential with the interval as its mean, ends in it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_source.h"
#include "agent/log.h"
#include "base/err.h"
#include "safe/release.h"
#include "vm/vmself.h"

static jvmtiEnv *vm;

static void JNICALL on_sampled(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                               jclass klass, jlong size)
{
    const struct alloc_seen seen = {
        .object = object,
        .klass = klass,
        .bytes = (uint64_t)size,
        .probability = alloc_probability((uint64_t)size, -1),
    };

    alloc_count(env, &seen);
}

static uint64_t weight(uint64_t bytes, int64_t length)
{
    return bytes;
}

/*
 * A clone is told of before it is one: then its header is written anew, and in JDK 22 and later a
 * tag goes by the identity hash in the header. This event comes when the clone is whole.
 */
static void JNICALL on_vm_object(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                 jclass klass, jlong size)
{
    if (!alloc_interval())
        alloc_tag_again(env, object, klass);
}

/* The table of functions of an older VM is shorter: nothing beyond it may be looked at. */
static int has_sampler(jvmtiEnv *jvmti)
{
    jvmtiCapabilities all;

    return vmself_release(jvmti) >= RELEASE_ALLOCATION_SAMPLER &&
           (*jvmti)->GetPotentialCapabilities(jvmti, &all) == JVMTI_ERROR_NONE &&
           all.can_generate_sampled_object_alloc_events;
}

/*
 * JDK 11 gives the thread's buffer its sampling point back only after what was taken from a buffer.
 * An object that does not fit goes elsewhere if the rest of the buffer is thought too good to be
 * thrown away; what is then taken from that rest is not told of. At a fraction of 1 no rest is too
 * good. The VM reads the flag whenever it gives out a buffer. Source: memAllocator.cpp (JDK 11),
 * allocate_inside_tlab_slow() and notify_allocation_jvmti_sampler(); mended in JDK 12.
 */
static void keep_no_rests(jvmtiEnv *jvmti)
{
    if (vmself_release(jvmti) < RELEASE_SAMPLER_MENDED &&
        vmself_set_number("TLABRefillWasteFraction", 1) != 0)
        log_note("this VM may not tell of every allocation: it has no TLABRefillWasteFraction");
}

/* A thread draws its first distance when it is made, so the interval has to be set before. */
static int load(struct agent *a, jvmtiEnv *jvmti)
{
    static const jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1,
                                             .can_generate_vm_object_alloc_events = 1};
    static const jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sampled,
                                                  .VMObjectAlloc = on_vm_object};

    if (!has_sampler(jvmti) || (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetHeapSamplingInterval(jvmti, (jint)alloc_interval()) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    keep_no_rests(jvmti);
    vm = jvmti;
    return 0;
}

static void enable(jvmtiEventMode mode)
{
    (*vm)->SetEventNotificationMode(vm, mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    if (!alloc_interval())
        (*vm)->SetEventNotificationMode(vm, mode, JVMTI_EVENT_VM_OBJECT_ALLOC, NULL);
}

static int start(struct agent *a, JNIEnv *env)
{
    enable(JVMTI_ENABLE);
    /* What a thread still has of its allocation buffer it takes unseen; this takes it away. Later,
     * in a large heap, a sampler is not worth the pause, and live=n wants what it would collect. */
    if (!a->attached || (!alloc_interval() && a->options.live))
        (*vm)->ForceGarbageCollection(vm);
    return 0;
}

static void stop(void)
{
    enable(JVMTI_DISABLE);
}

const struct alloc_source alloc_vm = {
    .name = "the VM's sampler", .load = load, .start = start, .stop = stop, .weight = weight};
