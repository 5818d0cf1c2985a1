/*
 * watch_counts.h - what `hprof watch` counts, and its metrics of itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct metric_set;
struct watch_spool;
struct watch_table;

/** Counts since the process began. */
struct watch_counts {
    uint64_t taken, sent; /* files */
    uint64_t refused;     /* files that the receiver has refused, in part or as a whole */
    uint64_t odd;         /* files that are none of the agent's, or too large */
    uint64_t missing;     /* files that a JVM has made and that were gone */
    uint64_t unseen;      /* recordings whose JVM and files were gone after a restart */
    uint64_t requests, bytes, samples, samples_lost;
    uint64_t recordings;                    /* that were begun */
    double agents_share, own_share, budget; /* of a core */
};

/** Adds the samples of this process to a reading. */
void watch_counts_put(struct metric_set *set, const struct watch_counts *c,
                      const struct watch_spool *spool, const struct watch_table *table);
