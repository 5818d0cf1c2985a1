/*
 * heap_level.h - reads how much of the heap is in use, and why the VM collects.
 *
 * The functions read the collector's own description of its regions or spaces, and the counters
 * sun.gc.cause and sun.gc.lastCause, which the VM keeps until it ends. Both are read by guarded
 * loads (safe/mem_self.h). In a pause of the VM nobody changes them. While the program runs,
 * regions come and go during the reading: the sum may be wrong by those regions, and a region that
 * is gone reads as nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

enum { HEAP_LEVEL_CAUSE = 64 };

struct heap_level;

/**
 * Find the heap and the counters of this VM. What is not found here is not read later.
 * Errors: NULL if there is no memory. Owner: heap_level_close(). Context: java.
 */
struct heap_level *heap_level_open(void);
void heap_level_close(struct heap_level *h);
/** Why the heap's size cannot be read (static text); NULL if it can be read. */
const char *heap_level_why_not(const struct heap_level *h);
/**
 * Bytes in use, including the buffers that threads have reserved; 0 unknown. Context: gc, or any if
 * no other thread calls this at the same time.
 */
uint64_t heap_level_used(struct heap_level *h);
/**
 * The cause of the collection that is running or has just ended, for example "G1 Evacuation Pause";
 * "unknown" if there is none. Context: gc.
 */
void heap_level_cause(struct heap_level *h, char ret_cause[HEAP_LEVEL_CAUSE]);
/**
 * The memory of this VM (borrowed), and the address of its counters (PerfMemory::_start), which is
 * 0 if the VM has none. Context: any.
 */
struct mem *heap_level_mem(const struct heap_level *h);
uint64_t heap_level_counters(const struct heap_level *h);
