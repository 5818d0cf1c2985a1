/*
 * sample_type.h - the values of events, as pprof and OTLP call them: the types in the rows of the
 * kinds, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "kind/kind.h"

struct profile;

enum { SAMPLE_TYPES = KIND_COUNT * KIND_VALUES }; /* at most */

struct sample_type {
    enum kind_id kind;
    uint32_t value; /* which of the kind's values */
    const char *type, *unit;
};

/** Returns whether there is such a type. */
bool sample_type_named(const char *type, size_t len, struct sample_type *ret);
/**
 * The types that the profile has any samples of among the kinds with a bit in `kinds`, in the order
 * of the kinds. Returns how many.
 */
size_t sample_type_there(struct profile *profile, uint32_t kinds,
                         struct sample_type ret_types[SAMPLE_TYPES]);
