/*
 * custom_virtual.h - virtual threads in events of the application.
 *
 * The model gets a row for each virtual thread that has committed an event. There may be millions
 * of such threads, so their rows are limited to 6144; all further virtual threads share one row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "profile/profile.h"

struct agent;

enum { CUSTOM_VIRTUAL_NAME = 128 };

/** Returns the number of the calling thread if it is virtual, otherwise 0. ret_name gets its name,
 * "" if it has none. Context: java. */
jlong custom_virtual_read(struct agent *a, JNIEnv *env, char ret_name[CUSTOM_VIRTUAL_NAME]);
/** The row of a virtual thread in the model; 0: no memory. Needs the agent's lock. */
thread_id custom_virtual_row(struct agent *a, jlong number, const char *name);
/** Forget all rows, because the model ends. Needs the agent's lock. */
void custom_virtual_release(void);
