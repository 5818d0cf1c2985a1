/*
 * jfr_shown_event.h - prints one event of the catalogue, with what a file has of it.
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

/** One sentence about the event: ours, or the file's. */
const char *jfr_shown_event_sentence(const struct jfr_shown_event *e);
/** One sentence about a field of the event: ours, or the file's; "": there is none. */
const char *jfr_shown_event_about(const struct jfr_shown_event *e,
                                  const struct jfr_catalogue_row *field);
/** Why the file has no such event; NULL: it has some. The text may be in `room`. */
const char *jfr_shown_event_why_none(const struct jfr_shown_event *e, char *room, size_t size);
/** Writes one line about the event. */
void jfr_shown_event_line(struct sink *s, const struct jfr_shown_event *e);
/** Writes all that is known of the event. */
void jfr_shown_event_whole(struct sink *s, const struct jfr_shown_event *e);
