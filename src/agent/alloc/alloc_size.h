/*
 * alloc_size.h - the size of an object, without asking the VM for each object.
 *
 * All objects of a class have one size; arrays of a class differ only by their length. The measure
 * of a class is a number from which the size of each object follows. It is made from one object
 * whose size the VM has told, and it is used only if it gives this size.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct hs_layout;

/**
 * Learn how large arrays are in this VM and, with its layout (NULL: unknown), how large
 * java.lang.Class objects are. Without this call there are no measures. Context: java.
 */
void alloc_size_prepare(jvmtiEnv *jvmti, JNIEnv *env, const struct hs_layout *vm);
/**
 * The bytes of a java.lang.Class object in JDK 8; 0: unknown. GetObjectSize() cannot be used: for
 * such an object it gives the size of the data that the VM keeps for the class outside the heap.
 * Source: jvmtiEnv.cpp. Context: java.
 */
uint64_t alloc_size_of_class(JNIEnv *env, jclass klass);
/**
 * The measure of the class of an object that has `bytes`; 0: none. `length` is -1 if the object is
 * not an array. `klass` must not be java.lang.Class, whose objects have different sizes.
 */
uint32_t alloc_size_measure(jvmtiEnv *jvmti, jclass klass, uint64_t bytes, int32_t length);
/** The bytes of an object of a class with this measure, which is not 0. Context: any. */
uint64_t alloc_size_of(uint32_t measure, int32_t length);
