/*
 * frozen_stop.h - how long the program would stand still for work that is done inside the pause,
 * and whether that may be.
 *
 * JVM TI's own walks take a microsecond and more for an object. Nobody who asks a running program
 * for a dump expects it to stand for seconds; where it ends, or stands because its memory is out,
 * the dump is worth them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct frozen;

/**
 * Whether the work may be done inside the pause for that reason. If it may and it will be longer
 * than a second, a line says so; if not, status->why is the reason. Context: java, lock held.
 */
bool frozen_stop_may_be(struct frozen *f, JNIEnv *env, const char *why);
