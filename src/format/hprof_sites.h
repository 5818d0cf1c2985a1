/*
 * hprof_sites.h - the table of allocation sites that the agent gives to a writer.
 *
 * Layouts: docs/format/hprof-text.md, docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/profile.h"

struct hprof_out;

/** The flags of the binary record. */
enum hprof_sites_flag {
    HPROF_SITES_INCREMENTAL = 1,
    HPROF_SITES_BY_ALLOCATED = 2,
    HPROF_SITES_COLLECTED = 4, /* a garbage collection was forced before */
};

/** Indices of the values of the kind with the layout KIND_TEXT_SITES. */
enum {
    HPROF_SITES_BYTES,
    HPROF_SITES_OBJECTS,
    HPROF_SITES_LIVE_BYTES,
    HPROF_SITES_LIVE_OBJECTS,
};

/** Standard errors of a sampled table, by index of the value. */
struct hprof_sites_errors {
    double value[KIND_VALUES];
};

struct hprof_sites_row {
    struct event site; /* of the kind with the layout KIND_TEXT_SITES */
    struct hprof_sites_errors errors;
    uint32_t id, has_changed; /* used by the agent; no format has them */
};

struct hprof_sites {
    struct hprof_sites_row *rows;
    /* `written`: so many of the `count` rows are in the table. hprof_sites_rank() sets it. */
    uint32_t count, written;
    uint64_t total[KIND_VALUES]; /* of all sites, also of those without a row here */
    struct hprof_sites_errors total_errors;
    uint32_t flags;    /* enum hprof_sites_flag */
    double cutoff;     /* a fraction of the value that decides the order */
    uint64_t interval; /* bytes between samples; 0: every object was counted */
};

/** The index of the value that decides the order of the rows. */
uint32_t hprof_sites_ranked_by(const struct hprof_sites *t);
/** Sort the rows, the largest first; equal rows by trace and class. Returns how many rows reach the
 * cutoff and belong in the table, and stores it in `written`. */
uint32_t hprof_sites_rank(struct hprof_sites *t);

/**
 * Write the table of all sites of which `o` has sums. Rows are sorted by allocated bytes, or with
 * `by_live` by live bytes. Rows below the fraction `cutoff` of that value are left out. Errors: 0;
 * -ENOMEM: nothing was written. The sink keeps its own error.
 */
int hprof_sites_put(struct hprof_out *o, bool by_live, double cutoff);

/** The kind of a class in the binary record: 0 objects, 2 arrays of objects, 4 .. 11 arrays of
 * primitives. */
uint8_t hprof_sites_kind(const struct hprof_out *o, class_id klass);
