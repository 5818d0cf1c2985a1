/*
 * jvmpi_alloc_inject.h - allocations as injected code tells of them, on JDK 8.
 *
 * Seen are objects whose constructor reaches that of Object, arrays that bytecode makes, and what
 * the VM tells of (clones and reflection that are not compiled). Not seen: arrays and strings that
 * native code makes; clones by compiled code, where OBJECT_ALLOC was not on from the start.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdint.h>

typedef void jvmpi_alloc_inject_seen(JNIEnv *env, jobject object, jclass klass, uint64_t bytes,
                                     void *arg);

/** Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_alloc_inject_on(JNIEnv *env, jvmpi_alloc_inject_seen *seen);
void jvmpi_alloc_inject_off(void);
