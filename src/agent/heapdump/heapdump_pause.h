/*
 * heapdump_pause.h - a heap dump inside the pause, by JVM TI alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct heapdump;

/** Write the dump. Errors: 0 or negative. Context: java; the agent's lock is not held, because the
 * function waits for the file. */
int heapdump_pause_write(struct heapdump *d, JNIEnv *env);
