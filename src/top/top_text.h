/*
 * top_text.h - writes the pages of `hprof top` as lines of text, for a log or a screen.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct textbuf;
struct top_choice;
struct top_list;
struct top_page;

/** Writes the page of one JVM: the head, the threads, the hottest methods. Sorts the threads. */
void top_text_page(struct textbuf *t, struct top_page *p, const struct top_choice *c);
/** Writes the page of all JVMs. Sorts the JVMs. */
void top_text_list(struct textbuf *t, struct top_list *l, const struct top_choice *c);
