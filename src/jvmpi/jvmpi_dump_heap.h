/*
 * jvmpi_dump_heap.h - HEAP_DUMP: the roots of the heap and all objects that they lead to.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/** RequestEvent(HEAP_DUMP): all objects are of one moment. `arg`: NULL stands for level 2. Context:
 * java. */
jint jvmpi_dump_heap_request(JNIEnv *env, int agent, const JVMPI_HeapDumpArg *arg);
