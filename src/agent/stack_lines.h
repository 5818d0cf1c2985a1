/*
 * stack_lines.h - stacks as lines of text, as the VM prints them.
 *
 * Context: java, no lock needed. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/** The environment that has the capabilities for line numbers. */
jvmtiEnv *stack_lines_env(const struct agent *a);
/** "\tat Acme.work(Acme.java:7)\n" for each frame; those of trackers are left out. Owner: the
 * caller frees it; NULL without memory. */
char *stack_lines_of(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *frames, jint count);
/** Those of the calling thread, the innermost 64; `made` (may be NULL): without the constructors
 * that make an object of this class. Owner: as above. */
char *stack_lines_here(jvmtiEnv *jvmti, JNIEnv *env, jclass made);
