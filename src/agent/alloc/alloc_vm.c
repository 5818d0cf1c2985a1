/*
 * alloc_vm.c - a source of allocations: the VM's own sampler (JEP 331, JDK 11 and later).
 *
 * At an interval of 0 the sampler reports every object. Otherwise it reports an object if a random
 * distance ends in the object; distances are exponentially distributed with the interval as their
 * mean.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_source.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "vm/vm_event.h"
#include "vm/vm_pause.h"
#include "vm/vm_sampler.h"

static int user; /* the agent's number as a user of the sampler */

static void on_sampled(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg)
{
    const struct alloc_seen seen = {
        .object = object,
        .klass = klass,
        .bytes = bytes,
        .probability = alloc_probability(bytes, -1),
    };
    if (object) /* an object without identity cannot be followed */
        alloc_count(env, &seen);
    else
        alloc_count_value();
}

static uint64_t weight(uint64_t bytes, int64_t length)
{
    return bytes;
}

/*
 * The sampler reports a clone before the clone is complete. Its header is written again after this
 * report, and in JDK 22 and later a tag is found by the identity hash in the header, so the tag is
 * lost. The event VMObjectAlloc comes when the clone is complete.
 */
static void on_vm_object(void *data, JNIEnv *env, jthread thread, jobject object, jclass klass,
                         jlong size)
{
    if (object)
        alloc_tag_again(env, object, klass);
}

/* Used only if every object is counted. */
static struct vm_event_subscriber on_clones = {.event = VM_EVENT_VM_OBJECT,
                                               .on.vm_object = on_vm_object};

/* A thread draws its first distance when it is created, so the interval has to be set before the VM
 * has threads. */
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

/* A recording with live=n wants objects that a forced collection would free. */
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
    /* A thread allocates unseen in the rest of its current allocation buffer. A collection takes
     * the buffer away. After an attach to a program with a large heap, the pause is too long for a
     * sampled recording. */
    if (!a->attached || (!alloc_interval() && !somebody_wants_all(a)))
        vm_pause_collect(a->vm.main);
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
