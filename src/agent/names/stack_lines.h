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
/**
 * One line such as "\tat Acme.work(Acme.java:7)\n" for each frame; frames of trackers are left out.
 * Owner: the caller frees the text; NULL: no memory.
 */
char *stack_lines_of(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *frames, jint count);
/**
 * The lines of the calling thread's innermost 64 frames. If `made` is not NULL, the constructors
 * that make an object of this class are left out. Owner: as stack_lines_of().
 */
char *stack_lines_here(jvmtiEnv *jvmti, JNIEnv *env, jclass made);
