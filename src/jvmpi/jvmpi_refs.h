/*
 * jvmpi_refs.h - JNI_GLOBALREF_ALLOC, JNI_GLOBALREF_FREE and the same of weak references.
 *
 * JNI's functions are replaced while one of the events is on. References that the VM makes for
 * itself, and those of the bridge, are not told. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** One of the events is wanted now, or none any longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_refs_on(JNIEnv *env);
void jvmpi_refs_off(void);
