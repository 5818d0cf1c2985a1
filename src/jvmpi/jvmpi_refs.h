/*
 * jvmpi_refs.h - JNI_GLOBALREF_ALLOC, JNI_GLOBALREF_FREE and the same of weak references.
 *
 * JNI's functions are replaced while one of the events is on. References that the VM makes for
 * itself, and those of the bridge, are not told. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdint.h>

/** One of the events is wanted now, or none any longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_refs_on(JNIEnv *env);
void jvmpi_refs_off(void);

/* A dump of the heap names references that agents know, while JNI_GLOBALREF_ALLOC is on. */
/** The number of a walk of the heap. Context: any. */
uint32_t jvmpi_refs_begin_walk(void);
/** A global reference to this object that an agent has heard of and that has not been asked for in
 * this walk so far; NULL: there is none. Context: gc. */
jobject jvmpi_refs_next(jobjectID id, uint32_t walk);
