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
#include "agent/recording.h"
#include "base/err.h"
#include "vm/vm_event.h"
#include "vm/vm_sampler.h"

static int user; /* of the sampler */

static void on_sampled(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg)
{
    const struct alloc_seen seen = {
        .object = object,
        .klass = klass,
        .bytes = bytes,
        .probability = alloc_probability(bytes, -1),
    };
    if (object) /* one without identity cannot be followed */
        alloc_count(env, &seen);
    else
        alloc_count_value();
}

static uint64_t weight(uint64_t bytes, int64_t length)
{
    return bytes;
}

/*
 * A clone is told of before it is one: then its header is written anew, and in JDK 22 and later a
 * tag goes by the identity hash in the header. This event comes when the clone is whole.
 */
static void on_vm_object(void *data, JNIEnv *env, jthread thread, jobject object, jclass klass,
                         jlong size)
{
    if (object)
        alloc_tag_again(env, object, klass);
}

/* Where every object is told of. */
static struct vm_event_subscriber on_clones = {.event = VM_EVENT_VM_OBJECT,
                                               .on.vm_object = on_vm_object};

/* A thread draws its first distance when it is made, so the interval has to be set before. */
static int load(struct agent *a, struct vm_env_refusal *ret_why)
{
    user = vm_sampler_open(&a->vm, alloc_interval(), NULL, ret_why);
    if (user < 0)
        return E_UNSUPPORTED;
    if (!alloc_interval() && vm_event_want(VM_CAN_GENERATE_VM_OBJECT_ALLOC_EVENTS, ret_why) != 0) {
        vm_sampler_close(user);
        return E_UNSUPPORTED;
    }
    if (vm_sampler_is_partial())
        log_note(
            "this VM may not tell of every allocation: its allocation buffers keep their rests");
    return 0;
}

/* A recording with live=n wants what a collection would take away. */
static bool somebody_wants_all(const struct agent *a)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && !a->recordings[i]->options.live)
            return true;
    return false;
}

static int start(struct agent *a, JNIEnv *env)
{
    if (!alloc_interval())
        vm_event_add(&on_clones, NULL);
    vm_sampler_hear(user, on_sampled);
    /* What a thread still has of its allocation buffer it takes unseen; this takes it away. Later,
     * in a large heap, a sampler is not worth the pause. */
    if (!a->attached || (!alloc_interval() && !somebody_wants_all(a)))
        (*a->vm.main)->ForceGarbageCollection(a->vm.main);
    return 0;
}

static void stop(void)
{
    vm_sampler_hear(user, NULL);
    vm_event_remove(&on_clones);
}

static int close_sampler(struct agent *a, JNIEnv *env)
{
    vm_sampler_close(user);
    return 0;
}

const struct alloc_source alloc_vm = {.name = "the VM's sampler",
                                      .skips_first = true,
                                      .load = load,
                                      .start = start,
                                      .stop = stop,
                                      .close = close_sampler,
                                      .weight = weight};
