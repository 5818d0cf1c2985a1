/*
 * jvmpi_sleep.h - reports threads that sleep in Thread.sleep, also virtual threads.
 *
 * From JDK 21 on injected code in java.lang.Thread reports them. Before JDK 21 Thread.sleep is a
 * native method; it is replaced by a function of ours, which calls the old one and stays in place.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** The functions that are told, in the thread that sleeps. Context: java. */
struct jvmpi_sleep_seen {
    void (*begins)(JNIEnv *env, jlong ms); /* the thread is about to sleep for so long */
    /* the thread has slept for so long, or was interrupted */
    void (*ends)(JNIEnv *env, jlong ms);
};

/** Begin to report, and stop. `seen` is static. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_sleep_on(JNIEnv *env, const struct jvmpi_sleep_seen *seen);
void jvmpi_sleep_off(void);
