/*
 * monitor_dump.h - MONITOR DUMP: the state of every thread, and which threads own or want each
 * monitor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct recording;
struct thread;

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
