/*
 * hprof_sites.h - the table of allocation sites, as the agent hands it to a writer.
 *
 * Layouts: docs/format/hprof-text.md, docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/profile.h"

struct hprof_out;

/** As the binary record has them. */
enum hprof_sites_flag {
    HPROF_SITES_INCREMENTAL = 1,
    HPROF_SITES_BY_ALLOCATED = 2,
    HPROF_SITES_COLLECTED = 4, /* a collection was forced before */
};

/** The values of the kind with the layout KIND_TEXT_SITES. */
enum {
    HPROF_SITES_BYTES,
    HPROF_SITES_OBJECTS,
    HPROF_SITES_LIVE_BYTES,
    HPROF_SITES_LIVE_OBJECTS,
};

/** Standard errors of a sampled table, by value. */
struct hprof_sites_errors {
    double value[KIND_VALUES];
};

struct hprof_sites_row {
    struct event site; /* of that kind */
    struct hprof_sites_errors errors;
    uint32_t id, has_changed; /* the agent's own; no format has them */
};

struct hprof_sites {
    struct hprof_sites_row *rows;
    uint32_t count, written;     /* so many of them went into the table: hprof_sites_rank() */
    uint64_t total[KIND_VALUES]; /* of all sites, those that `rows` leaves out too */
    struct hprof_sites_errors total_errors;
    uint32_t flags;    /* enum hprof_sites_flag */
    double cutoff;     /* a fraction of the column that rows are sorted by */
    uint64_t interval; /* bytes between samples; 0: every object was counted */
};

/** Which value rows are ranked by. */
uint32_t hprof_sites_ranked_by(const struct hprof_sites *t);
/** Sort the rows, largest first, ties as they were, and cut: how many rows belong in the table,
 * which `written` holds from then on. */
uint32_t hprof_sites_rank(struct hprof_sites *t);

/**
 * Write the table of all sites that `o` has sums of, by what was allocated, or with `by_live` by
 * what lives: rows of less than `cutoff` of it are left out. Errors: 0; -ENOMEM, then nothing was
 * written; the sink keeps its own.
 */
int hprof_sites_put(struct hprof_out *o, bool by_live, double cutoff);

/** The kind that the binary record gives a class: 0 objects, 2 arrays of them, 4 .. 11 others. */
uint8_t hprof_sites_kind(const struct hprof_out *o, class_id klass);
