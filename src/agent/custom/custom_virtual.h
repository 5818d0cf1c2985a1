/*
 * custom_virtual.h - virtual threads in events of the application: the model has rows for those
 * that have committed one, up to a number, since there may be millions; those beyond share one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "profile/profile.h"

struct agent;

enum { CUSTOM_VIRTUAL_NAME = 128 };

/** The number of the calling thread, 0 where it is no virtual one, and its name, "" if it has none.
 * Context: java. */
jlong custom_virtual_read(struct agent *a, JNIEnv *env, char ret_name[CUSTOM_VIRTUAL_NAME]);
/** Its row in the model; 0 where memory is used up. Needs the agent's lock. */
thread_id custom_virtual_row(struct agent *a, jlong number, const char *name);
/** The model ends. Needs the agent's lock. */
void custom_virtual_release(void);
