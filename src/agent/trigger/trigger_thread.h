/*
 * trigger_thread.h - the thread that carries out the actions of triggers.
 *
 * The thread that sees a trigger's event leaves a note for this thread and goes on. If the action
 * is to write the heap, it waits until the heap is frozen.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct trigger_watch;

/** Start the thread. Errors: 0, or -1 after a message. Context: java, the agent's lock held. */
int trigger_thread_begin(struct agent *a, JNIEnv *env);
/** End the thread after its current action. Context: any. */
void trigger_thread_end(void);
/**
 * The VM is about to end: wait until all actions are done, at most a minute. Context: java, no
 * lock.
 */
void trigger_thread_drain(void);
/**
 * The event of `w` has happened. `what` describes it in a line; `stack` has the lines of the
 * thread's stack (may be NULL). Both come from malloc(), and this function frees them.
 * Context: any, also gc, but not signal; java if the trigger of `w` can hold its thread.
 */
void trigger_thread_fire(struct trigger_watch *w, char *what, char *stack);
