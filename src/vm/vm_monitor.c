/*
 * vm_monitor.c - see vm_monitor.h.
 *
 * An owner is the address of a JavaThread. To JDK 20 an owner may also be an address in the owner's
 * stack, if the lock lay there and another thread made the monitor of it. From JDK 24 on an owner
 * is the number that Java gives the thread. From JDK 21 on a monitor that was made by the first
 * thread that waits for it does not name its owner. The count of entries is known once the monitor
 * names its owner as a thread; before that the owner's stack has the count.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_monitor.h"
#include "hotspot/target.h"
#include "safe/hs_layout.h"
#include "vm/vm_threads.h"

enum { ANONYMOUS_OWNER = 1 };

static struct {
    int users;
    bool is_open;
    struct target target;
    int32_t pending, waiting, number; /* offsets in a JavaThread; -1: unknown */
    int32_t owner, recursions;        /* offsets in an ObjectMonitor */
} facts;

static int32_t thread_field(const char *name)
{
    int32_t at = target_field(&facts.target, "JavaThread", name, -1);
    return at >= 0 ? at : target_field(&facts.target, "Thread", name, -1);
}

void vm_monitor_open(void)
{
    const char *missing;
    if (facts.users++ > 0 || target_open_self(&facts.target, &missing) != 0)
        return;
    facts.pending = thread_field("_current_pending_monitor");
    facts.waiting = thread_field("_current_waiting_monitor");
    facts.number = target_field(&facts.target, "JavaThread", "_monitor_owner_id", -1);
    facts.owner = target_field(&facts.target, "ObjectMonitor", "_owner", -1);
    facts.recursions = target_field(&facts.target, "ObjectMonitor", "_recursions", -1);
    facts.is_open = true;
}

void vm_monitor_close(void)
{
    if (--facts.users > 0 || !facts.is_open)
        return;
    facts.is_open = false;
    target_close(&facts.target);
}

/* The JavaThread of the calling thread; 0: not known. */
static uint64_t thread_of(JNIEnv *env)
{
    intptr_t env_in_thread = vm_threads_env_offset();
    return env_in_thread ? (uint64_t)(uintptr_t)env - (uint64_t)env_in_thread : 0;
}

static uint64_t word_of_thread(JNIEnv *env, int32_t at)
{
    uint64_t thread = thread_of(env);
    return facts.is_open && at >= 0 && thread ? target_u8(&facts.target, thread + (uint64_t)at) : 0;
}

uint64_t vm_monitor_pending(JNIEnv *env)
{
    return word_of_thread(env, facts.pending);
}

uint64_t vm_monitor_waiting(JNIEnv *env)
{
    return word_of_thread(env, facts.waiting);
}

uint64_t vm_monitor_owner(uint64_t monitor)
{
    uint64_t owner = monitor && facts.is_open && facts.owner >= 0
                         ? target_u8(&facts.target, monitor + (uint64_t)facts.owner)
                         : 0;
    return owner == ANONYMOUS_OWNER ? 0 : owner;
}

bool vm_monitor_owner_is_number(void)
{
    return facts.is_open && facts.number >= 0;
}

bool vm_monitor_is_owner(uint64_t java_thread, uint64_t owner)
{
    const struct hs_layout *l = facts.target.layout;
    uint64_t base, size;
    if (!java_thread || java_thread == owner || !facts.is_open)
        return java_thread && java_thread == owner;
    base = target_u8(&facts.target, java_thread + (uint64_t)l->thread_stack_base);
    size = target_u8(&facts.target, java_thread + (uint64_t)l->thread_stack_size);
    return owner < base && base - owner <= size;
}

uint32_t vm_monitor_entries(JNIEnv *env, uint64_t monitor)
{
    uint64_t owner = vm_monitor_owner(monitor);
    uint64_t self = facts.number >= 0 ? word_of_thread(env, facts.number) : thread_of(env);
    if (!owner || owner != self || facts.recursions < 0)
        return 0;
    return (uint32_t)target_u8(&facts.target, monitor + (uint64_t)facts.recursions) + 1;
}
