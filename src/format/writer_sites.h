/*
 * writer_sites.h - the table of allocation sites that writer_sites() takes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

/** Flags, with the values that they have in binary HPROF files. */
enum writer_sites_flag {
    WRITER_SITES_INCREMENTAL = 1,
    WRITER_SITES_BY_ALLOCATED = 2,
    WRITER_SITES_COLLECTED = 4, /* a garbage collection was forced before */
};

/** Indices of the values of the kind with the layout KIND_TEXT_SITES. */
enum {
    WRITER_SITES_BYTES,
    WRITER_SITES_OBJECTS,
    WRITER_SITES_LIVE_BYTES,
    WRITER_SITES_LIVE_OBJECTS,
};

/** Standard errors of a sampled table, by index of the value. */
struct writer_sites_errors {
    double value[KIND_VALUES];
};

struct writer_sites_row {
    struct event site; /* of the kind with the layout KIND_TEXT_SITES */
    struct writer_sites_errors errors;
    uint32_t id, has_changed; /* used by the agent; no file has them */
};

struct writer_sites {
    struct writer_sites_row *rows;
    /* `written`: so many of the `count` rows are in the table. writer_sites() sets it. */
    uint32_t count, written;
    uint64_t total[KIND_VALUES]; /* of all sites, also of those without a row here */
    struct writer_sites_errors total_errors;
    uint32_t flags;    /* enum writer_sites_flag */
    double cutoff;     /* a fraction of the value that decides the order */
    uint64_t interval; /* bytes between samples; 0: every object was counted */
};
