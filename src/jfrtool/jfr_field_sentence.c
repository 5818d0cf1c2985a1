/*
 * jfr_field_sentence.c - see jfr_field_sentence.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_field_sentence.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "jfr/jfr_filter.h"

static const struct jfr_field_sentence rows[] = {
#define FIELD_SENTENCE(event, field, text) {event, field, text},
#include "jfrtool/jfr_field_sentences.def"
#undef FIELD_SENTENCE
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int compare(const void *wanted, const void *row)
{
    const struct jfr_field_sentence *a = wanted, *b = row;
    int order = strcmp(a->event, b->event);
    return order != 0 ? order : strcmp(a->field, b->field);
}

static bool is_pattern(const struct jfr_field_sentence *row)
{
    return strchr(row->event, '*') != NULL;
}

const struct jfr_field_sentence *jfr_field_sentence_find(const char *event, const char *field)
{
    const struct jfr_field_sentence wanted = {event, field, NULL},
                                    *own = bsearch(&wanted, rows, ROWS, sizeof(rows[0]), compare);
    if (own)
        return own;
    for (size_t i = ROWS; i-- > 0;)
        if (strcmp(rows[i].field, field) == 0 && is_pattern(&rows[i]) &&
            jfr_filter_glob(rows[i].event, event))
            return &rows[i];
    return NULL;
}
