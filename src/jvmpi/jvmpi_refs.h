/*
 * jvmpi_refs.h - JNI_GLOBALREF_ALLOC, JNI_GLOBALREF_FREE and the same events of weak references.
 *
 * JNI's functions are replaced while one of the events is on. References that the VM makes for
 * itself, and references of the bridge, are not told.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdint.h>

/** Turn one of the events on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_refs_on(JNIEnv *env);
void jvmpi_refs_off(void);

/* While JNI_GLOBALREF_ALLOC is on, a dump of the heap names the references that agents know. */
/** Begin a walk of the heap. Returns the number of the walk. Context: any. */
uint32_t jvmpi_refs_begin_walk(void);
/** A global reference to this object that an agent has heard of and that this walk has not returned
 * yet; NULL: there is none. Context: gc. */
jobject jvmpi_refs_next(jobjectID id, uint32_t walk);
