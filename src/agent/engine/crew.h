/*
 * crew.h - the engines of a recording come and go: the steps of their lives, for a set of them.
 *
 * Steps are in the order of the registry. Context: java; the lock of life is held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/engine.h"

/** Errors: the first engine's, after its message. Context: also OnLoad. */
int crew_prepare(const struct options *o, engine_set set);
/**
 * Engines to which the VM refuses what they need have said so, and are not in *ret_loaded. Errors:
 * 0, or negative after a message. Context: also OnLoad.
 */
int crew_load(struct agent *a, engine_set set, engine_set *ret_loaded);
/**
 * Errors: E_UNSUPPORTED when one has not started, and is not in *ret_started; all have been tried.
 * Needs the agent's lock.
 */
int crew_start(struct agent *a, JNIEnv *env, engine_set set, engine_set *ret_started);
/** The recording begins with these of its engines: all or none. Needs the agent's lock. */
int crew_join(struct agent *a, struct recording *r, engine_set set);
void crew_part(struct agent *a, struct recording *r);
/** All engines at work: agent.options have changed. Errors: the first one's. Needs the lock. */
int crew_retune(struct agent *a);
/** No lock held, as for the rest. */
void crew_ready(struct agent *a, engine_set set);
/** The lock of life is not held. */
void crew_dying(struct agent *a, JNIEnv *env);
void crew_stop(struct agent *a, engine_set set);
/**
 * Give everything back, and what is kept for threads. Returns the engines that could not: they run
 * no more in this VM.
 */
engine_set crew_release(struct agent *a, JNIEnv *env, engine_set set);
