/*
 * stack_source_jvmti.c - walker=jvmti: the VM's documented interface, for VMs in which no other
 * walker works.
 *
 * The drain thread asks for the stack of a thread right after its sample (safe/walk_later.h), which
 * happens at a safepoint. So the stacks are biased; the CPU time of each thread is not.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/names/threads.h"
#include "agent/stack_source/stack_source.h"
#include "safe/own_class.h"
#include "safe/walk_later.h"

enum { DEPTH_MAX = 256 + OWN_CLASS_FRAMES };

static int prepare(struct agent *a, JNIEnv *env, const struct ring *ring, const char **ret_why)
{
    return 0; /* every VM that can load this agent has JVM TI */
}

static int stack(struct agent *a, uint32_t serial, struct walk_frame *frames, uint32_t max)
{
    const struct thread *thread = threads_by_serial(serial);
    jvmtiFrameInfo infos[DEPTH_MAX];
    jint count = 0;
    if (!thread)
        return -(1 + WALK_THREAD_EXIT);
    if ((*a->vm.main)
            ->GetStackTrace(a->vm.main, thread->vm->ref, 0, max < DEPTH_MAX ? (jint)max : DEPTH_MAX,
                            infos, &count) != JVMTI_ERROR_NONE)
        return -(1 + WALK_THREAD_EXIT);
    if (count == 0)
        return -(1 + WALK_NO_JAVA_FRAME);
    for (jint i = 0; i < count; i++)
        frames[i] = (struct walk_frame){
            .method = (uint64_t)(uintptr_t)infos[i].method,
            .bci = infos[i].location < 0 ? -3 : (int32_t)infos[i].location,
            .kind = infos[i].location < 0 ? WALK_KIND_NATIVE : WALK_KIND_JAVA,
        };
    return count;
}

const struct stack_source stack_source_jvmti = {
    .name = "jvmti",
    .help = "asks JVM TI right after the sample: works in every JVM, biased to safepoints",
    .walker = &walk_later,
    .prepare = prepare,
    .stack = stack,
};
