/*
 * wall_sampler.c - see wall_sampler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/wall/wall_sampler.h"
#include <string.h>
#include "agent/engine/engine.h"
#include "agent/recording.h"
#include "safe/clock.h"

extern const struct engine engine_wall;

enum { THREADS_AT_ONCE = 128 }; /* under one hold of the agent's lock: a millisecond or two */

uint64_t wall_sampler_round(const struct wall_sampler *s)
{
    return (clock_monotonic_ns() - s->origin_ns) / s->interval_ns;
}

static struct wall_thread *kept_of(const struct wall_sampler *s, const struct vm_thread *t)
{
    return vm_threads_slot(t, s->row);
}

void wall_sampler_enter(struct wall_sampler *s, struct thread *t)
{
    /* It may be looked at in this round yet, as its chance has it: then it has lived long enough
     * to. */
    *kept_of(s, t->vm) = (struct wall_thread){
        .epoch = s->epoch, .pass = s->pass - s->is_passing, .round = wall_sampler_round(s) - 1};
}

/* ---- what was seen becomes an event of each recording */

/* So many of its rounds have passed for the recording. */
static uint32_t weight_for(const struct wall_sampler *s, const struct recording *r, uint64_t round,
                           uint32_t weight)
{
    uint64_t all = round + 1 - s->of[r->place].first_round;

    return weight < all ? weight : (uint32_t)all;
}

static void count_stack(struct wall_sampler *s, struct recording *r, const struct event *seen,
                        uint32_t weight)
{
    struct agent *a = s->agent;
    struct wall_counts *counts = &s->of[r->place].counts;
    struct event event = *seen;

    event.value[0] = weight;
    event.trace = callstack_trace(a, r, &s->stack, event.thread, &event.is_truncated);
    if (!event.trace || recording_count(a, r, &event) != 0)
        counts->lost += weight;
    else
        counts->taken += weight;
}

/* What s->stack has is where the thread is. */
static void count_taken(struct wall_sampler *s, thread_id thread, enum wall_state state,
                        uint64_t time_ns, uint32_t weight)
{
    struct agent *a = s->agent;
    uint64_t round = (time_ns - s->origin_ns) / s->interval_ns;
    struct event event = {.kind = EVENT_WALL,
                          .thread = thread,
                          .time_ns = time_ns,
                          .is_waiting = state != WALL_RUNNING};
    struct recording *r;

    callstack_name(a, &s->stack, 0);
    if (s->stack.count > 0 && state != WALL_RUNNING && state != WALL_NATIVE)
        state = wall_look_name(a->profile, s->stack.named[0], state);
    event.text = profile_cstring(a->profile, wall_look_words[state]);
    for (int at = 0; (r = engine_recording(a, &engine_wall, &at)) != NULL;)
        count_stack(s, r, &event, weight_for(s, r, round, weight));
}

/* The samples are no stack's; `which` is the place of their count. */
static void count_other(struct wall_sampler *s, size_t which, uint32_t weight)
{
    uint64_t round = wall_sampler_round(s);
    struct recording *r;

    for (int at = 0; (r = engine_recording(s->agent, &engine_wall, &at)) != NULL;) {
        char *counts = (char *)&s->of[r->place].counts;

        *(uint64_t *)(void *)(counts + which) += weight_for(s, r, round, weight);
    }
}

#define COUNT(name) offsetof(struct wall_counts, name)

/* ---- threads that are asked themselves */

/* The cell is free after it, and its thread owes nothing. */
static void count_answer(struct wall_sampler *s, uint32_t cell)
{
    struct poke_cell *c = &s->poke.cells[cell];

    s->questions[cell].of->asked = NULL;
    if (c->result > 0) {
        callstack_copy(c->frames, (uint32_t)c->result, c->is_truncated != 0, &s->stack);
        count_taken(s, s->questions[cell].thread, WALL_RUNNING, c->time_ns,
                    s->questions[cell].weight);
    } else {
        count_other(s,
                    c->result == 0 || c->result == -(1 + WALK_NO_JAVA_FRAME) ? COUNT(no_java)
                                                                             : COUNT(failed),
                    s->questions[cell].weight);
    }
    poke_free(&s->poke, c);
}

