/*
 * jvmpi_native.h - METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT of native methods: natives=y.
 *
 * Native methods have no code that could be woven, so the VM tells of them. It does so of each call
 * of each method, which runs in its interpreter meanwhile: many times slower than without.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdint.h>

/** Who is told of the calls. Context: java, in the VM's events. */
struct jvmpi_native_calls {
    uint32_t (*number)(jmethodID method); /* that stands for a method from its first call on */
    void (*begin)(JNIEnv *env, uint32_t number);
    void (*end)(JNIEnv *env, uint32_t number);
};

/** Get early what the VM wants for it, where natives=y asks. Errors: 0, E_UNSUPPORTED. Context:
 * OnLoad. */
int jvmpi_native_open(void);
/** One of the events is wanted now, or none any longer; nothing happens without natives=y. `calls`
 * is static. Context: java. */
void jvmpi_native_on(const struct jvmpi_native_calls *calls);
void jvmpi_native_off(void);
