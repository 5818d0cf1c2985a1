/*
 * alloc_room.h - makes the VM's table of tags fit for a tag on every object.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

/**
 * Once, before anything has a tag in the environment `jvmti`. Where the table is another one than
 * tag_chains.h knows, nothing is changed. Context: java.
 */
void alloc_room_make(jvmtiEnv *jvmti, JNIEnv *env);
/**
 * A new object is about to get its tag: fetch what SetTag will read of that table into the caches,
 * while the caller does something else. `object` is a local reference. The chain that the object
 * belongs to; 0: not known. Context: java.
 */
uint64_t alloc_room_expect(jobject object);
/** Some time later: fetch the chain's first entry. `chain` may be 0. Context: java. */
void alloc_room_expect_chain(uint64_t chain);
/** The environment goes, and its table with it. Context: any. */
void alloc_room_forget(void);
