/*
 * jvmpi_dump_heap.h - HEAP_DUMP: the roots of the heap and all objects that can be reached from
 * them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/** RequestEvent(HEAP_DUMP). All objects are in the state of one moment. If `arg` is NULL, the level
 * is 2. Context: java. */
jint jvmpi_dump_heap_request(JNIEnv *env, int agent, const JVMPI_HeapDumpArg *arg);
