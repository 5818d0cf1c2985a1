/*
 * nativelock_drain.c - see nativelock.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include "agent/nativelock/nativelock.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/stack_source/callstack.h"
#include "options/options_nativelock.h"
#include "safe/lockhook.h"

extern const struct engine engine_nativelock;

static const char *const words[] = {
    [LOCKHOOK_MUTEX] = "mutex",
    [LOCKHOOK_READ] = "rwlock, to read",
    [LOCKHOOK_WRITE] = "rwlock, to write",
    [LOCKHOOK_CONDITION] = "condition",
    [LOCKHOOK_SEMAPHORE] = "semaphore",
};

/* ---- what is no event */

static struct nativelock_sum read_sum(const _Atomic uint64_t *waits, const _Atomic uint64_t *ns)
{
    return (struct nativelock_sum){atomic_load_explicit(waits, memory_order_relaxed),
                                   atomic_load_explicit(ns, memory_order_relaxed)};
}

static struct nativelock_sum since(struct nativelock_sum now, struct nativelock_sum before,
                                   struct nativelock_sum own)
{
    return (struct nativelock_sum){now.waits - before.waits + own.waits,
                                   now.ns - before.ns + own.ns};
}

struct nativelock_sum nativelock_drain_shorter(const struct nativelock *n, int place)
{
    return since(read_sum(&lockhook.shorter, &lockhook.shorter_ns), n->of[place].shorter_before,
                 n->of[place].shorter);
}

struct nativelock_sum nativelock_drain_lost(const struct nativelock *n, int place)
{
    return since(read_sum(&lockhook.lost, &lockhook.lost_ns), n->of[place].lost_before,
                 n->of[place].lost);
}

void nativelock_drain_begin(struct nativelock *n, int place)
{
    n->of[place] = (struct nativelock_counts){
        .shorter_before = read_sum(&lockhook.shorter, &lockhook.shorter_ns),
        .lost_before = read_sum(&lockhook.lost, &lockhook.lost_ns),
    };
}

static void add(struct nativelock_sum *to, uint64_t ns)
{
    to->waits++;
    to->ns += ns;
}

/* ---- events */

static void count_for(struct nativelock *n, struct recording *r, const struct lockhook_sample *s,
                      struct event *e, const struct callstack *stack)
{
    struct nativelock_counts *c = &n->of[r->place];
    uint64_t start_ns = s->start_ns > r->began_ns ? s->start_ns : r->began_ns;
    uint64_t ns = s->end_ns - start_ns;
    e->value[0] = ns;
    if (ns < options_nativelock_of(&r->options)->threshold_ns) {
        add(&c->shorter, ns);
        return;
    }
    e->trace = stack->is_lost || !e->text
                   ? 0
                   : callstack_trace(n->hooking.agent, r, stack, e->thread, &e->is_truncated);
    if (!e->trace || recording_count(n->hooking.agent, r, e) != 0)
        add(&c->lost, ns);
    else
        c->waits++;
}

void nativelock_drain_take_in(struct hooking *h, const void *record)
{
    struct nativelock *n = (struct nativelock *)h;
    const struct lockhook_sample *s = record;
    struct agent *a = h->agent;
    const struct event_blocked blocked = {.by = EVENT_BLOCKED_NATIVE,
                                          .address = s->address,
                                          .owner = profile_thread_by_serial(a->profile, s->owner),
                                          .has_timed_out = s->has_timed_out};
    struct event e = {.kind = KIND_NATIVE_LOCK,
                      .thread = profile_thread_by_serial(a->profile, s->stack.serial),
                      .text = profile_cstring(a->profile, words[s->what]),
                      .context = scope_context_of(a, &s->stack.scopes),
                      .time_ns = s->end_ns,
                      .value = {0, 1},
                      .blocked = &blocked};
    struct callstack stack;
    struct recording *r;
    callstack_copy(s->frames, hookring_frames(&s->stack), s->stack.is_truncated, &stack);
    callstack_name(a, &stack, 0);
    for (int at = 0; (r = engine_recording(a, &engine_nativelock, &at)) != NULL;)
        if (s->end_ns >= r->began_ns &&
            (!s->is_idle || options_nativelock_of(&r->options)->with_vm))
            count_for(n, r, s, &e, &stack);
}

void nativelock_drain(struct hooking *h)
{
    hooking_read(h);
}
