/*
 * summary.h - where the samples or the time of a profile went: methods with their own and their
 * total share.
 *
 * Methods are told apart by class name and method name: overloads count together, as in the text
 * format, which does not know their descriptors. Knows nothing about printing.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

/** What a trace cost: samples, ns. */
struct summary_row {
    trace_id trace;
    string_id text; /* a monitor */
    uint64_t cost, count;
};

struct summary_method {
    string_id klass, name;
    uint64_t self;  /* cost with it on top */
    uint64_t total; /* cost with it anywhere on the stack, once per trace */
    uint64_t count; /* with it on top */
    trace_id seen;  /* the last trace counted into total */
};

struct summary {
    struct summary_method *methods;
    size_t count;
};

/**
 * One row for each sum of this kind, in no order: value number `value` is the cost, the next, if
 * there is one, the count. The caller frees *ret_rows. Errors: -ENOMEM, else 0.
 */
int summary_rows(struct profile *profile, enum kind_id kind, uint32_t value,
                 struct summary_row **ret_rows, size_t *ret_count);
uint64_t summary_cost(const struct summary_row *rows, size_t count);
/** Largest cost first, then largest count; ties by serial. */
/**
 * Joins the rows of stacks that differ in nothing that is printed, as in how a method ran; a joined
 * row has the trace of its largest. `rows` are sorted, and are again. Without memory they stay
 * apart.
 */
void summary_join_rows(struct summary_row *rows, size_t *count, struct profile *profile);
void summary_sort_rows(struct summary_row *rows, size_t count, struct profile *profile);

/**
 * Methods of all rows. Without `with_hidden`, hidden frames are no methods, and their time is their
 * callers'. Errors: 0; -ENOMEM. Owner: summary_done().
 */
int summary_build(struct profile *profile, const struct summary_row *rows, size_t count,
                  int with_hidden, struct summary *ret_summary);
void summary_done(struct summary *s);

/** Most self cost first, or most total cost first; ties by count, then by name. */
void summary_sort_self(struct summary *s, struct profile *profile);
void summary_sort_total(struct summary *s, struct profile *profile);
