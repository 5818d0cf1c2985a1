/*
 * jvmpi_alloc_inject.h - allocations that injected code reports, on JDK 8.
 *
 * Reported are objects whose constructor reaches the constructor of Object, arrays that bytecode
 * makes, and objects that the VM reports (clones and reflection that are not compiled). Not
 * reported are arrays and strings that native code makes; and clones by compiled code, if
 * OBJECT_ALLOC was not on from the start.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdint.h>

typedef void jvmpi_alloc_inject_seen(JNIEnv *env, jobject object, jclass klass, uint64_t bytes,
                                     void *arg);

/** Report objects to `seen`. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_alloc_inject_on(JNIEnv *env, jvmpi_alloc_inject_seen *seen);
void jvmpi_alloc_inject_off(void);
