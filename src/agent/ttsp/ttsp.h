/*
 * ttsp.h - what the files of event=ttsp share: the watcher of safepoints.
 *
 * A thread of the agent looks at the VM once a pace (hotspot/vm_safepoint.h); with a watchpoint it
 * waits instead until the VM begins to stop threads. If the VM has waited for some time, the
 * threads that it waits for are asked for their stacks by a signal (safe/poke.h), because they run
 * Java or the VM's code and do not stop. When all have come, a struct ttsp_stop goes into a queue.
 * Whoever has the agent's lock takes it out and tells the recordings. The watcher never waits for
 * the lock: during a stop another thread may hold it and be stopped.
 *
 * The handler reads what poke.h and the walker document. The watcher reads the VM's memory by
 * guarded loads, and the cells, of which it is the asker.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/stack_source/callstack.h"
#include "hotspot/vm_safepoint.h"
#include "safe/bell.h"
#include "safe/poke.h"

struct recording;
struct thread;

enum {
    TTSP_LATE = 8, /* late threads that are asked for their stacks, of one safepoint */
    TTSP_CELLS = 64,
    TTSP_QUEUE = 32,
    TTSP_ENDED = 32,
};

/** A thread for which the VM waits. */
struct ttsp_late {
    struct vm_safepoint_late thread;
    uint64_t seen_ns; /* when it was last seen late */
    /* a question without an answer yet, and the last answer; NULL: none */
    struct poke_cell *asked, *answer;
};

/** Tells when the VM begins a safepoint. */
struct ttsp_watchpoint {
    bool is_open;
    int fd;
    void *ring;
};

/** A safepoint that was late; or several that one look has found. */
struct ttsp_stop {
    uint64_t end_ns, ns;
    uint64_t stops;
    const char *operation; /* text of the VM; NULL: not known */
    bool was_looked_at;    /* there was a look for late threads */
    uint32_t late_threads; /* the most at one moment */
    struct ttsp_late last; /* the one that was late at the last look; java_thread 0: none */
};

struct ttsp_counts {
    uint64_t shorter, shorter_ns, events, nobody, unseen, after, failed, lost;
};

/** The safepoint that the VM waits for. */
struct ttsp_now {
    bool lasts;
    bool was_looked_at;
    uint32_t quiet_looks; /* which said that the VM does not wait any more */
    uint64_t begin_ns;    /* when it began, or when it was first seen */
    uint64_t asked_ns;    /* when threads were last asked; 0: never */
    const char *operation;
    uint32_t most, count, last; /* `last`: index of the last thread */
    struct ttsp_late late[TTSP_LATE];
};

/** What the looks have told so far. */
struct ttsp_seen {
    uint64_t reached, waited_ns; /* count of the safepoints that were reached, and their times */
    uint64_t late_ns;            /* when a thread was last late, or when the looks began */
    /* when the rate of safepoints was last looked at, and their count then */
    uint64_t weighed_ns, weighed_begun;
    uint32_t fresh_looks; /* still to come after the watchpoint has told */
};

/** `put` belongs to the watcher, `taken` to the holder of the agent's lock. */
struct ttsp_queue {
    struct ttsp_stop stops[TTSP_QUEUE];
    _Atomic uint32_t put, taken;
};

/** The last threads that have ended; the agent's lock guards them. */
struct ttsp_ended {
    struct {
        uint64_t java_thread, end_ns;
        thread_id id;
    } threads[TTSP_ENDED];
    uint32_t next;
};

/** The agent's thread that looks. */
struct ttsp_watcher {
    struct bell wake, stopped;
    _Atomic bool stop;
    bool runs;
};

struct ttsp {
    struct agent *agent;
    struct vm_safepoint vm;
    bool is_open; /* `vm` is */
    struct poke poke;
    _Atomic bool is_orphan[TTSP_CELLS]; /* nobody wants the answer */
    struct ttsp_watchpoint watchpoint;
    _Atomic bool is_told; /* the watchpoint is there from the start */
    struct ttsp_watcher watcher;
    _Atomic uint64_t least_ns; /* the lowest threshold of all recordings */
    struct ttsp_seen seen;
    struct ttsp_now now;
    struct ttsp_queue queue;
    _Atomic uint64_t shorter, shorter_ns, lost; /* below `least_ns`; without room in the queue */
    /* by the places of recordings; in `before` the three counts above when the recording began */
    struct ttsp_counts before[AGENT_RECORDINGS], of[AGENT_RECORDINGS];
    struct ttsp_ended ended;
    struct callstack stack; /* that is being told */
};

/* ttsp_watchpoint.c */

/** Watch a word that the VM writes when it begins a safepoint (vm_safepoint_word()). Returns
 * whether this is possible here. Owner: ttsp_watchpoint_close(). */
bool ttsp_watchpoint_open(struct ttsp_watchpoint *w, uint64_t word);
void ttsp_watchpoint_close(struct ttsp_watchpoint *w);
/** Wait until the word is written, for `ms` milliseconds at most. Returns whether it was; closes
 * the watchpoint if it does not work any more. */
bool ttsp_watchpoint_wait(struct ttsp_watchpoint *w, uint32_t ms);

/* ttsp_watch.c: the thread that looks. */

/** How many ms pass between two looks. */
uint32_t ttsp_watch_pace_ms(const struct ttsp *t);
/** Forget the safepoints so far. Call it before the thread is started. */
void ttsp_watch_begin(struct ttsp *t);
/** Argument: the struct ttsp. */
void JNICALL ttsp_watch_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument);
/** Give back the question to a thread and its answer. Context: any, not signal. */
void ttsp_watch_leave(struct ttsp *t, struct ttsp_late *late);
/** The thread has ended and no handler uses a cell: give back all questions and answers. */
void ttsp_watch_end(struct ttsp *t);

/* ttsp_tell.c: from the queue to the recordings. Needs the agent's lock. Context: java. */

/** Tell what waits in the queue. `is_last`: also what waits for the answer of its thread. */
void ttsp_tell(struct ttsp *t, bool is_last);
/** A thread ends; a stop for which it was late may still be in the queue. */
void ttsp_tell_ended(struct ttsp *t, const struct thread *thread);
