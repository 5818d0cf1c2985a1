/*
 * life_end.h - a recording ends: its last tables, its file, and what it has taken of the VM.
 *
 * Context: java; the lock of life is held. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/engine.h"

struct agent;
struct recording;

/** A recording is told to end, and all of it is given back. Errors: 0; E_VM_STATE: it has ended. */
int life_end(struct agent *a, JNIEnv *env, struct recording *r);
/** Measuring ends, of all: the VM dies. */
void life_end_all(struct agent *a);
/**
 * After the end, or where a start has failed: nothing of ours is left in the VM but classes that
 * call nobody, or wait for their own code and call who no longer counts. What an engine cannot give
 * back stays with all that it may use, and nothing begins any more. Errors: 0, or negative after a
 * message.
 */
int life_end_release(struct agent *a, JNIEnv *env, struct recording *r, engine_set set);
/** The same for one recording while others go on, whose engines in `gone` nobody else has. */
void life_end_release_one(struct agent *a, JNIEnv *env, struct recording *r, engine_set gone);
/** Engines that have not started give back what they had got: they may be tried again. */
void life_end_release_failed(struct agent *a, JNIEnv *env);
/** The recording itself, and its place. */
void life_end_free(struct agent *a, struct recording *r);
