/*
 * jvmpi_trace.h - GetCallTrace.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>

/** Fill `trace` with the innermost `depth` frames of the thread that its env_id names; 0 frames if
 * there is no such thread. Frames of our trackers are left out. Context: java; no thread need be
 * suspended. */
void jvmpi_trace_get(JVMPI_CallTrace *trace, jint depth);
/** How many of these innermost frames belong to a tracker. Context: java. */
jint jvmpi_trace_own(JNIEnv *env, const jvmtiFrameInfo *frames, jint count);
/** A frame in the form of call traces. Context: java. */
JVMPI_CallFrame jvmpi_trace_frame(JNIEnv *env, const jvmtiFrameInfo *frame);
