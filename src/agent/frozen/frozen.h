/*
 * frozen.h - the heap of this VM at one moment, for an engine that reads it (heap=dump,
 * heap=histo).
 *
 * A walk of JVM TI (FollowReferences) begins, and its first callbacks name the roots. Then the
 * process forks. The application goes on after some milliseconds, and the child has a heap that
 * does not change as long as the child lives. If no child is possible, the work is done inside the
 * pause, by JVM TI alone. The work is a `struct frozen_use`: this folder knows no file, no record
 * and no table.
 * docs/heap-dump-how.md has the reasons. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/frozen/frozen_state.h"
#include "heapwalk/heap_find.h"

/** Call this once, before all other functions; the caller has set agent, use and self. Errors: 0;
 * E_UNSUPPORTED: the VM lets nobody tag objects; -ENOMEM. Context: java. */
int frozen_open(struct frozen *f, JNIEnv *env);
/** Give back what frozen_open() has taken, if it has taken anything. No child may be at work.
 * Context: java. */
void frozen_close(struct frozen *f, JNIEnv *env);
/**
 * Freeze the heap and do the work of `use`. After the return a child may be at work (watch.child);
 * if so, ended() is called later.
 * Errors: 0; the error of prepare() or in_pause(), with status->why.
 * Context: java, lock held.
 */
int frozen_take(struct frozen *f, JNIEnv *env);
/** The meaning of a value of inpause=: y, n, or another word. */
enum frozen_pause frozen_pause_of(const char *word);
/** In the child: find the objects of the heap, beginning with the roots. Errors: as
 * heap_find_run(), with *ret_why. */
int frozen_find(struct frozen *f, struct heap_find *ret_find, const char **ret_why);
enum { FROZEN_PAUSE_TEXT = 96 };
/** What a line about a pause says of it: words to be put behind its length, or none. */
const char *frozen_pause_text(const struct frozen *f, char dst[FROZEN_PAUSE_TEXT]);
/** Wait until no child is at work any more. Context: java, agent's lock not held. */
void frozen_settle(struct frozen *f);
