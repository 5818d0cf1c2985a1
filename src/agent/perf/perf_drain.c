/*
 * perf_drain.c - see perf_sampler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include "agent/perf/perf_sampler.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/stack_source/callstack.h"
#include "agent/stack_source/vm_walk.h"

extern const struct engine engine_perf;

/* Indexes of the values of KIND_PERF. */
enum { EVENTS, SAMPLES };

static void count_for(struct perf_sampler *p, struct recording *r, const struct counted_sample *s,
                      const struct callstack *stack)
{
    struct agent *a = p->agent;
    struct perf_counts *c = &p->of[r->place];
    thread_id thread = s->serial ? profile_thread_by_serial(a->profile, s->serial) : 0;
    struct event e = {.kind = KIND_PERF,
                      .thread = thread,
                      .time_ns = s->time_ns,
                      .text = profile_cstring(a->profile, p->event.name),
                      .context = scope_context_of(a, &s->scopes),
                      .value = {[EVENTS] = s->events, [SAMPLES] = 1}};
    c->samples++;
    if (!stack->is_lost)
        e.trace = callstack_trace(a, r, stack, thread, &e.is_truncated);
    if (!e.trace || recording_count(a, r, &e) != 0)
        c->lost += s->events;
    else if (s->result > 0)
        c->walked += s->events;
    else
        c->failed += s->events;
}

/* A sample whose stack could not be walked counts for the empty trace: its events did happen. */
static void take_in(struct perf_sampler *p, const struct counted_sample *s)
{
    struct callstack stack;
    struct recording *r;
    callstack_copy(s->frames, s->result > 0 ? (uint32_t)s->result : 0, s->truncated, &stack);
    callstack_name(p->agent, &stack, 0);
    for (int at = 0; (r = engine_recording(p->agent, &engine_perf, &at)) != NULL;)
        count_for(p, r, s, &stack);
}

void perf_drain(struct perf_sampler *p)
{
    struct counted_sample *s;
    /* Only what is in the ring now is read: the lock must not be held as long as more comes. */
    uint64_t end = ring_end(&p->counted.ring);
    while (!ring_is_read(&p->counted.ring, end) && (s = ring_peek(&p->counted.ring)) != NULL) {
        take_in(p, s);
        ring_release(&p->counted.ring);
    }
    vm_walk_turn();
}

void perf_drain_outside(struct perf_sampler *p)
{
    const struct perf_outside now = {.lost = atomic_load(&p->counted.lost),
                                     .caused = atomic_load(&p->counted.caused),
                                     .rest = perf_threads_rest(p)};
    struct recording *r;
    for (int at = 0; (r = engine_recording(p->agent, &engine_perf, &at)) != NULL;) {
        struct perf_counts *c = &p->of[r->place];
        c->lost += now.lost - p->told.lost;
        c->caused += now.caused - p->told.caused;
        c->rest += now.rest - p->told.rest;
    }
    p->told = now;
}
