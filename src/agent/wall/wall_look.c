/*
 * wall_look.c - see wall_look.h.
 *
 * This file reads the JavaThread and OSThread of another thread. That thread cannot end meanwhile,
 * because its record exists and the caller's agent lock keeps the record. Source: HotSpot
 * osThread.hpp (ThreadState), the same in all JDKs from 8 on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/wall/wall_look.h"
#include <string.h>
#include "agent/scope/scope_context.h"
#include "agent/stack_source/vm_walk.h"
#include "base/os_thread.h"
#include "safe/hs_layout.h"
#include "safe/mem.h"
#include "safe/mem_self.h"

enum {
    OS_UNKNOWN = 0,
    OS_MONITOR_WAIT = 3,
    OS_CONDVAR_WAIT = 4,
    OS_OBJECT_WAIT = 5,
    OS_SLEEPING = 7
};

enum { TRIES = 3 }; /* for a thread that returns to Java and leaves it again during the look */

const char *const wall_look_words[WALL_STATES] = {
    [WALL_RUNNING] = "running", [WALL_NATIVE] = "native", [WALL_SLEEPING] = "sleeping",
    [WALL_WAITING] = "waiting", [WALL_PARKED] = "parked", [WALL_BLOCKED] = "blocked",
    [WALL_IN_VM] = "in the VM",
};

/* The place of a thread as the VM knows it, without the CPU time. */
static struct wall_place said_place_of(const struct vm_thread *t)
{
    const struct hs_layout *l = vm_walk_layout();
    struct mem_view v = {.mem = &mem_self};
    uint64_t anchor = t->java_thread + (uint64_t)l->thread_anchor, osthread = 0;
    struct wall_place p = {
        .state = hs_layout_state(l, mem_view_u4(&v, t->java_thread + (uint64_t)l->thread_state)),
        .sp = mem_view_u8(&v, anchor + (uint64_t)l->anchor_sp),
        .pc = mem_view_u8(&v, anchor + (uint64_t)l->anchor_pc),
    };
    if (l->thread_osthread >= 0 && l->osthread_state >= 0)
        osthread = mem_view_u8(&v, t->java_thread + (uint64_t)l->thread_osthread);
    if (osthread)
        p.os_state = mem_view_u4(&v, osthread + (uint64_t)l->osthread_state);
    return p;
}

static struct wall_place place_of(const struct vm_thread *t)
{
    struct wall_place p = said_place_of(t);
    p.cpu_ns = os_thread_cpu_ns(t->tid);
    return p;
}

static bool is_in_java(const struct wall_place *p)
{
    return p->state == HS_THREAD_IN_JAVA || p->state == HS_THREAD_IN_JAVA_TRANS;
}

/*
 * Whether both looks saw the same call. Either the thread was not in Java in between, or it has
 * come back to the same place, where its callers are the same again. A carrier may come back to the
 * same place with another virtual thread; the scopes tell two of them apart if they have different
 * scopes.
 */
static bool has_stayed(const struct wall_found *before, const struct wall_found *after)
{
    const struct wall_place *first = &before->place, *last = &after->place;
    return !is_in_java(last) && first->sp == last->sp && first->pc == last->pc &&
           memcmp(&before->scopes, &after->scopes, sizeof(after->scopes)) == 0;
}

static enum wall_state state_of(const struct wall_place *before, const struct wall_place *after)
{
    bool has_run = before->cpu_ns != after->cpu_ns;
    if (after->state == HS_THREAD_IN_NATIVE)
        return has_run ? WALL_RUNNING : WALL_NATIVE;
    switch (after->os_state) {
    case OS_SLEEPING:
    case OS_OBJECT_WAIT:
    case OS_CONDVAR_WAIT:
        return WALL_WAITING;
    case OS_UNKNOWN:
        return after->state == HS_THREAD_BLOCKED ? WALL_BLOCKED : WALL_RUNNING;
    case OS_MONITOR_WAIT:
        return WALL_BLOCKED;
    default:
        return after->state == HS_THREAD_BLOCKED && !has_run ? WALL_IN_VM : WALL_RUNNING;
    }
}

