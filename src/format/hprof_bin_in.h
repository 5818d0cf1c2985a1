/*
 * hprof_bin_in.h - what the records of a binary HPROF file say of the model.
 *
 * Strings, classes, frames, traces, threads, CPU SAMPLES, ALLOC SITES and the quality string are
 * read; heap dumps are counted. Counts in a record are believed only as far as there are bytes
 * behind them. How records follow each other in a file is format_hprof_binary.c's.
 * Layout: docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/idmap.h"
#include "profile/event.h"
#include "profile/frame_list.h"
#include "profile/ids.h"

struct profile;
struct rd;
struct sieve;

/** The numbers of a site that do not fit into the next table of sites, in the order of its fields.
 */
struct hprof_bin_in_site {
    uint64_t klass, trace; /* serials */
    uint64_t fields[KIND_VALUES];
};

/** The state of one reading; the maps lead from the file's identifiers to the model's. */
struct hprof_bin_in {
    struct profile *profile;
    struct sieve *sieve; /* which stacks are read; NULL: all */
    unsigned id_bytes;   /* 4 or 8: the caller sets it from the header */
    struct idmap strings, classes, frames;
    struct idmap dotted;     /* from a string of the model to its form with dots, or to itself */
    struct frame_list stack; /* of the present TRACE */
    struct hprof_bin_in_site *large;
    uint32_t large_count, large_room, large_next;
    const char *detail; /* what is wrong, once something is: static text */
};

/** A kind of record that is read. */
struct hprof_bin_in_record {
    void (*read)(struct hprof_bin_in *b, struct rd *r); /* `r` is over the body alone */
    uint8_t tag;
    bool is_passed_over; /* `read` looks at nothing of the body, which is skipped before it */
};

/** Borrows `profile` and `sieve`. Owner: hprof_bin_in_done(). */
void hprof_bin_in_init(struct hprof_bin_in *b, struct profile *profile, struct sieve *sieve);
void hprof_bin_in_done(struct hprof_bin_in *b);

/** The row of a tag; NULL: such records are skipped. */
const struct hprof_bin_in_record *hprof_bin_in_find(uint8_t tag);

/** Whether a map has found no memory. */
bool hprof_bin_in_is_full(const struct hprof_bin_in *b);

/** Has `r` fail with `code`, as rd_fail(), and keeps the first detail. Returns what rd_fail() does.
 */
int hprof_bin_in_fail(struct hprof_bin_in *b, struct rd *r, int code, const char *detail);
