/*
 * monitor_dump.h - MONITOR DUMP: every thread, what it does, and who has and wants which monitor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct recording;
struct thread;

/** Note what the calling thread waits for, NULL nothing: not all JDKs tell. Context: java. */
void monitor_dump_note_wait(JNIEnv *env, struct thread *self, jobject object);
/**
 * Write the dump, and all TRACEs in front of it. Tags of `jvmti` are used for the time of the call
 * and must not be used otherwise. The threads go on, so each line is of its own moment.
 * Context: java, agent's lock held.
 */
void monitor_dump_write(struct agent *a, struct recording *r, JNIEnv *env, jvmtiEnv *jvmti);
