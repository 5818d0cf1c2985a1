/*
 * jvmpi_sleep.h - hears of threads that sleep: Thread.sleep, on virtual threads too.
 *
 * From JDK 21 on by injected code in java.lang.Thread. Before, Thread.sleep is a native method, in
 * whose place another is put, which calls it; it stays there. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** Who is told, in the thread that sleeps. Context: java. */
struct jvmpi_sleep_seen {
    void (*begins)(JNIEnv *env, jlong ms); /* it is to sleep for so long */
    void (*ends)(JNIEnv *env, jlong ms);   /* it has slept for so long, or was interrupted */
};

/** `seen` is static. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_sleep_on(JNIEnv *env, const struct jvmpi_sleep_seen *seen);
void jvmpi_sleep_off(void);
