/*
 * jvmpi_stacks.h - the stacks of all threads at one moment, as dumps have them.
 *
 * A thread is among them when its THREAD_START has been told. Frames of our trackers are left out.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdbool.h>

struct jvmpi_stack {
    JNIEnv *env;
    jobjectID thread_id;
    jthread thread; /* a local reference of who has taken the stacks */
    const jvmtiFrameInfo *frames;
    jint count; /* of frames */
    jint own;   /* frames of a tracker, which lie above the others */
};

struct jvmpi_stacks {
    jvmtiStackInfo *infos; /* the VM's memory */
    struct jvmpi_stack *all;
    JVMPI_CallTrace *traces; /* one for each; NULL before jvmpi_stacks_trace() */
    jint count;
};

/** Take them, 1,024 frames of each thread at most. Returns false when there is no memory. Context:
 * java, with room for two local references a thread. Owner: the caller, by jvmpi_stacks_free(),
 * also then. */
bool jvmpi_stacks_take(struct jvmpi_stacks *s, JNIEnv *env);
/** Make the traces. Returns false when there is no memory. Context: java. */
bool jvmpi_stacks_trace(struct jvmpi_stacks *s, JNIEnv *env);
void jvmpi_stacks_free(struct jvmpi_stacks *s);
