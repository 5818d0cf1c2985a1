/*
 * sample_type.h - the types of the values of events, as pprof and OTLP name them. The rows of the
 * kinds contain these names; here they are one list.
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

/** Finds the type with this name. Returns whether there is one. */
bool sample_type_named(const char *type, size_t len, struct sample_type *ret);
/**
 * The types of which the profile has values, for the kinds whose bit is set in `kinds`, in the
 * order of the kinds. Returns how many.
 */
size_t sample_type_there(struct profile *profile, uint32_t kinds,
                         struct sample_type ret_types[SAMPLE_TYPES]);
