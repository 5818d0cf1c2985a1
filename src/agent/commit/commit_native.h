/*
 * commit_native.h - the native methods of hprof.Bridge for events: define, words, commit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

enum { COMMIT_NATIVES = 3 };

extern const JNINativeMethod commit_native_methods[COMMIT_NATIVES];
