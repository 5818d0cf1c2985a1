/*
 * monitor_note.h - contention and waits are noted by the thread that meets them.
 *
 * The thread takes its stack and enters all in the table of monitor_table.h; nothing here waits for
 * the agent's lock but a thread that is not known yet. What must touch the file or the model is
 * done by whoever has the lock: the next event that finds it free, or a dump. docs/monitor.md.
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

/** The row, by which the recordings are found that it works for. */
extern const struct engine engine_monitor;

/** Memory for the table. Errors: 0, -ENOMEM. */
int monitor_note_init(size_t budget);
/** Give it back. Context: any; nothing is noted any more. */
void monitor_note_done(void);
/** What the rest uses; before any event. */
void monitor_note_open(struct agent *a, jvmtiEnv *jvmti);

/**
 * The row of the calling thread's stack but its `skip` innermost frames, and of the class of
 * `object`, which may be NULL. 0: no memory, the contention counts in the total. Context: java.
 */
uint32_t monitor_note_row(JNIEnv *env, const struct thread *self, enum blocked_by by,
                          jobject object, int skip);
/** One contention has ended. Context: java. */
void monitor_note_add(uint32_t row, uint64_t ns);
/** A part of one that has not ended, which is not counted yet. Context: any, not signal. */
void monitor_note_add_time(uint32_t row, uint64_t ns);
/** A WAIT or WAITED line. Context: java. */
void monitor_note_line(JNIEnv *env, const struct thread *self, jobject object, int waited,
                       int64_t ms);

/* All below need the agent's lock. Context: java. */

/** Write the lines into the files of all recordings that have monitors, and give each row its
 * trace. */
void monitor_note_settle(struct agent *a);
/** Count what has come since the last time for each of these recordings. */
void monitor_note_count(struct agent *a);
/** MONITOR TIME, of what was counted since the last one; its TRACEs must be in the file. */
void monitor_note_write_time(struct recording *r);
/** A recording begins: what was lost before is not its. */
void monitor_note_join(const struct recording *r);
/** How many contentions have been counted for it since it began, whatever tables have shown. */
uint64_t monitor_note_hits(const struct recording *r);
/** What was lost. */
void monitor_note_set_quality(struct recording *r);
