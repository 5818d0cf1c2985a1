/*
 * monitor.h - what the monitor engine keeps for each thread, notes and dumps.
 *
 * A thread that meets contention or waits makes a note (monitor_note.c): it takes its stack and
 * enters it in the table of monitor_table.h. It does not wait for the agent's lock, except if the
 * thread is not known yet. Work on the file or the model is done by the next event that finds the
 * lock free, or by a dump. docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/blocked/blocked.h"
#include "agent/names/threads.h"

struct agent;
struct engine;
struct recording;
struct thread;

/* ---- each thread */

/** A time that a thread is blocked, from its beginning to its end. */
struct monitor_thread_blocked {
    uint32_t row; /* the row of what blocks the thread */
    /*
     * The time from which on the wait is not counted yet; a recording that begins moves it on. 0:
     * the thread is not blocked. Written after `row`.
     */
    _Atomic uint64_t since_ns;
};

/** Written by the thread itself. A dump also reads `waits_for`, under a lock of its own. */
struct monitor_thread {
    struct blocked_thread blocked; /* first */
    struct monitor_thread_blocked enter, park;
    jobject waits_for; /* global reference; monitor_dump.c */
};

/** The row of the struct monitor_thread in the records of threads. */
extern struct vm_threads_row monitor_note_row_of_thread;

static inline struct monitor_thread *monitor_thread_of(const struct thread *t)
{
    return vm_threads_slot(t->vm, &monitor_note_row_of_thread);
}

/* ---- notes, made by the threads that meet contention or wait: monitor_note.c */

/** The engine's row; the recordings that use the engine are found by it. */
extern const struct engine engine_monitor;

/** Make the table. Errors: 0, -ENOMEM. */
int monitor_note_init(size_t budget);
/** Free the table. Context: any; nothing is noted any more. */
void monitor_note_done(void);
/** Set what the other functions use; call it before any event. */
void monitor_note_open(struct agent *a, jvmtiEnv *jvmti);

/**
 * The row for the calling thread's stack without its `skip` innermost frames, and for the class of
 * `object`, which may be NULL. 0: no memory; then the contention counts only in the total. Context:
 * java.
 */
uint32_t monitor_note_row(JNIEnv *env, const struct thread *self, enum blocked_by by,
                          jobject object, int skip);
/** Count a contention that has ended. Context: java. */
void monitor_note_add(uint32_t row, uint64_t ns);
/**
 * Add time of a contention that has not ended; the contention itself is not counted yet. Context:
 * any, not signal.
 */
void monitor_note_add_time(uint32_t row, uint64_t ns);
/** Note a WAIT or WAITED line. Context: java. */
void monitor_note_line(JNIEnv *env, const struct thread *self, jobject object, int waited,
                       int64_t ms);

/* All functions below need the agent's lock. Context: java. */

/**
 * Write the noted lines into the files of all recordings that have monitors, and give each row its
 * trace.
 */
void monitor_note_settle(struct agent *a);
/** Count what has been noted since the last call, for each of these recordings. */
void monitor_note_count(struct agent *a);
/**
 * Write the table MONITOR TIME with the sums since the last one. Its TRACEs must be in the file
 * already.
 */
void monitor_note_write_time(struct recording *r);
/** A recording begins: losses before now do not count for it. */
void monitor_note_join(const struct recording *r);
/** How many contentions have been counted for the recording since it began, in all tables. */
uint64_t monitor_note_hits(const struct recording *r);
/** Set the quality counts of what was lost. */
void monitor_note_set_quality(struct recording *r);

/*
 * monitor_dump.c: MONITOR DUMP: the state of every thread, and which threads own or want each
 * monitor.
 */

/**
 * Note the object that the calling thread waits for (NULL: none), because not all JDKs report it.
 * Context: java.
 */
void monitor_dump_note_wait(JNIEnv *env, struct thread *self, jobject object);
/**
 * Write the dump, and all TRACEs in front of it. The call uses the tags of `jvmti`, which must have
 * no other use. The threads go on meanwhile, so each line shows a moment of its own.
 * Context: java, agent's lock held.
 */
void monitor_dump_write(struct agent *a, struct recording *r, JNIEnv *env, jvmtiEnv *jvmti);
