/*
 * summary.h - sums a profile by methods, with their own and their total share.
 *
 * Methods with the same class name and method name are one method: overloads are counted together,
 * because the text format does not have their descriptors. This file does not print.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

/** The cost of a trace: samples or nanoseconds. */
struct summary_row {
    trace_id trace;
    string_id text; /* the name of a monitor */
    uint64_t cost, count;
};

struct summary_method {
    string_id klass, name;
    uint64_t self;                  /* cost of stacks in which it is innermost */
    uint64_t total;                 /* cost of stacks in which it is anywhere, once for each row */
    uint64_t count;                 /* count of stacks in which it is innermost */
    const struct summary_row *seen; /* the last row that was added to `total` */
};

struct summary {
    struct summary_method *methods;
    size_t count;
};

/**
 * One row for each sum of this kind, in no order. Value number `value` is the cost; the next value,
 * if there is one, is the count. The caller frees *ret_rows. Errors: -ENOMEM, else 0.
 */
int summary_rows(struct profile *profile, enum kind_id kind, uint32_t value,
                 struct summary_row **ret_rows, size_t *ret_count);
uint64_t summary_cost(const struct summary_row *rows, size_t count);
/**
 * Joins the rows of stacks that look the same when printed, for example because only the way a
 * method ran differs. A joined row has the trace of its largest row. `rows` must be sorted, and are
 * sorted again. Without memory they stay apart.
 */
void summary_join_rows(struct summary_row *rows, size_t *count, struct profile *profile);
/** Sorts by cost, the largest first, then by count; equal rows by serial number. */
void summary_sort_rows(struct summary_row *rows, size_t count, struct profile *profile);

/**
 * Sums the methods of all rows. Without `with_hidden`, hidden frames are not methods, and their
 * cost belongs to their callers. Errors: 0; -ENOMEM. Owner: summary_done().
 */
int summary_build(struct profile *profile, const struct summary_row *rows, size_t count,
                  int with_hidden, struct summary *ret_summary);
void summary_done(struct summary *s);

/** Sort by self cost or by total cost, the largest first; equal costs by count, then by name. */
void summary_sort_self(struct summary *s, struct profile *profile);
void summary_sort_total(struct summary *s, struct profile *profile);