/* The state of a thread that waits in this method. */
static const struct {
    const char *klass, *method; /* `method` is the beginning of the method's name */
    enum wall_state state;
} waits[] = {
    {"java.lang.Object", "wait", WALL_WAITING},
    {"java.lang.Thread", "sleep", WALL_SLEEPING},
    {"jdk.internal.misc.Unsafe", "park", WALL_PARKED},
    {"sun.misc.Unsafe", "park", WALL_PARKED},
};

enum wall_state wall_look_name(struct profile *p, const frame_id *frames, uint32_t count,
                               enum wall_state state)
{
    for (uint32_t f = 0; f < count; f++) {
        const struct profile_method *method =
            profile_method_at(p, profile_frame_at(p, frames[f])->method);
        const char *klass = profile_string_at(p, profile_class_at(p, method->klass)->name)->bytes,
                   *name = profile_string_at(p, method->name)->bytes;
        for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
            if (strcmp(klass, waits[i].klass) == 0 &&
                strncmp(name, waits[i].method, strlen(waits[i].method)) == 0)
                return waits[i].state;
    }
    return state;
}

/*
 * A thread that waits in one of the methods above may first appear in any waiting state of the VM.
 */
unsigned wall_look_may_mean(enum wall_state state)
{
    unsigned bits = 1u << state;
    if (state != WALL_RUNNING && state != WALL_NATIVE)
        for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
            bits |= 1u << waits[i].state;
    return bits;
}

unsigned wall_look_may_be(const struct vm_thread *thread)
{
    struct wall_place now = said_place_of(thread);
    enum wall_state state = state_of(&now, &now);
    if (is_in_java(&now))
        return 1u << WALL_RUNNING;
    /* Only its CPU time tells whether the thread runs. */
    if (state == WALL_NATIVE || state == WALL_IN_VM)
        return wall_look_may_mean(state) | 1u << WALL_RUNNING;
    return wall_look_may_mean(state);
}

/*
 * Whether a thread whose stack could not be read may get a signal. In the VM a thread has no anchor
 * while it is about to call Java or has just come from Java; its waits there go on after a signal.
 * Native code that has just run is not waiting.
 */
static bool may_be_asked(const struct wall_place *before, const struct wall_place *after,
                         bool has_failed)
{
    if (after->state == HS_THREAD_IN_VM || after->state == HS_THREAD_IN_VM_TRANS)
        return true;
    return has_failed && before->cpu_ns != after->cpu_ns;
}

enum wall_look wall_look_at(const struct vm_thread *thread, int depth, struct wall_found *ret,
                            struct callstack *stack)
{
    for (int i = 0; i < TRIES; i++) {
        struct wall_found before = {.place = place_of(thread)}, after;
        int result;
        if (is_in_java(&before.place))
            return WALL_LOOK_ASK;
        scope_context_read_thread(thread->tid, &before.scopes);
        result = callstack_take_other(thread->java_thread, depth, stack);
        after = (struct wall_found){.place = place_of(thread)};
        scope_context_read_thread(thread->tid, &after.scopes);
        if (has_stayed(&before, &after)) {
            bool is_none = result == 0 || result == -(1 + WALK_NO_JAVA_FRAME);
            *ret = after;
            ret->state = state_of(&before.place, &after.place);
            if (result == 0 && stack->count > 0)
                return WALL_LOOK_TAKEN;
            if (!may_be_asked(&before.place, &after.place, !is_none))
                return is_none ? WALL_LOOK_NONE : WALL_LOOK_FAILED;
            callstack_leave(stack);
            return WALL_LOOK_ASK;
        }
        callstack_leave(stack);
    }
    return WALL_LOOK_ASK;
}

/*
 * The CPU time is read last. If it has not changed, nothing that was read before has changed
 * either.
 */
bool wall_look_has_rested(const struct vm_thread *thread, const struct wall_place *place)
{
    struct wall_place now = place_of(thread);
    return now.cpu_ns != 0 && now.cpu_ns == place->cpu_ns && now.state == place->state &&
           now.os_state == place->os_state && now.sp == place->sp && now.pc == place->pc;
}
