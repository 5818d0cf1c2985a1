/*
 * firefox_sum.h - sums of the model as markers of a Firefox Profiler file: a field for each value
 * of the kind.
 *
 * A single event of which only the kind is known is such a marker, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct profile;
struct sink;

/** Writes a time in milliseconds, as the profiler wants it, and any other value as it is. */
void firefox_sum_put_value(struct sink *s, const struct kind_value *type, uint64_t value);
/** Writes the beginning of a marker's "data": "type" and the values. */
void firefox_sum_put_values(struct sink *s, enum kind_id kind, const uint64_t *values);
/** Writes the schema of the kind, an element of "markerSchema". */
void firefox_sum_put_schema(struct sink *s, struct profile *p, enum kind_id kind);
