/*
 * monitor_note.h - notes of contention and waits, made by the threads that meet them.
 *
 * The thread takes its stack and enters it in the table of monitor_table.h. It does not wait for
 * the agent's lock, except if the thread is not known yet. Work on the file or the model is done by
 * the next event that finds the lock free, or by a dump. docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/blocked/blocked.h"

struct agent;
struct engine;
struct recording;
struct thread;

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
