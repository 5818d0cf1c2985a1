/*
 * objvalue.c - see objvalue.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/objvalue.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "heap/heapanswer.h"
#include "heap/objname.h"
#include "heap/objrow.h"

enum { TEXT_BYTES = 128, NUMBER_ROOM = 64 };

static double float_of(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof(value));
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A reference; of a String the text. */
static const char *reference_text(struct graph *g, const struct graph_value *value,
                                  bool with_values, char ret[OBJVALUE_ROOM])
{
    char name[OBJNAME_ROOM], text[TEXT_BYTES];
    uint64_t chars;
    if (value->object == GRAPH_NONE && value->bits != 0) {
        snprintf(ret, OBJVALUE_ROOM, "0x%" PRIx64 " (not in the dump)", value->bits);
        return ret;
    }
    snprintf(ret, OBJVALUE_ROOM, "%s", objname_full(g, value->object, name));
    size_t len = strlen(ret);
    if (with_values && value->object != GRAPH_NONE &&
        graph_text(g, value->object, text, sizeof(text), &chars) >= 0)
        snprintf(ret + len, OBJVALUE_ROOM - len, " \"%s\"%s", text,
                 strlen(text) + 4 > sizeof(text) ? "..." : "");
    return ret;
}

static void primitive_text(const struct graph_value *value, char ret[OBJVALUE_ROOM])
{
    bool is_plain = value->bits >= ' ' && value->bits < 0x7f;
    if (value->type == GRAPH_TYPE_BOOLEAN)
        snprintf(ret, OBJVALUE_ROOM, "%s", value->bits ? "true" : "false");
    else if (value->type == GRAPH_TYPE_FLOAT)
        snprintf(ret, OBJVALUE_ROOM, "%.9g", float_of(value->bits));
    else if (value->type == GRAPH_TYPE_DOUBLE)
        snprintf(ret, OBJVALUE_ROOM, "%.17g", double_of(value->bits));
    else if (value->type == GRAPH_TYPE_CHAR && is_plain)
        snprintf(ret, OBJVALUE_ROOM, "'%c'", (int)value->bits);
    else if (value->type == GRAPH_TYPE_CHAR)
        snprintf(ret, OBJVALUE_ROOM, "\\u%04x", (unsigned)value->bits);
    else
        snprintf(ret, OBJVALUE_ROOM, "%" PRId64, (int64_t)value->bits);
}

const char *objvalue_text(struct graph *g, const struct graph_value *value, bool with_values,
                          char ret[OBJVALUE_ROOM])
{
    if (value->type == GRAPH_TYPE_OBJECT)
        return reference_text(g, value, with_values, ret);
    if (with_values)
        primitive_text(value, ret);
    else
        snprintf(ret, OBJVALUE_ROOM, "(left out)");
    return ret;
}

void objvalue_put_cell(struct heapanswer *a, struct graph *g, const struct graph_value *value,
                       bool with_values)
{
    char text[OBJVALUE_ROOM], json[NUMBER_ROOM];
    objvalue_text(g, value, with_values, text);
    if (value->type == GRAPH_TYPE_OBJECT && value->object != GRAPH_NONE) {
        heapanswer_cell(a, text);
        if (a->form == HEAPANSWER_JSON)
            objrow_put_members(a, g, value->object);
        heapanswer_cell_end(a);
    } else if (value->type == GRAPH_TYPE_OBJECT) {
        heapanswer_literal(a, "null", text);
    } else if (!with_values || value->type == GRAPH_TYPE_FLOAT ||
               value->type == GRAPH_TYPE_DOUBLE) {
        heapanswer_text(a, text); /* JSON has no NaN and no infinity */
    } else if (value->type == GRAPH_TYPE_CHAR) {
        snprintf(json, sizeof(json), "%u", (unsigned)value->bits);
        heapanswer_literal(a, json, text);
    } else {
        heapanswer_literal(a, text, text);
    }
}
