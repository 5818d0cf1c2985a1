/*
 * heap_level.h - how much of the heap is in use, and why the VM collects.
 *
 * Memory that is read: the collector's own description of its regions or spaces, and the counters
 * sun.gc.cause and sun.gc.lastCause, which the VM keeps until it ends. Both are read by guarded
 * loads (safe/mem_self.h): in the VM's pause nobody changes them; while the program runs, regions
 * come and go during the reading, so the sum is off by those, and a piece that is gone reads as
 * nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

enum { HEAP_LEVEL_CAUSE = 64 };

struct heap_level;

/**
 * Find the heap and the counters of this VM. What cannot be found is not read later.
 * Errors: NULL without memory. Owner: heap_level_close(). Context: java.
 */
struct heap_level *heap_level_open(void);
void heap_level_close(struct heap_level *h);
/** Why the heap's size cannot be read (static text), or NULL: it can. */
const char *heap_level_why_not(const struct heap_level *h);
/** Bytes in use, what threads have taken for themselves included; 0 unknown. Context: gc, or any
 * where nobody else asks at the same time. */
uint64_t heap_level_used(struct heap_level *h);
/** The cause of the collection under way, or that has just ended: "G1 Evacuation Pause", or
 * "unknown". Context: gc. */
void heap_level_cause(struct heap_level *h, char ret_cause[HEAP_LEVEL_CAUSE]);
/** The memory of this VM, borrowed, and where its counters begin (PerfMemory::_start), 0: it has
 * none. Context: any. */
struct mem *heap_level_mem(const struct heap_level *h);
uint64_t heap_level_counters(const struct heap_level *h);
