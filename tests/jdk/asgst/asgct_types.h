/*
 * asgct_types.h - the types of AsyncGetCallTrace, as programs that call it declare them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ASGCT_TYPES_H
#define ASGCT_TYPES_H

#include <jni.h>

typedef struct {
    jint lineno;
    jmethodID method_id;
} ASGCT_CallFrame;

typedef struct {
    JNIEnv *env_id;
    jint num_frames;
    ASGCT_CallFrame *frames;
} ASGCT_CallTrace;

#endif
