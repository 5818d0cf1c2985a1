/*
 * commit_native.h - the native methods of hprof.Bridge for events: define, words, commit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

struct agent;

enum { COMMIT_NATIVES = 3 };

/** The COMMIT_NATIVES methods, which work for the agent `a`; there is only one. Context: any. */
const JNINativeMethod *commit_native_methods(struct agent *a);
