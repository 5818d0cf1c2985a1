/*
 * summary.h - where the samples of a profile fell: methods with their own and their total share.
 *
 * Methods are told apart by class name and method name: overloads count together, as in the text
 * format, which does not know their descriptors. Knows nothing about printing.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct summary_method {
    string_id klass, name;
    uint64_t self;  /* ticks with it on top */
    uint64_t total; /* ticks with it anywhere on the stack, once per trace */
    trace_id seen;  /* the last trace counted into total */
};

struct summary {
    struct summary_method *methods;
    size_t count;
    uint64_t ticks; /* of all traces */
    uint64_t empty; /* of traces without a frame */
};

/** Errors: 0; -ENOMEM. Owner: summary_done(). */
int summary_build(struct profile *profile, struct summary *ret_summary);
void summary_done(struct summary *s);

/** Most self ticks first, or most total ticks first; ties by name. */
void summary_sort_self(struct summary *s, struct profile *profile);
void summary_sort_total(struct summary *s, struct profile *profile);
