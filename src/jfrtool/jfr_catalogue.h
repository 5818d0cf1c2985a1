/*
 * jfr_catalogue.h - what is known of the events that JDKs record: the JDKs that have them, their
 * fields, units and settings, and what they are good for.
 *
 * The rows of an event follow one another: the event, then its fields and settings. The facts are
 * read from JDKs (tools/jfr-facts); the sentences are our own (jfr_sentences.def, and
 * jfr_field_sentences.def, which says how the row of a field is chosen). Events that only a file
 * declares are rows of the same form (jfr_census.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum jfr_catalogue_kind { JFR_CATALOGUE_EVENT, JFR_CATALOGUE_FIELD, JFR_CATALOGUE_SETTING };

struct jfr_catalogue_row {
    enum jfr_catalogue_kind kind;
    unsigned releases; /* bit N: the fact is true for release N */
    const char *name;
    const char *label;       /* an event or a field has it */
    const char *categories;  /* an event has it: "Java Virtual Machine|GC" */
    const char *type, *unit; /* a field has them; unit: empty, or time, duration, bytes ... */
    const char *about;       /* a field's description in the file; NULL: none */
    /* A setting's values in default.jfc and in profile.jfc. */
    const char *by_default, *by_profile;
    bool is_experimental; /* of an event or a field */
    /* The value of this field describes all that happens during the event on its thread. */
    bool is_contextual;
};

/** One sentence that says what a field means. */
struct jfr_catalogue_sentence {
    const char *event; /* a name, or a pattern in which * stands for any text */
    const char *field, *text;
};

/** A run of rows. */
struct jfr_catalogue {
    const struct jfr_catalogue_row *rows;
    size_t count;
};

/** All rows, sorted by the names of the events. */
struct jfr_catalogue jfr_catalogue_all(void);
/** The event of this name with its fields and settings; count 0: there is none. */
struct jfr_catalogue jfr_catalogue_find(const struct jfr_catalogue *all, const char *name);
/** The number of rows of the event at row `at`, including its own row. */
size_t jfr_catalogue_rows_of(const struct jfr_catalogue *all, size_t at);
/** One sentence that says what the event of this name is; NULL: there is none. */
const char *jfr_catalogue_sentence(const char *name);
/** The row of jfr_field_sentences.def for a field of an event, of the JDK or of any program; NULL:
 * there is none. */
const struct jfr_catalogue_sentence *jfr_catalogue_field_sentence(const char *event,
                                                                  const char *field);
/** Whether the event is for developers of the VM: the JDK puts such events into the category
 * Internal. */
bool jfr_catalogue_is_internal(const struct jfr_catalogue_row *event);
/** The numbers of the JDKs whose events are known, the oldest first. */
const unsigned *jfr_catalogue_releases(size_t *ret_count);
/** The bit of a JDK; 0: its events are not known. */
unsigned jfr_catalogue_release_bit(unsigned jdk);
/** Writes the releases whose bits are set: "11 and later", "8 to 21", "17". */
void jfr_catalogue_span(unsigned releases, char *to, size_t room);
