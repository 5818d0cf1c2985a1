/*
 * alloc_table.h - the table of allocation sites: counters to which every thread adds without locks.
 *
 * A site is a class and a trace. The tag of an object names the row of its site. To find the row of
 * an allocation quickly, a second table maps a key to the row; the key is a hash of the raw stack
 * and the class. A key only saves the caller a question to the VM: a key that is forgotten costs
 * time, but the counts stay right. This file knows no JVM.
 * Memory: two mappings, whose size is given once. When the rows are used up, allocations at new
 * sites are counted in row 1.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

enum {
    ALLOC_TABLE_OTHER = 1,      /* the row for allocations whose site found no memory */
    ALLOC_TABLE_CHANGED = 0xff, /* a bit for each recording */
};

/** One site, 64 bytes. The ids never change once the row is there. */
struct alloc_row {
    _Atomic uint64_t objects, bytes; /* all objects that were seen; in sampled mode: the samples */
    /* Sampled mode, under the table's lock: estimates of what was allocated, and their variance. */
    double objects_estimate, bytes_estimate, objects_variance, bytes_variance;
    uint32_t klass, trace; /* ids of the model */
    uint32_t trace_serial; /* the trace's number in files */
    /* a bit for each recording: changed since its last table with this row */
    _Atomic uint32_t changed;
};

/** The counters of one row at one moment. */
struct alloc_counts {
    uint64_t objects, bytes;
    double objects_estimate, bytes_estimate, objects_variance, bytes_variance;
};

/** One place of the table of keys. Keys that belong to the same place lie in the places behind it,
 * in at most PROBES places. */
struct alloc_key {
    _Atomic uint64_t key;   /* 0: free */
    _Atomic uint64_t found; /* the row in the lower half, the measure in the upper half */
};

/** The value of a key: a row, and a number that the caller keeps with it. */
struct alloc_found {
    uint32_t row, measure;
};

struct alloc_table {
    struct alloc_row *rows; /* [0] is never used */
    uint32_t row_room;
    _Atomic uint32_t row_count; /* rows 1 .. row_count are there */
    struct alloc_key *keys;
    _Atomic uint32_t key_mask; /* for the part that is in use; a small part stays in the caches */
    uint32_t key_room;         /* number of all places */
    uint32_t key_count;        /* places that are taken in the part in use */
    struct lock lock;          /* guards changes to keys, and the estimates */
};

/** Reserve the address space of the two tables; pages that are not touched cost nothing. Errors: 0,
 * -ENOMEM. */
int alloc_table_init(struct alloc_table *t, size_t row_bytes, size_t key_bytes);
void alloc_table_done(struct alloc_table *t);

/** The value that is remembered for `key`; row 0: none. Context: any thread, no lock. */
struct alloc_found alloc_table_find(const struct alloc_table *t, uint64_t key);
/** Remember `found` for `key`, which is not 0. Context: any thread. */
void alloc_table_remember(struct alloc_table *t, uint64_t key, struct alloc_found found);
/** Forget all keys. Context: any thread. */
void alloc_table_forget(struct alloc_table *t);
/** A new row, or ALLOC_TABLE_OTHER when there is no room. Context: one thread at a time. */
uint32_t alloc_table_add_row(struct alloc_table *t, uint32_t klass, uint32_t trace,
                             uint32_t trace_serial);
/** Whether at most an eighth of the rows is left. Context: any thread, no lock. */
bool alloc_table_is_crowded(const struct alloc_table *t);
/** The row with the number `tag`; NULL if there is none. Context: any, a forked child too. */
const struct alloc_row *alloc_table_row(const struct alloc_table *t, int64_t tag);

/** Count one object. Returns how many objects its row had before. Context: any thread, no lock. */
uint64_t alloc_table_count(struct alloc_table *t, uint32_t row, uint64_t bytes);
/** Count a sample that was drawn with probability `p`. Returns as alloc_table_count(). Context: any
 * thread. */
uint64_t alloc_table_count_sample(struct alloc_table *t, uint32_t row, uint64_t bytes, double p);
/** The counters of a row. Context: any thread. */
struct alloc_counts alloc_table_counts(struct alloc_table *t, uint32_t row);

/** The probability that an object of `bytes` is sampled at a mean distance of `interval`. */
double alloc_table_probability(uint64_t bytes, double interval);
