/*
 * life_run.h - begins a recording in a VM that runs, and handles the events of the VM while recordings
 * run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/engine.h"

struct agent;
struct recording;

/**
 * Write the header, announce the threads, and start the engines. The engines of `fresh` are not at
 * work yet.
 * Errors: 0; negative after a message: the caller must end the recording. Context: java; the lock
 * of life is held.
 */
int life_run(struct agent *a, JNIEnv *env, struct recording *r, engine_set fresh);
/**
 * From now on tell the engines of the end of virtual threads that the agent knows, until the last
 * recording has ended. Context: java.
 */
void life_run_hear_virtual_ends(struct agent *a);
