/*
 * firefox_tables.h - the tables that threads of a Firefox Profiler file share: stacks, frames,
 * functions, sources, strings.
 *
 * Rows are numbered from 0 in the file, from 1 here. Not thread-safe.
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
    struct wordset groups;    /* { string_id }: of markers */
};

void firefox_tables_init(struct firefox_tables *t, struct profile *p);
void firefox_tables_done(struct firefox_tables *t);
/** The stack of an event: its trace, its class or text. 0: no memory. */
uint32_t firefox_tables_stack(struct firefox_tables *t, const struct event *event);
/** The number of a string; 0: no memory. */
uint32_t firefox_tables_string(struct firefox_tables *t, string_id id);
/** The category, from 0, of markers that belong together by this name; 0, of all others, without
 * memory. */
uint32_t firefox_tables_group(struct firefox_tables *t, string_id name);
/** "categories":[...], to which the frames and markers refer. */
void firefox_tables_put_categories(const struct firefox_tables *t, struct sink *s);
/** "shared":{...}: behind everything that adds rows. */
void firefox_tables_put(const struct firefox_tables *t, struct sink *s);
