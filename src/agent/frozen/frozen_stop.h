/*
 * frozen_stop.h - how long work inside the pause would stop the program, and whether this is
 * allowed.
 *
 * The walks of JVM TI take a microsecond or more for each object. A user who asks a running program
 * for a dump does not expect it to stop for seconds. But if the program is ending, or waits because
 * its memory is used up, the dump is worth the time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct frozen;

/**
 * Whether the work may be done inside the pause; `why` is the reason why there is no child. If the
 * work is allowed and will take more than a second, a message says so. If it is not allowed,
 * status->why gets the reason.
 * Context: java, lock held.
 */
bool frozen_stop_may_be(struct frozen *f, JNIEnv *env, const char *why);
