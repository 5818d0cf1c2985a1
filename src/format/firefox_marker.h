/*
 * firefox_marker.h - sums of the model, and what threads worked for, as markers of a Firefox
 * Profiler file.
 *
 * A sum is a marker with a field for each value of its kind. A single event of which only the kind
 * is known is such a marker, too. Each key of the profile's contexts is a field in the schema of
 * every marker; a marker has the fields of those keys that have a value.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct profile;
struct sink;

/** The type of the markers that say for how long samples had one context. */
#define FIREFOX_MARKER_CONTEXT "context"

/** Writes the time in milliseconds with six digits after the point: 1500000 ns are "1.500000". */
void firefox_marker_put_ms(struct sink *s, uint64_t ns);
/** Writes a time in milliseconds, as the profiler wants it, and any other value as it is. */
void firefox_marker_put_value(struct sink *s, const struct kind_value *type, uint64_t value);
/** Writes the beginning of the "data" of a sum's marker: "type" and the values. */
void firefox_marker_put_sum(struct sink *s, enum kind_id kind, const uint64_t *values);
/** Writes a part of a marker's "data": ,"context0":"alice" for each key that has a value. */
void firefox_marker_put_context(struct sink *s, struct profile *p, context_id context);
/** Writes a part of a schema's "fields": one field for each key of the contexts. `before` stands in
 * front of the first field: "," if other fields come before, otherwise "". */
void firefox_marker_put_context_fields(struct sink *s, struct profile *p, const char *before);
/** Writes the schema of the kind, an element of "markerSchema". */
void firefox_marker_put_sum_schema(struct sink *s, struct profile *p, enum kind_id kind);
/** Writes the schema of FIREFOX_MARKER_CONTEXT. */
void firefox_marker_put_context_schema(struct sink *s, struct profile *p);
