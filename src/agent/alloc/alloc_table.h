/*
 * alloc_table.h - the table of allocation sites: counters that every thread adds to, without locks.
 *
 * A site is a class and a trace; its row is what an object's tag names. To find the row of an
 * allocation quickly, a second table maps a key, a hash over the raw stack and the class, to the
 * row. Keys are guesses of the caller's that save it asking the VM: one that is forgotten costs
 * time, not truth.
 * Knows no JVM. Memory: two mappings, whose size is given once; when the rows are used up, row 1
 * takes what finds no row of its own, and says so by its count.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

enum {
    ALLOC_TABLE_OTHER = 1,      /* the row for what has no site: no memory for one */
    ALLOC_TABLE_CHANGED = 0xff, /* for all recordings */
};

/** One site, 64 bytes. The ids never change once the row is there. */
struct alloc_row {
    _Atomic uint64_t objects, bytes; /* all that were seen; in sampled mode: the samples */
    /* Sampled mode, under the table's lock: estimates of what was allocated, and their variance. */
    double objects_estimate, bytes_estimate, objects_variance, bytes_variance;
    uint32_t klass, trace;    /* as the model numbers them */
    uint32_t trace_serial;    /* as files have it */
    _Atomic uint32_t changed; /* since a table of sites last had the row: a bit a recording */
};

/** The counters of one row at a moment. */
struct alloc_counts {
    uint64_t objects, bytes;
    double objects_estimate, bytes_estimate, objects_variance, bytes_variance;
};

/** Keys that are wanted in the same place follow each other, PROBES at most. */
struct alloc_key {
    _Atomic uint64_t key;   /* 0: free */
    _Atomic uint64_t found; /* row, and measure in the upper half */
};

/** What a key stands for: a row, and a number that the caller keeps with it. */
struct alloc_found {
    uint32_t row, measure;
};

struct alloc_table {
    struct alloc_row *rows; /* [0] is never used */
    uint32_t row_room;
    _Atomic uint32_t row_count; /* rows 1 .. row_count are there */
    struct alloc_key *keys;
    _Atomic uint32_t key_mask; /* of the part that is in use: a small one stays in the caches */
    uint32_t key_room;         /* places in all */
    uint32_t key_count;        /* of the part in use, taken */
    struct lock lock;          /* of changes to keys, and of estimates */
};

/** Errors: 0, -ENOMEM. Address space of the two tables: pages that are not touched cost nothing. */
int alloc_table_init(struct alloc_table *t, size_t row_bytes, size_t key_bytes);
void alloc_table_done(struct alloc_table *t);

/** What is remembered for `key`; row 0: nothing. Context: any thread, no lock. */
struct alloc_found alloc_table_find(const struct alloc_table *t, uint64_t key);
/** Remember it. `key` is not 0. Context: any thread. */
void alloc_table_remember(struct alloc_table *t, uint64_t key, struct alloc_found found);
/** Forget all keys. Context: any thread. */
void alloc_table_forget(struct alloc_table *t);
/** A new row, or ALLOC_TABLE_OTHER when there is no room. Context: one thread at a time. */
uint32_t alloc_table_add_row(struct alloc_table *t, uint32_t klass, uint32_t trace,
                             uint32_t trace_serial);
/** 1 when no more than an eighth of the rows is left. Context: any thread, no lock. */
bool alloc_table_is_crowded(const struct alloc_table *t);
/** The row of an object's tag; NULL when it is none. Context: any, a forked child too. */
const struct alloc_row *alloc_table_row(const struct alloc_table *t, int64_t tag);

/** Count one object: how many its row had before. Context: any thread, no lock. */
uint64_t alloc_table_count(struct alloc_table *t, uint32_t row, uint64_t bytes);
/** The same of a sample that was seen with probability `p`. Context: any thread. */
uint64_t alloc_table_count_sample(struct alloc_table *t, uint32_t row, uint64_t bytes, double p);
/** What a row has. Context: any thread. */
struct alloc_counts alloc_table_counts(struct alloc_table *t, uint32_t row);

/** The probability that an object of `bytes` is sampled at a mean distance of `interval`. */
double alloc_table_probability(uint64_t bytes, double interval);
