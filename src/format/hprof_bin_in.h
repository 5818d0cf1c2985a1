/*
 * hprof_bin_in.h - reads the records of a binary HPROF file into the model.
 *
 * Strings, classes, frames, traces, threads, CPU SAMPLES, ALLOC SITES and the quality string are
 * read; heap dumps are counted. If a record says that it has more rows than there are bytes behind
 * it, the record is damaged. format_hprof_binary.c reads the file as a sequence of records. Layout:
 * docs/format/hprof-binary.md.
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

struct hprof_file;
struct profile;
struct rd;
struct sieve;

/** Numbers of a site of the next ALLOC SITES table that do not fit into it, in the order of its
 * fields. */
struct hprof_bin_in_site {
    uint64_t klass, trace; /* serial numbers */
    uint64_t fields[KIND_VALUES];
};

/** The state of one reading. The maps lead from identifiers of the file to ids of the model. */
struct hprof_bin_in {
    struct profile *profile;
    struct hprof_file *file; /* attached to the profile */
    struct sieve *sieve;     /* which stacks are read; NULL: all */
    unsigned id_bytes;       /* 4 or 8: the caller sets it from the header */
    struct idmap strings, classes, frames;
    /* Leads from a string of the model to the same name with dots; a name without slashes leads to
     * itself. */
    struct idmap dotted;
    struct frame_list stack; /* frames of the TRACE that is being read */
    struct hprof_bin_in_site *large;
    uint32_t large_count, large_room, large_next;
    const char *detail; /* static text that says what is wrong; NULL: nothing yet */
};

/** A kind of record that is read. */
struct hprof_bin_in_record {
    void (*read)(struct hprof_bin_in *b, struct rd *r); /* `r` contains only the body */
    uint8_t tag;
    bool is_passed_over; /* The body is skipped before `read` is called, which does not need it. */
};

/** Borrows `profile` and `sieve`. Errors: 0; -ENOMEM. Owner: hprof_bin_in_done(), also after an
 * error. */
int hprof_bin_in_init(struct hprof_bin_in *b, struct profile *profile, struct sieve *sieve);
void hprof_bin_in_done(struct hprof_bin_in *b);

/** How to read records with this tag; NULL: they are skipped. */
const struct hprof_bin_in_record *hprof_bin_in_find(uint8_t tag);

/** Whether one of the maps found no memory. */
bool hprof_bin_in_is_full(const struct hprof_bin_in *b);

/** Makes `r` fail with `code`, like rd_fail(), and keeps the first detail. Returns the result of
 * rd_fail(). */
int hprof_bin_in_fail(struct hprof_bin_in *b, struct rd *r, int code, const char *detail);
