/*
 * trigger_thread.h - the thread that does what triggers ask for when they fire.
 *
 * The thread that sees a trigger's moment leaves a note and goes on; for the heap it stands still
 * until that is frozen.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct trigger_watch;

/** What may be done from now on. Errors: 0, or -1 after a message. Context: java, the agent's lock
 * held. */
int trigger_thread_begin(struct agent *a, JNIEnv *env);
/** The thread ends when it has done what it is at. Context: any. */
void trigger_thread_end(void);
/** The VM is about to die: wait until all is done, or has taken absurdly long. Context: java, no
 * lock. */
void trigger_thread_drain(void);
/**
 * It has happened. `what` says it in a line, `stack` the lines of the thread's stack (may be NULL).
 * Both must come from malloc() and are taken over. Context: any, also gc; not signal; where the
 * row of `w` can hold: java.
 */
void trigger_thread_fire(struct trigger_watch *w, char *what, char *stack);
