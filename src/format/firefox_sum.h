/*
 * firefox_sum.h - sums of the model, and events that are known by their kind alone, as markers of a
 * Firefox Profiler file: a field for each value of the kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct profile;
struct sink;

/** Time in milliseconds, as the profiler wants it, other values as they are. */
void firefox_sum_put_value(struct sink *s, const struct kind_value *type, uint64_t value);
/** Of a marker's "data": "type" and the values. */
void firefox_sum_put_values(struct sink *s, enum kind_id kind, const uint64_t *values);
/** Of "markerSchema". */
void firefox_sum_put_schema(struct sink *s, struct profile *p, enum kind_id kind);
