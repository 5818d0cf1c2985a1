/*
 * jfr_field_sentence.h - what each field of the JDK's events says, in a sentence of our own.
 *
 * Rows are those of jfr_field_sentences.def, which says how they are chosen. The facts of the same
 * fields are the catalogue's (jfr_catalogue.h), which knows nothing of the sentences.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_field_sentence {
    const char *event; /* a name, or a pattern with * for the names that fit */
    const char *field, *text;
};

/** The row for the field of the event, of any program; NULL: there is none. */
const struct jfr_field_sentence *jfr_field_sentence_find(const char *event, const char *field);
