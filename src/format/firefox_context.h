/*
 * firefox_context.h - what threads worked for, as fields of markers of a Firefox Profiler file.
 *
 * Each key of the profile's contexts is a field of every marker; a marker has those of its keys
 * that have values.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/ids.h"

struct profile;
struct sink;

/** The type of the markers that say for how long samples had one context. */
#define FIREFOX_CONTEXT_TYPE "context"

/** Of a schema's "fields": one for each key, all behind others, or as the first ones. */
void firefox_context_put_fields(struct sink *s, struct profile *p, const char *before);
/** Of a marker's "data": ,"context0":"alice" for each key with a value. */
void firefox_context_put_values(struct sink *s, struct profile *p, context_id context);
/** The schema of FIREFOX_CONTEXT_TYPE. */
void firefox_context_put_schema(struct sink *s, struct profile *p);
