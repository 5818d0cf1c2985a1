/*
 * wall_sampler.h - what looks at all threads for all recordings of event=wall, once an interval.
 *
 * Time is cut into rounds of one interval. In each round every thread is looked at once, at a
 * random moment of it; what is seen stands for as many rounds as have passed since the thread's
 * last look. So the samples of a thread add up to its life, whatever delays a look, and where
 * threads are too many for one round they are seen in turn, each with a greater weight. The stack
 * of a thread that has not run since is not read again: its samples are gathered, and counted
 * together.
 * All functions need the agent's lock. Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/stack_source/callstack.h"
#include "agent/wall/wall_choice.h"
#include "agent/wall/wall_look.h"
#include "safe/bell.h"
#include "safe/poke.h"

struct recording;

/** Where a thread was seen, as recordings have it. */
struct wall_seen {
    thread_id thread;
    string_id state;
    context_id context;
    bool is_waiting;
    uint32_t wanted;                   /* by which recordings: a bit for the place of each */
    uint32_t cut;                      /* a bit for each trace that lacks callers */
    trace_id traces[AGENT_RECORDINGS]; /* by their places; 0: no memory */
};

/** What a thread stands for that was drawn of many: one of `parts` that are as great as can be. */
struct wall_part {
    uint32_t rounds;  /* of which the time is */
    uint64_t threads; /* that there are */
    context_id context;
    uint32_t part, parts;
};

/** What files call the virtual threads that have no carrier: one thread. */
#define WALL_VIRTUAL_NAME "virtual threads"

/** What was seen of a thread that does not run, and is so as long as it does not. */
struct wall_rest {
    uint32_t joins;              /* of the sampler at that time; another one: nothing is known */
    uint32_t weight;             /* of looks that no recording has counted yet */
    uint64_t since_ns, until_ns; /* when those were */
    struct wall_place place;
    struct wall_seen seen;
};

/** What each thread has of its own, and the answer that it owes. */
struct wall_thread {
    uint32_t epoch;          /* of which all is; another one: nothing is known */
    uint32_t wanted;         /* by which recordings, whatever it does: a bit for each place */
    uint64_t round;          /* up to which, this one included, its time is seen */
    struct poke_cell *asked; /* NULL: it has not been asked, or has answered */
    uint32_t seen_joins;     /* of the sampler when `rest.seen` was seen, at rest or not */
    struct wall_rest rest;
};

/** Samples that are no stack's, and those that are. */
struct wall_counts {
    uint64_t taken, no_java, failed, ended, lost;
    uint64_t rested;       /* of `taken`: no stack was read for them */
    uint64_t virtual;      /* of `taken`: of virtual threads without a carrier */
    uint64_t hidden;       /* of virtual threads that could not be looked at */
    uint64_t left_out;     /* of threads that the recording does not want, or not then */
    uint64_t left_threads; /* how many it wants nothing of */
};

struct wall_sampler {
    struct agent *agent;
    const struct vm_threads_row *row; /* of a struct wall_thread */
    struct poke poke;
    uint64_t interval_ns, origin_ns; /* round 0 begins at the origin */
    uint32_t epoch;                  /* counts the starts */
    uint32_t joins;                  /* counts the recordings that have begun */
    uint64_t pass_round;             /* in which the last pass over all threads has begun */
    struct thread *next;             /* to be looked at in this pass; NULL: it has ended */
    uint64_t random;
    struct bell wake, stopped;
    _Atomic bool stop;
    bool thread_runs, is_on; /* is_on: threads have what they keep here */
    struct callstack stack;  /* that is being counted */
    struct wall_choice choice;
    struct {
        struct wall_thread *of;
        thread_id thread;
        uint32_t weight;
    } questions[POKE_CELLS]; /* by their cells */
    struct {
        uint64_t first_round;
        uint64_t first_stops, first_stopped_ns; /* of the threads that were asked before it */
        struct wall_counts counts;
    } of[AGENT_RECORDINGS]; /* by their places */
};

/** The round of this moment. */
uint64_t wall_sampler_round(const struct wall_sampler *s);
/** The recording begins with what is seen from now on; its choice of threads is its options'. */
void wall_sampler_join(struct wall_sampler *s, const struct recording *r);
/** It has ended, or has not begun. */
void wall_sampler_part(struct wall_sampler *s, const struct recording *r);
/** The time of a thread counts from now on. */
void wall_sampler_enter(struct wall_sampler *s, struct thread *t);
/** The thread ends, and is the calling one. */
void wall_sampler_leave(struct wall_sampler *s, struct thread *t);
/** Count the answers that have come. */
void wall_sampler_collect(struct wall_sampler *s);
/** The same, and what has been gathered of threads that rest: recordings have all that was seen. */
void wall_sampler_settle(struct wall_sampler *s);
/** Begin to look at all threads, once. */
void wall_sampler_begin_pass(struct wall_sampler *s);
/** Look at some of those that this pass has not come to yet. */
void wall_sampler_look(struct wall_sampler *s);
/** Which recordings want virtual threads without a carrier, whatever they do. */
uint32_t wall_sampler_wants_virtual(const struct wall_sampler *s);
/** Whether any of them wants those that are in this state, or what that may mean. Where none does
 * the drawn thread is counted as left out. */
bool wall_sampler_wants_part(struct wall_sampler *s, enum wall_state state,
                             const struct wall_part *part);
/** Count what was seen of a drawn thread, whose innermost methods say more of its state. */
void wall_sampler_count_part(struct wall_sampler *s, thread_id thread, enum wall_state state,
                             struct callstack *stack, const struct wall_part *part);
/** The same of one that no stack could be had of. */
void wall_sampler_count_failed(struct wall_sampler *s, const struct wall_part *part);
/** Count so many threads of that many rounds, which nobody can look at. */
void wall_sampler_count_hidden(struct wall_sampler *s, const struct wall_part *part);
/** Take back all questions: no handler answers any more. */
void wall_sampler_withdraw(struct wall_sampler *s);
