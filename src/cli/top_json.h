/*
 * top_json.h - the pages of `hprof top` for programs: one object a page and line, its members named
 * in hprof-top(1).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;
struct top_choice;
struct top_list;
struct top_page;

/** One JVM. Sorts the threads. */
void top_json_page(struct sink *s, struct top_page *p, const struct top_choice *c);
/** All JVMs. Sorts them. */
void top_json_list(struct sink *s, struct top_list *l, const struct top_choice *c);
