/*
 * life_end.h - ends a recording: its last tables, its file, and what it uses of the VM.
 *
 * Context: java; the lock of life is held. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/engine.h"

struct agent;
struct recording;

/**
 * End a recording and release everything that only it used. Errors: 0; E_VM_STATE: it has ended
 * already.
 */
int life_end(struct agent *a, JNIEnv *env, struct recording *r);
/** End all recordings, because the VM dies. */
void life_end_all(struct agent *a);
/**
 * Release everything after the end, or after a failed start. After that nothing of ours is in the
 * VM, except classes whose injected code calls nothing any more, or that still wait for their own
 * code. If an engine cannot release something, that and everything it may use stays, and no
 * recording begins any more.
 * Errors: 0, or negative after a message.
 */
int life_end_release(struct agent *a, JNIEnv *env, struct recording *r, engine_set set);
/**
 * Release one recording while others go on. `gone` are its engines that no other recording uses.
 */
void life_end_release_one(struct agent *a, JNIEnv *env, struct recording *r, engine_set gone);
/** Release engines that failed to start, so that they may be tried again. */
void life_end_release_failed(struct agent *a, JNIEnv *env);
/** Free the recording itself, and its place. */
void life_end_free(struct agent *a, struct recording *r);
