/*
 * top_text.h - the pages of `hprof top` as lines of text, for a log or a screen.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct textbuf;
struct top_choice;
struct top_list;
struct top_page;

/** One JVM: the head, its threads, its hottest methods. Sorts the threads. */
void top_text_page(struct textbuf *t, struct top_page *p, const struct top_choice *c);
/** All JVMs. Sorts them. */
void top_text_list(struct textbuf *t, struct top_list *l, const struct top_choice *c);
