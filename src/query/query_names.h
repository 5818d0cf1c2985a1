/*
 * query_names.h - a set of names that differ from each other whatever the case of their letters.
 *
 * SQL does not tell x from X, and files do. A name that another one has already, but for the case
 * of letters, gets "#2" behind it, and so on. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct arena;
struct query_names;

/** Makes a set whose memory lies in `arena`. NULL: no memory. */
struct query_names *query_names_new(struct arena *arena);
/** Whether the name is in the set. */
bool query_names_has(const struct query_names *n, const char *name);
/** Adds the name, or the name with a number behind it. Returns what was added, in the arena. NULL:
 * no memory, or too many names are alike. */
const char *query_names_add(struct query_names *n, const char *name);