void wall_sampler_collect(struct wall_sampler *s)
{
    for (uint32_t i = 0; i < POKE_CELLS; i++)
        if (poke_is_answered(&s->poke.cells[i]))
            count_answer(s, i);
}

/* A thread that has not got the processor since it was asked owes its time still. Returns false
 * where its answer is about to come. */
static bool take_back(struct wall_sampler *s, struct wall_thread *kept)
{
    uint32_t cell = (uint32_t)(kept->asked - s->poke.cells);

    if (poke_withdraw(kept->asked)) {
        kept->round -= s->questions[cell].weight;
        kept->asked = NULL;
    } else if (poke_is_answered(kept->asked)) {
        count_answer(s, cell);
    }
    return !kept->asked;
}

static void ask(struct wall_sampler *s, const struct thread *t, struct wall_thread *kept,
                uint64_t round)
{
    const struct vm_thread *vm = t->vm;
    struct poke_cell *c = poke_ask(&s->poke, vm->tid, vm->jni_env, vm->java_thread);

    if (!c)
        return; /* as if it had not been looked at: the next look stands for its time, too */
    uint32_t cell = (uint32_t)(c - s->poke.cells);
    s->questions[cell].of = kept;
    s->questions[cell].thread = t->id;
    s->questions[cell].weight = (uint32_t)(round - kept->round);
    kept->asked = c;
    kept->round = round;
}

void wall_sampler_leave(struct wall_sampler *s, struct thread *t)
{
    struct wall_thread *kept = kept_of(s, t->vm);

    if (kept->epoch != s->epoch || !kept->asked)
        return;
    uint32_t cell = (uint32_t)(kept->asked - s->poke.cells), weight = s->questions[cell].weight;

    /* Its handler does not run, for the thread is here: it has answered, or will not. */
    if (poke_withdraw(kept->asked))
        count_other(s, COUNT(ended), weight);
    else
        count_answer(s, cell);
    kept->asked = NULL;
}

void wall_sampler_withdraw(struct wall_sampler *s)
{
    for (uint32_t i = 0; i < POKE_CELLS; i++) {
        struct poke_cell *c = &s->poke.cells[i];

        if (poke_withdraw(c))
            s->questions[i].of->asked = NULL;
    }
}

/* ---- a look */

static void look_at(struct wall_sampler *s, struct thread *t, struct wall_thread *kept)
{
    uint64_t now_ns = clock_monotonic_ns(), round = (now_ns - s->origin_ns) / s->interval_ns;
    enum wall_state state = WALL_RUNNING;
    enum wall_look look;

    if (kept->asked && !take_back(s, kept))
        return;
    if (round <= kept->round)
        return;
    uint32_t weight = (uint32_t)(round - kept->round);

    look = wall_look_at(t->vm, s->agent->options.depth, &state, &s->stack);
    if (look == WALL_LOOK_ASK) {
        ask(s, t, kept, round);
        return;
    }
    kept->round = round;
    if (look == WALL_LOOK_TAKEN)
        count_taken(s, t->id, state, now_ns, weight);
    else
        count_other(s, look == WALL_LOOK_NONE ? COUNT(no_java) : COUNT(failed), weight);
    callstack_leave(&s->stack);
}

void wall_sampler_look(struct wall_sampler *s)
{
    uint32_t left = THREADS_AT_ONCE;

    for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
        struct wall_thread *kept = kept_of(s, t->vm);

        if (!t->vm->java_thread || !t->vm->tid)
            continue; /* a virtual thread: its carrier is looked at */
        if (kept->epoch != s->epoch)
            wall_sampler_enter(s, t);
        if (kept->pass == s->pass)
            continue;
        if (left-- == 0)
            return;
        kept->pass = s->pass;
        look_at(s, t, kept);
    }
    s->is_passing = false;
}
