/*
 * gc_heap.h - how much of the heap is in use, and why the VM collects: read while it stands still.
 *
 * Memory that is read: the collector's own description of its regions or spaces, and the counters
 * sun.gc.cause and sun.gc.lastCause, which the VM keeps until it ends. Both are read by guarded
 * loads (safe/mem_self.h), in the VM's pause, when nobody changes them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { GC_HEAP_CAUSE = 64 };

struct gc_heap;

/**
 * Find the heap and the counters of this VM. What cannot be found is not read later.
 * Errors: NULL without memory. Owner: gc_heap_close(). Context: java.
 */
struct gc_heap *gc_heap_open(void);
void gc_heap_close(struct gc_heap *h);
/** Why the heap's size cannot be read (static text), or NULL: it can. */
const char *gc_heap_why_not(const struct gc_heap *h);
/** Bytes in use, what threads have taken for themselves included; 0 unknown. Context: gc. */
uint64_t gc_heap_used(struct gc_heap *h);
/** The cause of the collection under way, or that has just ended: "G1 Evacuation Pause", or
 * "unknown". Context: gc. */
void gc_heap_cause(struct gc_heap *h, char ret_cause[GC_HEAP_CAUSE]);
