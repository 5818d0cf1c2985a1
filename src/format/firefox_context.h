/*
 * firefox_context.h - what threads worked for, as fields of markers of a Firefox Profiler file.
 *
 * Each key of the profile's contexts is a field in the schema of every marker. A marker has the
 * fields of those keys that have a value.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/ids.h"

struct profile;
struct sink;

/** The type of the markers that say for how long samples had one context. */
#define FIREFOX_CONTEXT_TYPE "context"

/** Writes a part of a schema's "fields": one field for each key. `before` stands in front of the
 * first field: "," if other fields come before, otherwise "". */
void firefox_context_put_fields(struct sink *s, struct profile *p, const char *before);
/** Writes a part of a marker's "data": ,"context0":"alice" for each key that has a value. */
void firefox_context_put_values(struct sink *s, struct profile *p, context_id context);
/** Writes the schema of FIREFOX_CONTEXT_TYPE. */
void firefox_context_put_schema(struct sink *s, struct profile *p);
