/*
 * sample_type.h - the values of events, as pprof and OTLP call them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "profile/event.h"

struct profile;

enum sample_type_row {
#define SAMPLE_TYPE(kind, value, type, unit) SAMPLE_TYPE_##kind##_##value,
#include "format/sample_type.def"
#undef SAMPLE_TYPE
    SAMPLE_TYPES,
};

struct sample_type {
    enum event_kind kind;
    uint32_t value; /* which of the kind's values */
    const char *type, *unit;
};

/** In the order of sample_type.def. */
extern const struct sample_type sample_type_all[SAMPLE_TYPES];
/** NULL: no such type. */
const struct sample_type *sample_type_named(const char *type, size_t len);
/**
 * The types that the profile has any samples of among the kinds with a bit in `kinds`, in the same
 * order. Returns how many.
 */
size_t sample_type_there(struct profile *profile, uint32_t kinds,
                         const struct sample_type *ret_types[SAMPLE_TYPES]);
