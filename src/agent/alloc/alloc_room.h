/*
 * alloc_room.h - makes the VM's table of tags large enough for a tag on every object.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

/**
 * Make the table larger. Call this once, before any object has a tag in the environment `jvmti`. If
 * the table does not have the form that tag_chains.h knows, nothing is changed. Context: java.
 */
void alloc_room_make(jvmtiEnv *jvmti, JNIEnv *env);
/**
 * A new object will get its tag soon. Fetch the part of the table that SetTag will read into the
 * caches, while the caller does something else. `object` is a local reference. Returns the chain to
 * which the object belongs; 0: not known. Context: java.
 */
uint64_t alloc_room_expect(jobject object);
/** Called some time later: fetch the first entry of the chain. `chain` may be 0. Context: java. */
void alloc_room_expect_chain(uint64_t chain);
/** Forget the table, because the environment is closed and the table goes with it. Context: any. */
void alloc_room_forget(void);
