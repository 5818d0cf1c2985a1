/*
 * jfr_field_sentence.h - one sentence for each field of the JDK's events, which says what the field
 * means.
 *
 * The rows are in jfr_field_sentences.def, which says how a row is chosen. The facts about the same
 * fields are in the catalogue (jfr_catalogue.h), which does not know the sentences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_field_sentence {
    const char *event; /* a name, or a pattern in which * stands for any text */
    const char *field, *text;
};

/** The row for a field of an event, of the JDK or of any program; NULL: there is none. */
const struct jfr_field_sentence *jfr_field_sentence_find(const char *event, const char *field);
