/*
 * jvmpi_code.h - COMPILED_METHOD_LOAD and COMPILED_METHOD_UNLOAD.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** Turn one of the events on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_code_load_on(JNIEnv *env);
void jvmpi_code_load_off(void);
int jvmpi_code_unload_on(JNIEnv *env);
void jvmpi_code_unload_off(void);
/**
 * Tell each compiled method once to the agents that have wanted COMPILED_METHOD_LOAD since
 * JVM_OnLoad.
 * Context: java, in VMInit.
 */
void jvmpi_code_replay(JNIEnv *env);
