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
    struct profile *profile; /* borrowed, like the next two */
    struct firefox_tables *tables;
    struct arena *arena;
    struct table types; /* struct marker_type: the types that became markers */
};

void firefox_typed_init(struct firefox_typed *t, struct profile *profile,
                        struct firefox_tables *tables, struct arena *arena);
/** The number of a type, from 1; adds the type if it is new. 0: no room for it. */
uint32_t firefox_typed_type(struct firefox_typed *t, const struct custom_type *type);
/** The number of the string that is the name of a type. */
uint32_t firefox_typed_name(const struct firefox_typed *t, uint32_t type);
/** The category of a type's markers: the outermost part of its own category, "Acme" of
 * "Acme|Database". */
uint32_t firefox_typed_category(const struct firefox_typed *t, uint32_t type);
/** Writes a part of "markerSchema": the schemas of all types, `before` in front of the first and a
 * comma between two. */
void firefox_typed_put_schemas(const struct firefox_typed *t, struct sink *s, const char *before);
/** Writes the beginning of a marker's "data": "type" and the fields whose values are known. A
 * moment (CUSTOM_EPOCH_NS) is written relative to `first_ns`. */
void firefox_typed_put_values(const struct firefox_typed *t, struct sink *s, uint32_t type,
                              const union custom_value *values, uint64_t first_ns);
/** Writes a section of "extra", with a comma in front, that says how many events of a type became
 * no markers; nothing if the profile has no single events. */
void firefox_typed_put_left(struct sink *s, struct profile *profile);
