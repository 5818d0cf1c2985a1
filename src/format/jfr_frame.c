/*
 * jfr_frame.c - see jfr_frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_frame.h"
#include <string.h>
#include "jfr/jfr_frame_type.h"

enum field { OTHER, METHOD, LINE, BCI, TYPE };

static enum field field_named(const char *name)
{
    static const struct {
        const char *name;
        enum field field;
    } rows[] = {{"method", METHOD}, {"lineNumber", LINE}, {"bytecodeIndex", BCI}, {"type", TYPE}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].field;
    return OTHER;
}

static void learn(struct jfr_frame_reader *r, const struct jfr_type *type)
{
    r->type = type;
    for (uint32_t i = 0; i < JFR_FRAME_FIELDS && i < type->field_count; i++)
        r->fields[i] = (uint8_t)field_named(type->fields[i].name);
}

static enum frame_kind kind_of_words(const struct jfr_value *type)
{
    static const enum frame_kind kinds[JFR_FRAME_TYPES + 1] = {
        [JFR_FRAME_TYPE_INTERPRETED] = FRAME_INTERPRETED,
        [JFR_FRAME_TYPE_JIT] = FRAME_C2,
        [JFR_FRAME_TYPE_INLINED] = FRAME_INLINED,
        [JFR_FRAME_TYPE_NATIVE] = FRAME_JAVA,
        [JFR_FRAME_TYPE_CPP] = FRAME_NATIVE,
        [JFR_FRAME_TYPE_KERNEL] = FRAME_KERNEL,
        [JFR_FRAME_TYPE_C1] = FRAME_C1,
        [JFR_FRAME_TYPES] = FRAME_JAVA,
    };
    char words[JFR_FRAME_TYPE_ROOM];
    jfr_value_utf8(type, words, sizeof(words));
    return kinds[jfr_frame_type_of(words)];
}

static enum frame_kind kind_of(struct jfr_frame_reader *r, const struct jfr_value *type)
{
    const uint8_t *words = type->shape == JFR_TEXT ? type->text.bytes : NULL;
    for (uint32_t i = 0; i < r->kind_count; i++)
        if (r->kinds[i].words == words)
            return r->kinds[i].kind;
    enum frame_kind kind = kind_of_words(type);
    if (r->kind_count < JFR_FRAME_KINDS) {
        r->kinds[r->kind_count].words = words;
        r->kinds[r->kind_count++].kind = kind;
    }
    return kind;
}

static void take(struct jfr_frame_reader *r, enum field field, const struct jfr_value *value,
                 struct jfr_frame *to)
{
    switch (field) {
    case METHOD:
        to->method = *value;
        break;
    case LINE:
        to->line = jfr_value_number(value);
        break;
    case BCI:
        to->bci = jfr_value_number(value);
        break;
    case TYPE:
        to->kind = kind_of(r, value);
        break;
    case OTHER:
        break;
    }
}

static void read_fields(struct jfr_frame_reader *r, const struct jfr_type *type, struct leb *l,
                        struct jfr_frame *to)
{
    struct jfr_value value;
    if (type != r->type)
        learn(r, type);
    for (uint32_t i = 0; i < type->field_count; i++) {
        enum field field = i < JFR_FRAME_FIELDS ? (enum field)r->fields[i] : OTHER;
        if (field == OTHER) {
            jfr_type_skip(&type->fields[i], l);
        } else {
            jfr_value_read(r->chunk, &type->fields[i], l, &value);
            if (!l->is_bad)
                take(r, field, &value, to);
        }
    }
}

void jfr_frame_begin(struct jfr_frame_reader *r, const struct jfr_chunk *chunk)
{
    *r = (struct jfr_frame_reader){.chunk = chunk};
}

void jfr_frame_next(struct jfr_frame_reader *r, const struct jfr_value *frames, struct leb *l,
                    struct jfr_frame *ret_frame)
{
    const struct jfr_type *type = frames->type;
    struct jfr_value frame;
    *ret_frame = (struct jfr_frame){.kind = FRAME_JAVA};
    if (type && !frames->field->is_pooled && type->kind == JFR_STRUCT && !type->is_simple) {
        read_fields(r, type, l, ret_frame);
        return;
    }
    jfr_value_element(r->chunk, frames, l, &frame);
    if (frame.shape == JFR_OBJECT) {
        struct leb at = frame.at;
        read_fields(r, frame.type, &at, ret_frame);
    }
}
