/*
 * jfr_catalogue.h - what is known of the events that JDKs record: since when, with which fields,
 * units and settings, and what they are good for.
 *
 * Rows lie one after another, fields and settings behind their event. The facts are made from JDKs
 * (tools/jfr-facts), the sentences are ours; rows of events that only a file knows have the same
 * form (jfr_census.h). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum jfr_catalogue_kind { JFR_CATALOGUE_EVENT, JFR_CATALOGUE_FIELD, JFR_CATALOGUE_SETTING };

struct jfr_catalogue_row {
    enum jfr_catalogue_kind kind;
    unsigned releases; /* bit N: the fact holds for release N */
    const char *name;
    const char *label;       /* of an event or field */
    const char *categories;  /* of an event: "Java Virtual Machine|GC" */
    const char *type, *unit; /* of a field; the unit is empty, or time, duration, bytes ... */
    const char *about;       /* of a field: the file's description of it; NULL: none */
    const char *by_default, *by_profile; /* of a setting: in default.jfc and profile.jfc */
    bool is_experimental;                /* of an event or field */
    bool is_contextual; /* of a field: it is about all that happens within its event */
};

/** A place in rows. */
struct jfr_catalogue {
    const struct jfr_catalogue_row *rows;
    size_t count;
};

/** All that is known, by the names of the events. */
struct jfr_catalogue jfr_catalogue_all(void);
/** The event of this name with its fields and settings; count 0: there is none. */
struct jfr_catalogue jfr_catalogue_find(const struct jfr_catalogue *all, const char *name);
/** How many rows the event at row `at` has, with its own. */
size_t jfr_catalogue_rows_of(const struct jfr_catalogue *all, size_t at);
/** What the event of this name is, in a sentence; NULL: nobody wrote one. */
const char *jfr_catalogue_sentence(const char *name);
/** Whether the event is for those who work on the VM: a JDK puts these under Internal. */
bool jfr_catalogue_is_internal(const struct jfr_catalogue_row *event);
/** The numbers of the JDKs that are known, the oldest first. */
const unsigned *jfr_catalogue_releases(size_t *ret_count);
/** The bit of a JDK; 0: that one is not known. */
unsigned jfr_catalogue_release_bit(unsigned jdk);
/** "11 and later", "8 to 21", "17": the releases whose bits are set. */
void jfr_catalogue_span(unsigned releases, char *to, size_t room);
