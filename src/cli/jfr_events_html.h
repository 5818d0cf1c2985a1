/*
 * jfr_events_html.h - the catalogue of events as one page to search in: jfr_events.html with data.
 *
 * The page needs nothing but itself; what a file says is text in it and never markup.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jfr_shown_event;
struct sink;

void jfr_events_html_put(struct sink *s, const struct jfr_shown_event *events, size_t count);
