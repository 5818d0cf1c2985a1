/*
 * firefox_tables.h - the tables that all threads of a Firefox Profiler file share: stacks, frames,
 * functions, sources, strings.
 *
 * The file numbers rows from 0; the numbers here begin with 1, and 0 means none. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/wordset.h"
#include "profile/profile.h"

struct sink;

struct firefox_tables {
    struct profile *profile;  /* borrowed */
    struct wordset strings;   /* { string_id } */
    struct wordset sources;   /* { number of its string } */
    struct wordset functions; /* { string, source or 0 } */
    struct wordset frames;    /* { function, category from 0, line or 0 } */
    struct wordset stacks;    /* { stack of the caller or 0, frame } */
    struct wordset groups;    /* { string_id }: names of groups of markers */
};

void firefox_tables_init(struct firefox_tables *t, struct profile *p);
void firefox_tables_done(struct firefox_tables *t);
/** The stack of an event: its trace, then its class or text as one more frame. 0: no memory. */
uint32_t firefox_tables_stack(struct firefox_tables *t, const struct event *event);
/** The number of a string. 0: `id` is 0, or no memory. */
uint32_t firefox_tables_string(struct firefox_tables *t, string_id id);
/** The number of the category of all markers whose group has this name; categories are numbered
 * from 0. `name` 0, or no memory: category 0, "Other". */
uint32_t firefox_tables_group(struct firefox_tables *t, string_id name);
/** Writes "categories":[...], to which the frames and markers refer. */
void firefox_tables_put_categories(const struct firefox_tables *t, struct sink *s);
/** Writes "shared":{...}. No row may be added after that. */
void firefox_tables_put(const struct firefox_tables *t, struct sink *s);
