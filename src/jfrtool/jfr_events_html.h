/*
 * jfr_events_html.h - the catalogue of events as one HTML page with a search: jfr_events.html and
 * its data.
 *
 * The page loads nothing else. Texts of a file are always shown as text, never used as markup.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jfr_shown_event;
struct sink;

void jfr_events_html_put(struct sink *s, const struct jfr_shown_event *events, size_t count);
