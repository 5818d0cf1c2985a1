/*
 * alloc_size.h - the size of an object without asking the VM for each one.
 *
 * Objects of a class are of one size, arrays of a class differ by their length alone. What a class
 * has in common is its measure, a number; it is made from what the VM says of one object and
 * believed only if it gives that. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct hs_layout;

/**
 * Learn this VM's arrays, and by its layout (NULL: unknown) its classes. Without it there are no
 * measures. Context: java.
 */
void alloc_size_prepare(jvmtiEnv *jvmti, JNIEnv *env, const struct hs_layout *vm);
/**
 * The bytes of a java.lang.Class of JDK 8; 0 unknown. GetObjectSize() gives the size of what the VM
 * keeps for the class outside the heap instead. Source: jvmtiEnv.cpp. Context: java.
 */
uint64_t alloc_size_of_class(JNIEnv *env, jclass klass);
/**
 * The measure of the class of an object that has `bytes`; `length` -1: it is no array. 0: none.
 * `klass` is no java.lang.Class, whose objects differ.
 */
uint32_t alloc_size_measure(jvmtiEnv *jvmti, jclass klass, uint64_t bytes, int32_t length);
/** The bytes of another object of it. `measure` is not 0. Context: any. */
uint64_t alloc_size_of(uint32_t measure, int32_t length);
