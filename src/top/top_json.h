/*
 * top_json.h - writes the pages of `hprof top` for programs: each page is one object in one line,
 * whose members hprof-top(1) describes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;
struct top_choice;
struct top_list;
struct top_page;

/** Writes the page of one JVM. Sorts the threads. */
void top_json_page(struct sink *s, struct top_page *p, const struct top_choice *c);
/** Writes the page of all JVMs. Sorts the JVMs. */
void top_json_list(struct sink *s, struct top_list *l, const struct top_choice *c);
