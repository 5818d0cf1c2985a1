/*
 * firefox_typed.h - single events as markers of a Firefox Profiler file: the schema of a marker is
 * made from the fields of the event's type.
 *
 * Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/custom.h"
#include "profile/table.h"

struct arena;
struct firefox_tables;
struct profile;
struct sink;

struct firefox_typed {
    struct profile *profile; /* borrowed, as are the next two */
    struct firefox_tables *tables;
    struct arena *arena;
    struct table types; /* that became markers */
};

void firefox_typed_init(struct firefox_typed *t, struct profile *profile,
                        struct firefox_tables *tables, struct arena *arena);
/** The number of a type, from 1; 0: no room for it. */
uint32_t firefox_typed_type(struct firefox_typed *t, const struct custom_type *type);
/** The string that is the name of a type. */
uint32_t firefox_typed_name(const struct firefox_typed *t, uint32_t type);
/** What the markers of a type belong to: the outermost category of its events. */
uint32_t firefox_typed_category(const struct firefox_typed *t, uint32_t type);
/** Of "markerSchema": the schemas of all types, `before` and commas between them. */
void firefox_typed_put_schemas(const struct firefox_typed *t, struct sink *s, const char *before);
/** Of a marker's "data": "type" and what is known of the fields. Time 0 is at `first_ns`. */
void firefox_typed_put_values(const struct firefox_typed *t, struct sink *s, uint32_t type,
                              const union custom_value *values, uint64_t first_ns);
/** Of "extra": which events became no markers, with a comma before, or nothing. */
void firefox_typed_put_left(struct sink *s, struct profile *profile);
