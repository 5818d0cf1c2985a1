/*
 * jvmpi_steady.h - the locks that are held across calls of the VM.
 *
 * A thread that SuspendThread has suspended in native code runs on to its next call of the VM,
 * where it stops and keeps all its locks. So a thread that holds one of these locks is never
 * suspended: a thread that suspends others takes all of the locks first. A thread that gets a lock,
 * but was suspended while it waited for the lock, gives the lock back.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>

enum jvmpi_steady {
    JVMPI_STEADY_SWITCHES, /* turning events on and off */
    JVMPI_STEADY_TAGS,     /* giving an object its first tag */
    JVMPI_STEADY_LOCKS,
};

/** Take a lock. A thread may take a later lock of the list while it holds an earlier one. `env` is
 * that of the calling thread; NULL if the VM does not know the thread. Context: any, not signal. */
void jvmpi_steady_take(JNIEnv *env, enum jvmpi_steady which);
void jvmpi_steady_give(enum jvmpi_steady which);
/**
 * Take all locks, to suspend threads: then none of the threads holds one. Returns false after a
 * second, because the owner of a lock may wait for a thread that the caller has suspended.
 * Context: java.
 */
bool jvmpi_steady_take_all(JNIEnv *env);
void jvmpi_steady_give_all(void);
