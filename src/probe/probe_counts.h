/*
 * probe_counts.h - what happened while probes were watched.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "probe/probe_open.h"

enum { PROBE_COUNTS_WHY = 224 };

/** What was seen of stacks. */
struct probe_stack_counts {
    uint64_t walked; /* stacks of hits, and of them: */
    uint64_t cut;    /* the copied bytes ended before the stack */
    uint64_t frozen; /* frames of a virtual thread lay in the heap */
    uint64_t broken; /* the walk ended early for another reason */
    uint64_t bare;   /* waits without a stack: more than the rate had one */
};

/** Counts of one run. */
struct probe_counts {
    uint32_t sites;      /* that have a probe now */
    uint32_t unusable;   /* sites of these names that may not be used */
    const char *refused; /* why one of them may not; NULL: its file is not certain */
    uint64_t hits;       /* of the process */
    uint64_t others;     /* of other processes that have the same file */
    uint64_t dropped;    /* above the rate */
    uint64_t lost;       /* that found a ring full */
    uint64_t late;       /* that came behind a younger one */
    uint64_t filtered;   /* hits or pairs for which a condition is not true */
    struct probe_open_counts pairs;
    bool has_pairs;
    struct probe_stack_counts stacks;
    int record_error;           /* of the JFR file */
    bool has_by;                /* a probe has the field `by` */
    const char *missing;        /* E_FACT_MISSING: what the VM's tables do not say */
    const char *wrong;          /* the name or the condition that an error is about; may be NULL */
    char why[PROBE_COUNTS_WHY]; /* what is wrong with it; "": the error says so */
};

/** How many begins and ends found no partner. */
static inline uint64_t probe_counts_unpaired(const struct probe_counts *c)
{
    const struct probe_open_counts *p = &c->pairs;
    return p->ends + p->waiting + p->exited + p->skipped + p->full + p->lost;
}
