/*
 * jvmpi_native.h - METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT of native methods: natives=y.
 *
 * Native methods have no code into which a probe could be woven, so the events of the VM are used.
 * The VM sends them for each call of each method, and runs the methods in its interpreter
 * meanwhile, which is many times slower.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdint.h>

/** The functions that are told of the calls. Context: java, in the VM's events. */
struct jvmpi_native_calls {
    /* the number that stands for a method from its first call on */
    uint32_t (*number)(jmethodID method);
    void (*begin)(JNIEnv *env, uint32_t number);
    void (*end)(JNIEnv *env, uint32_t number);
};

/** Get the VM's capabilities early, if natives=y was given. Errors: 0, E_UNSUPPORTED. Context:
 * OnLoad. */
int jvmpi_native_open(void);
/**
 * Turn one of the events on or off; nothing happens without natives=y. `calls` is static.
 * Context: java.
 */
void jvmpi_native_on(const struct jvmpi_native_calls *calls);
void jvmpi_native_off(void);
