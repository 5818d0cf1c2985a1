/*
 * crew.h - the steps in the life of an engine, each for a set of engines.
 *
 * A recording that begins takes its engines through prepare, load, start and join; a recording that
 * ends lets them go. Each step visits the engines in the order of the registry. Context: java; the
 * lock of life is held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/engine.h"

/** Reserve room for what all engines keep for each thread; call it before any thread is known. */
void crew_reserve(void);
/** Call prepare() of the engines. Errors: the error of the first engine that fails, after a
 * message. Context: also OnLoad. */
int crew_prepare(const struct options *o, engine_set set);
/**
 * Get what the engines need of the VM, and call their load(). If the VM refuses what an engine
 * needs, a message has said so, and *ret_loaded is without this engine.
 * Errors: 0, or negative after a message. Context: also OnLoad.
 */
int crew_load(struct agent *a, engine_set set, engine_set *ret_loaded);
/**
 * Call start() of all engines, also after one of them has failed. *ret_started has the engines that
 * have started.
 * Errors: E_UNSUPPORTED if at least one engine has not started. Needs the agent's lock.
 */
int crew_start(struct agent *a, JNIEnv *env, engine_set set, engine_set *ret_started);
/** The recording joins these of its engines. If an engine fails, the recording leaves all of them
 * again. Errors: the error of the engine that failed. Needs the agent's lock. */
int crew_join(struct agent *a, struct recording *r, engine_set set);
void crew_part(struct agent *a, struct recording *r);
/** Tell all engines at work that agent.options have changed. Errors: the error of the first engine
 * that fails. Needs the agent's lock. */
int crew_retune(struct agent *a);
/** Call ready() of the engines. The agent's lock is not held, here and in all functions below. */
void crew_ready(struct agent *a, engine_set set);
/** Tell all engines at work that the VM is about to die. The lock of life is not held. */
void crew_dying(struct agent *a, JNIEnv *env);
void crew_stop(struct agent *a, engine_set set);
/**
 * Call release() of the engines, and clear what they have kept for each thread. Returns the engines
 * that could not give back everything; such an engine runs no more in this VM.
 */
engine_set crew_release(struct agent *a, JNIEnv *env, engine_set set);
