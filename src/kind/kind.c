/*
 * kind.c - see kind.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"
#include <string.h>

const struct kind *const kind_all[KIND_COUNT] = {
#define KIND(NAME, name) [KIND_##NAME] = &kind_##name,
#include "kind/kind.def"
#undef KIND
};

const char *kind_unit_word(enum kind_unit unit)
{
    static const char *const words[] = {[KIND_UNIT_COUNT] = "count",
                                        [KIND_UNIT_NS] = "ns",
                                        [KIND_UNIT_BYTES] = "bytes",
                                        [KIND_UNIT_LEVEL] = "bytes"};
    return words[unit];
}

uint32_t kind_value_count(enum kind_id kind)
{
    uint32_t count = 0;
    while (count < KIND_VALUES && kind_all[kind]->values[count].words)
        count++;
    return count;
}

const struct kind_jfr *kind_jfr_named(const char *event, enum kind_id *ret_kind)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (const struct kind_jfr *row = kind_all[kind]->jfr; row && row->event; row++)
            if (*event && strcmp(row->event, event) == 0) {
                *ret_kind = (enum kind_id)kind;
                return row;
            }
    return NULL;
}

const struct kind_jfr *kind_jfr_of(enum kind_jfr_of of, enum kind_id *ret_kind)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (const struct kind_jfr *row = kind_all[kind]->jfr; row && row->event; row++)
            if (row->of == of) {
                *ret_kind = (enum kind_id)kind;
                return row;
            }
    return NULL;
}

enum kind_id kind_of_text(enum kind_text_layout layout)
{
    int kind = 0;
    while (kind < KIND_COUNT - 1 && kind_all[kind]->text.layout != layout)
        kind++;
    return (enum kind_id)kind;
}

enum kind_id kind_of_jfr(enum kind_jfr_layout layout)
{
    int kind = 0;
    while (kind < KIND_COUNT - 1 && kind_all[kind]->jfr_layout != layout)
        kind++;
    return (enum kind_id)kind;
}

enum kind_id kind_of_report(enum kind_report_layout layout)
{
    int kind = 0;
    while (kind < KIND_COUNT - 1 && kind_all[kind]->report.layout != layout)
        kind++;
    return (enum kind_id)kind;
}
