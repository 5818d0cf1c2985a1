/*
 * heap_counters.h - the heap, its collections and the safepoints, as the counters of a JVM have
 * them.
 *
 * Since JDK 25 the VM writes down how much of the heap is used when it has collected, and not in
 * between. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct perfdata;

struct heap_counters {
    double used_bytes, size_bytes; /* of the heap */
    bool is_old;                   /* `used_bytes` is as of the last collection */
    double pauses;                 /* of collections, since the JVM began */
    double pause_s;                /* that the program stood still for them */
    double safepoints;
    double safepoint_s; /* with those of collections; from the moment the VM asked for the stop */
};

/** Seconds at safepoints, with the time that threads took to come to them; NAN: it is not known. */
double heap_counters_stopped_s(const struct perfdata *p);
/** A counter that is missing is 0. */
void heap_counters_read(const struct perfdata *p, struct heap_counters *ret);
