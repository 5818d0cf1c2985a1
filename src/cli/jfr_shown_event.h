/*
 * jfr_shown_event.h - one event of the catalogue, with what a file has of it, as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "cli/jfr_catalogue.h"

struct jfr_census;
struct jfr_census_row;
struct sink;

/** An event to be shown, and where its facts are from. */
struct jfr_shown_event {
    struct jfr_catalogue facts;      /* its rows */
    unsigned releases;               /* rows that hold for none of these are left out */
    const struct jfr_census *census; /* of a file; NULL: none was named */
    const char *file;                /* its name */
};

/** What the event is, in a sentence: ours, or the file's. */
const char *jfr_shown_event_sentence(const struct jfr_shown_event *e);
/** What a field of it says, in a sentence: ours, or the file's; "": nobody wrote one. */
const char *jfr_shown_event_about(const struct jfr_shown_event *e,
                                  const struct jfr_catalogue_row *field);
/** Why the file has none of it, or NULL where it has some. Text lies in `room`. */
const char *jfr_shown_event_why_none(const struct jfr_shown_event *e, char *room, size_t size);
/** A line. */
void jfr_shown_event_line(struct sink *s, const struct jfr_shown_event *e);
/** All that is known. */
void jfr_shown_event_whole(struct sink *s, const struct jfr_shown_event *e);
