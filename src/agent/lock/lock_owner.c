/*
 * lock_owner.c - see lock_owner.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/lock/lock_owner.h"
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/names/threads.h"
#include "vm/vm_monitor.h"

/* Whether `t` is the owner. `t` is in the list of threads, so it has not ended. */
static bool is_owner(struct agent *a, const struct thread *t, uint64_t owner)
{
    if (vm_monitor_owner_is_number())
        return t->id && profile_thread_at(a->profile, t->id)->java_id == owner;
    return vm_monitor_is_owner(t->vm->java_thread, owner);
}

thread_id lock_owner_thread(struct agent *a, uint64_t owner)
{
    for (struct thread *t = owner ? threads_next(NULL) : NULL; t; t = threads_next(t))
        if (is_owner(a, t, owner))
            return t->id;
    return 0;
}
