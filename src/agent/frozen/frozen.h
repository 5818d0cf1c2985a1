/*
 * frozen.h - the heap of this VM at one moment, for whoever has something to do with it.
 *
 * The way of all ways: a walk of JVM TI begins (FollowReferences), its first callbacks name the
 * roots, and then the process forks: the application goes on after milliseconds, and the child has
 * a heap that stands still for as long as it likes. Where that cannot be, the work is done inside
 * the pause, by JVM TI alone. What is done is a `struct frozen_use`: this part knows no file, no
 * record and no table.
 * docs/heap-dump-how.md has the reasons. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/frozen/frozen_state.h"
#include "heapwalk/heap_find.h"

/** Once, before all else; agent, use and self are set. Errors: 0; E_UNSUPPORTED nobody may tag
 * objects, -ENOMEM. Context: java. */
int frozen_open(struct frozen *f, JNIEnv *env);
/** Give back what frozen_open() has taken, if it has; no child is there. Context: java. */
void frozen_close(struct frozen *f, JNIEnv *env);
/**
 * Freeze the heap and do what `use` says. Behind it a child may be at work (watch.child), and
 * ended() follows. Errors: 0; what prepare() or in_pause() had, and status->why. Context: java,
 * lock held.
 */
int frozen_take(struct frozen *f, JNIEnv *env);
/** What inpause= says: y, n, or anything else. */
enum frozen_pause frozen_pause_of(const char *word);
/** In the child: its objects, from the roots on. Errors: as heap_find_run(), with *ret_why. */
int frozen_find(struct frozen *f, struct heap_find *ret_find, const char **ret_why);
/** Wait until no child is at work any more. Context: java, agent's lock not held. */
void frozen_settle(struct frozen *f);
