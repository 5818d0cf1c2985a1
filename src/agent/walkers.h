/*
 * walkers.h - choosing a stack walker, and turning its frames into the model's.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "profile/profile.h"
#include "safe/walk.h"

struct agent;

/**
 * Prepare the walker of that name ("" = the best that works in this VM).
 * Errors: NULL after a message. Context: java.
 */
const struct walker *walkers_prepare(struct agent *a, JNIEnv *env, const char *name);
/** A class has been prepared: make what the chosen walker needs of it. Context: java. */
void walkers_class_prepare(struct agent *a, jclass klass);
/** The model's frame for a walker's. 0: the method is gone, or no memory. Context: java, lock held.
 */
frame_id walkers_frame(struct agent *a, const struct walker *walker,
                       const struct walk_frame *frame);
