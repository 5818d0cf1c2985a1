/*
 * heap_counters.h - the heap, its collections and the safepoints, from the counters of a JVM.
 *
 * Since JDK 25 the VM updates the counter of the used heap only when it has collected.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct perfdata;

struct heap_counters {
    double used_bytes, size_bytes; /* bytes of the heap */
    bool is_old;                   /* `used_bytes` is the value after the last collection */
    double pauses;                 /* number of collections' pauses since the JVM began */
    double pause_s;                /* how long the program stood still for collections */
    double safepoints;
    double safepoint_s; /* includes collections; counts from the moment the VM asked for the stop */
};

/** Seconds spent at safepoints, with the time until all threads had stopped; NAN: not known. */
double heap_counters_stopped_s(const struct perfdata *p);
/**
 * What the collection under way is for, or the last one; NULL: not known. While the VM collects,
 * the counter of the last cause says "No GC". Owner: the block of counters. Source: HotSpot
 * collectedHeap.cpp, CollectedHeap::set_gc_cause().
 */
const char *heap_counters_cause(const struct perfdata *p, size_t *ret_len);
/** Reads the counters. A missing counter gives 0. */
void heap_counters_read(const struct perfdata *p, struct heap_counters *ret);
