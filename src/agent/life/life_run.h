/*
 * life_run.h - a recording begins in a VM that lives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/engine.h"

struct agent;
struct recording;

/**
 * Header, threads, engines; those of `fresh` work for nobody yet. Errors: 0, or negative after a
 * message: the recording is to be ended. Context: java; the lock of life is held.
 */
int life_run(struct agent *a, JNIEnv *env, struct recording *r, engine_set fresh);
