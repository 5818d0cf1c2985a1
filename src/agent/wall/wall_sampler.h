/*
 * wall_sampler.h - looks at all threads once an interval, for all recordings of event=wall.
 *
 * Time is divided into rounds of one interval. In each round every thread is looked at once, at a
 * random moment of the round. A sample counts for as many rounds as have passed since the last look
 * at the thread. So the samples of a thread add up to its life, even if a look is late. If there
 * are too many threads for one round, they are looked at in turn, each with a greater weight. If a
 * thread has not run since the last look, its stack is not read again: its samples are gathered and
 * counted together.
 * All functions need the agent's lock. Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/stack_source/callstack.h"
#include "agent/wall/wall_look.h"
#include "safe/bell.h"
#include "safe/poke.h"

struct options_wall;
struct recording;

/**
 * Which threads each recording wants to see, and in which states. A thread that no recording wants
 * is not looked at. If the VM tells the state of a thread beforehand, and no recording wants this
 * state, the thread's stack is not read. A set of recordings has a bit for the place of each.
 */
struct wall_choice {
    uint32_t all;                                    /* the set of recordings that run */
    const struct options_wall *of[AGENT_RECORDINGS]; /* their options, borrowed; by place */
};

/** A look at a thread, in the form that recordings count. */
struct wall_seen {
    thread_id thread;
    string_id state;
    context_id context;
    bool is_waiting;
    /* the recordings that want the sample: a bit for the place of each */
    uint32_t wanted;
    /* a bit for the place of each recording whose trace lacks callers */
    uint32_t cut;
    trace_id traces[AGENT_RECORDINGS]; /* by their places; 0: no memory */
};

/** The share of all threads for which a drawn thread stands: one of `parts` parts of about equal
 * size. */
struct wall_part {
    uint32_t rounds;  /* how many rounds the part is of */
    uint64_t threads; /* count of all threads */
    context_id context;
    uint32_t part, parts;
};

/** In files all virtual threads without a carrier are one thread with this name. */
#define WALL_VIRTUAL_NAME "virtual threads"

/** The last look at a thread that does not run; valid as long as it does not run. */
struct wall_rest {
    /* value of sampler.joins at that time; if it differs now, nothing is known */
    uint32_t joins;
    uint32_t weight;             /* of looks that no recording has counted yet */
    uint64_t since_ns, until_ns; /* times of the first and last of those looks */
    struct wall_place place;
    struct wall_seen seen;
};

/** The record that the sampler keeps for each thread. */
struct wall_thread {
    /* value of sampler.epoch; if it differs, the other fields say nothing */
    uint32_t epoch;
    /* the recordings that want the thread, in whatever state: a bit for each place */
    uint32_t wanted;
    uint64_t round; /* the thread's time is counted up to the end of this round */
    /* the question to the thread; NULL: it was not asked, or has answered */
    struct poke_cell *asked;
    /* value of sampler.joins when `rest.seen` was seen, whether or not the thread rested */
    uint32_t seen_joins;
    struct wall_rest rest;
};

/** Counts of samples, with and without a stack. */
struct wall_counts {
    uint64_t taken, no_java, failed, ended, lost;
    uint64_t rested;       /* part of `taken`: the stack was not read again */
    uint64_t virtual;      /* part of `taken`: virtual threads without a carrier */
    uint64_t hidden;       /* of virtual threads that could not be looked at */
    uint64_t left_out;     /* of threads or states that the recording does not want */
    uint64_t left_threads; /* count of threads of which it wants no state */
};

struct wall_sampler {
    struct agent *agent;
    const struct vm_threads_row *row; /* with a struct wall_thread for each thread */
    struct poke poke;
    uint64_t interval_ns, origin_ns; /* round 0 begins at the origin */
    uint32_t epoch;                  /* counts the starts */
    uint32_t joins;                  /* counts the recordings that have begun */
    uint64_t pass_round;             /* the round in which the last pass over all threads began */
    struct thread *next;             /* the next thread of this pass; NULL: the pass has ended */
    uint64_t random;
    struct bell wake, stopped;
    _Atomic bool stop;
    bool thread_runs, is_on; /* is_on: the struct wall_thread of threads is in use */
    struct callstack stack;  /* the stack that is being counted */
    struct wall_choice choice;
    struct {
        struct wall_thread *of;
        thread_id thread;
        uint32_t weight;
    } questions[POKE_CELLS]; /* by the index of their cells */
    struct {
        uint64_t first_round;
        uint64_t first_stops, first_stopped_ns; /* counts of poke before the recording began */
        struct wall_counts counts;
    } of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/** The current round. */
uint64_t wall_sampler_round(const struct wall_sampler *s);
/** The recording begins: what is seen from now on counts for it; its options choose the threads. */
void wall_sampler_join(struct wall_sampler *s, const struct recording *r);
/** The recording has ended, or has not begun. */
void wall_sampler_part(struct wall_sampler *s, const struct recording *r);
/** The time of a thread counts from now on. */
void wall_sampler_enter(struct wall_sampler *s, struct thread *t);
/** The calling thread ends. */
void wall_sampler_leave(struct wall_sampler *s, struct thread *t);
/** Count the answers of threads that were asked. */
void wall_sampler_collect(struct wall_sampler *s);
/**
 * Count the answers, and the gathered samples of threads that rest. After this the recordings have
 * everything that was seen.
 */
void wall_sampler_settle(struct wall_sampler *s);
/** Begin a pass over all threads. */
void wall_sampler_begin_pass(struct wall_sampler *s);
/** Look at some of the threads that this pass has not looked at yet. */
void wall_sampler_look(struct wall_sampler *s);
/** The recordings that want virtual threads without a carrier, in whatever state. */
uint32_t wall_sampler_wants_virtual(const struct wall_sampler *s);
/**
 * Whether a recording wants virtual threads in this state, or in a state that it may turn out to
 * be. If none does, the drawn thread is counted as left out.
 */
bool wall_sampler_wants_part(struct wall_sampler *s, enum wall_state state,
                             const struct wall_part *part);
/** Count what was seen of a drawn thread. Its innermost methods give a more exact state. */
void wall_sampler_count_part(struct wall_sampler *s, thread_id thread, enum wall_state state,
                             struct callstack *stack, const struct wall_part *part);
/** Count a drawn thread whose stack could not be taken. */
void wall_sampler_count_failed(struct wall_sampler *s, const struct wall_part *part);
/** Count threads and rounds that cannot be looked at. */
void wall_sampler_count_hidden(struct wall_sampler *s, const struct wall_part *part);
/** Withdraw all questions; no handler answers any more. */
void wall_sampler_withdraw(struct wall_sampler *s);

/*
 * wall_virtual.c: samples of virtual threads that have no carrier: they wait, or are ready to run.
 *
 * A virtual thread with a carrier is seen on its carrier's stack (wall_look.h). Of the others a few
 * are drawn and looked at, and stand for all.
 */

/**
 * Draw some virtual threads and look at them. Only the sampling thread does this, without the
 * agent's lock. Context: java.
 */
void wall_virtual_look(struct wall_sampler *s, JNIEnv *env);
/** The recording begins. Needs the agent's lock. */
void wall_virtual_join(const struct recording *r);
/** No thread looks any more: release what is kept. Needs the agent's lock. */
void wall_virtual_close(JNIEnv *env);
