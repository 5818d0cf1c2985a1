/*
 * jvmpi_steady.h - the locks that are held across calls of the VM.
 *
 * A thread that SuspendThread has suspended goes on in native code to its next call of the VM,
 * where it stops with all that it holds. So nobody is suspended who holds one of these locks: who
 * suspends takes all of them, and who gets one and has been suspended while he waited for it gives
 * it back. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>

enum jvmpi_steady {
    JVMPI_STEADY_SWITCHES, /* of turning events on and off */
    JVMPI_STEADY_TAGS,     /* an object gets its first tag */
    JVMPI_STEADY_LOCKS,
};

/** Take a lock; a thread may take a later one while it holds an earlier one. `env`: the calling
 * thread's; NULL where the VM does not know it. Context: any, not signal. */
void jvmpi_steady_take(JNIEnv *env, enum jvmpi_steady which);
void jvmpi_steady_give(enum jvmpi_steady which);
/**
 * Take all, to suspend threads: none of them holds one then. Returns false after a second: who
 * holds one may wait for a thread that the caller has suspended. Context: java.
 */
bool jvmpi_steady_take_all(JNIEnv *env);
void jvmpi_steady_give_all(void);
