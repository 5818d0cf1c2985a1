/*
 * lock_owner.c - see lock_owner.h.
 *
 * An owner is a JavaThread; to JDK 20 also a place in the owner's stack, where another thread made
 * the monitor of a lock that lay there; from JDK 24 on the number that Java gives the thread. From
 * JDK 21 on a monitor that was made by who waits for it first does not say whose it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/lock/lock_owner.h"
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/threads.h"
#include "hotspot/target.h"
#include "safe/hs_layout.h"
#include "vm/vm_threads.h"

enum { ANONYMOUS_OWNER = 1 };

static struct {
    bool is_open;
    struct target target;
    int32_t pending, waiting; /* fields of a JavaThread; -1 unknown */
    int32_t owner;            /* of an ObjectMonitor */
    bool is_number;           /* the owner is */
} facts;

static int32_t thread_field(const char *name)
{
    int32_t at = target_field(&facts.target, "JavaThread", name, -1);

    return at >= 0 ? at : target_field(&facts.target, "Thread", name, -1);
}

void lock_owner_open(void)
{
    const char *missing;

    if (target_open_self(&facts.target, &missing) != 0)
        return;
    facts.pending = thread_field("_current_pending_monitor");
    facts.waiting = thread_field("_current_waiting_monitor");
    facts.owner = target_field(&facts.target, "ObjectMonitor", "_owner", -1);
    facts.is_number = target_field(&facts.target, "JavaThread", "_monitor_owner_id", -1) >= 0;
    facts.is_open = true;
}

void lock_owner_close(void)
{
    if (facts.is_open)
        target_close(&facts.target);
    facts.is_open = false;
}

static uint64_t word_of_thread(JNIEnv *env, int32_t at)
{
    intptr_t env_in_thread = vm_threads_env_offset();

    if (!facts.is_open || at < 0 || !env_in_thread)
        return 0;
    return target_u8(&facts.target,
                     (uint64_t)(uintptr_t)env - (uint64_t)env_in_thread + (uint64_t)at);
}

uint64_t lock_owner_pending(JNIEnv *env)
{
    return word_of_thread(env, facts.pending);
}

uint64_t lock_owner_waiting(JNIEnv *env)
{
    return word_of_thread(env, facts.waiting);
}

uint64_t lock_owner_of(uint64_t monitor)
{
    uint64_t owner = monitor && facts.is_open && facts.owner >= 0
                         ? target_u8(&facts.target, monitor + (uint64_t)facts.owner)
                         : 0;

    return owner == ANONYMOUS_OWNER ? 0 : owner;
}

/* Whether the number stands for the thread. A thread that is listed has not ended. */
static bool is_owner(struct agent *a, const struct thread *t, uint64_t owner)
{
    const struct hs_layout *l = facts.target.layout;
    uint64_t thread = t->vm->java_thread, base, size;

    if (facts.is_number)
        return t->id && profile_thread_at(a->profile, t->id)->java_id == owner;
    if (!thread || thread == owner)
        return thread == owner;
    base = target_u8(&facts.target, thread + (uint64_t)l->thread_stack_base);
    size = target_u8(&facts.target, thread + (uint64_t)l->thread_stack_size);
    return owner < base && base - owner <= size;
}

thread_id lock_owner_thread(struct agent *a, uint64_t owner)
{
    if (!owner || !facts.is_open)
        return 0;
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
        if (is_owner(a, t, owner))
            return t->id;
    return 0;
}
