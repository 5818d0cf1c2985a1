/*
 * jfr_shown_event.h - shows events of the catalogue, with what a file has of them: as text, or as
 * one HTML page with a search.
 *
 * The page (jfr_events.html) loads nothing else. Texts of a file are always shown as text, never
 * used as markup.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "jfrtool/jfr_catalogue.h"

struct jfr_census;
struct jfr_census_row;
struct sink;

/** An event to be shown, and the sources of its facts. */
struct jfr_shown_event {
    struct jfr_catalogue facts;      /* the rows of the event */
    unsigned releases;               /* rows without any of these bits are left out */
    const struct jfr_census *census; /* the counts of a file; NULL: no file was named */
    const char *file;                /* the name of that file */
};

/** Writes one line about the event. */
void jfr_shown_event_line(struct sink *s, const struct jfr_shown_event *e);
/** Writes all that is known of the event. */
void jfr_shown_event_whole(struct sink *s, const struct jfr_shown_event *e);
/** Writes the page with these events. */
void jfr_shown_event_page(struct sink *s, const struct jfr_shown_event *events, size_t count);
