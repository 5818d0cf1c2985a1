/*
 * jvmpi_stacks.h - stacks as agents see them: GetCallTrace, and the stacks of all threads for
 * dumps.
 *
 * Frames of our trackers are left out.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdbool.h>

/** GetCallTrace: fill `trace` with the innermost `depth` frames of the thread that its env_id
 * names; 0 frames if there is no such thread. Context: java; no thread need be suspended. */
void jvmpi_stacks_get(JVMPI_CallTrace *trace, jint depth);

struct jvmpi_stack {
    JNIEnv *env;
    jobjectID thread_id;
    jthread thread; /* a local reference of the thread that has taken the stacks */
    const jvmtiFrameInfo *frames;
    jint count; /* count of frames */
    jint own;   /* count of frames of a tracker, which lie above the others */
};

struct jvmpi_stacks {
    jvmtiStackInfo *infos; /* the VM's memory */
    struct jvmpi_stack *all;
    JVMPI_CallTrace *traces; /* one for each stack; NULL until jvmpi_stacks_trace() */
    jint count;
};

/**
 * Take the stacks of all threads at one moment, 1,024 frames of each thread at most. A thread is
 * included after its THREAD_START has been sent. Returns false if there is no memory.
 * Owner:   the caller, by jvmpi_stacks_free(), also after false.
 * Context: java, with room for two local references for each thread.
 */
bool jvmpi_stacks_take(struct jvmpi_stacks *s, JNIEnv *env);
/** Make the traces. Returns false if there is no memory. Context: java. */
bool jvmpi_stacks_trace(struct jvmpi_stacks *s, JNIEnv *env);
void jvmpi_stacks_free(struct jvmpi_stacks *s);
