/*
 * top_write.h - writes the pages of `hprof top`: as lines of text, for a log or a screen, or for
 * programs as JSON, where each page is one object in one line, whose members hprof-top(1)
 * describes. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;
struct textbuf;
struct top_choice;
struct top_list;
struct top_page;

/** Writes the page of one JVM: the head, the threads, the hottest methods. Sorts the threads. */
void top_write_text(struct textbuf *t, struct top_page *p, const struct top_choice *c);
/** Writes the page of all JVMs. Sorts the JVMs. */
void top_write_text_list(struct textbuf *t, struct top_list *l, const struct top_choice *c);
/** Both functions write the same as JSON. */
void top_write_json(struct sink *s, struct top_page *p, const struct top_choice *c);
void top_write_json_list(struct sink *s, struct top_list *l, const struct top_choice *c);
