/*
 * question_show.c - `show ID`: one object with what it means, and its fields or elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include "base/plural.h"
#include "heap/decoded.h"
#include "heap/heapanswer.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "heap/objvalue.h"
#include "heap/question.h"

enum { PIECE = 64 };

struct show {
    struct question_asked *asked;
    struct heapanswer answer;
    graph_class last; /* that declares the field before */
    bool has_begun;
};

static bool put_field(void *with, const struct graph_field *field, graph_class declared_in,
                      const struct graph_value *value)
{
    struct show *s = with;
    const char *class_name = objname_class(s->asked->graph, declared_in);
    if (!s->has_begun || declared_in != s->last)
        heapanswer_table_part(&s->answer, "fields of %s", class_name);
    heapanswer_text(&s->answer, field->name);
    heapanswer_text(&s->answer, class_name);
    objvalue_put_cell(&s->answer, s->asked->graph, value, s->asked->with_values);
    s->has_begun = true;
    s->last = declared_in;
    return true;
}

static int put_fields(struct show *s)
{
    static const struct heapanswer_column columns[] = {
        {"field", "field", HEAPANSWER_NAME, 24},
        {"declared_in", NULL, HEAPANSWER_NAME, 0},
        {"value", "value", HEAPANSWER_NAME, 0},
    };
    heapanswer_table(&s->answer, "rows", NULL, columns, 3);
    int error = graph_each_field(s->asked->graph, s->asked->object, put_field, s);
    heapanswer_table_end(&s->answer, NULL);
    return error;
}

static int put_elements(struct show *s, const struct graph_info *info)
{
    static const struct heapanswer_column columns[] = {
        {NULL, "", HEAPANSWER_COUNT, 0},
        {"", "element", HEAPANSWER_NAME, 0},
    };
    uint64_t first = info->count < s->asked->skip ? info->count : s->asked->skip;
    uint64_t end = info->count - first < s->asked->rows ? info->count : first + s->asked->rows;
    struct graph_value values[PIECE];
    int error = 0;
    heapanswer_table(&s->answer, "rows", "elements", columns, 2);
    for (uint64_t done = first; done < end && error == 0; done += PIECE) {
        size_t piece = end - done < PIECE ? (size_t)(end - done) : PIECE;
        error = graph_value_elements(s->asked->graph, info->number, done, piece, values);
        for (size_t i = 0; i < piece && error == 0; i++) {
            heapanswer_number(&s->answer, done + i);
            objvalue_put_cell(&s->answer, s->asked->graph, &values[i], s->asked->with_values);
        }
    }
    heapanswer_table_end(&s->answer, "none");
    if (info->count > end)
        heapanswer_say(&s->answer, "... %" PRIu64 " more element%s: -n shows more",
                       info->count - end, plural_s(info->count - end));
    return error;
}

static void put_head(struct show *s, const struct graph_info *info)
{
    struct graph *g = s->asked->graph;
    char shallow[HEAPANSWER_BYTES_ROOM], retained[HEAPANSWER_BYTES_ROOM], name[OBJNAME_ROOM];
    graph_object dominator = graph_dominator(g, info->number);
    heapanswer_say(&s->answer, "%s", objname_full(g, info->number, name));
    heapanswer_say(&s->answer, "  own size %s, retained %s%s",
                   heapanswer_bytes(info->shallow_bytes, shallow),
                   heapanswer_bytes(graph_retained(g, info->number), retained),
                   graph_is_reachable(g, info->number) ? "" : "; no root reaches it");
    if (objname_root(g, info->number, name))
        heapanswer_say(&s->answer, "  root: %s", name);
    else if (dominator == GRAPH_ROOT)
        heapanswer_say(&s->answer, "  held by several roots");
    else if (dominator != GRAPH_NONE)
        heapanswer_say(&s->answer, "  held by %s", objname_full(g, dominator, name));
}

static int answer_show(struct question_asked *asked)
{
    struct show s = {.asked = asked};
    struct graph_info info;
    const struct decoded_how how = {.rows = asked->rows, .with_values = asked->with_values};
    int error = graph_look(asked->graph, asked->object, &info);
    if (error < 0)
        return error;
    heapanswer_begin(&s.answer, asked, "show");
    objrow_put_members(&s.answer, asked->graph, asked->object);
    put_head(&s, &info);
    error = decoded_put(&s.answer, asked->graph, &info, &how);
    if (error == 0 && (info.kind == GRAPH_INSTANCE || info.kind == GRAPH_CLASS)) {
        error = put_fields(&s);
    } else if (error == 0 && (info.kind == GRAPH_OBJECT_ARRAY || asked->with_values)) {
        error = put_elements(&s, &info);
    } else if (error == 0) {
        static const struct heapanswer_column none[] = {{"", "", HEAPANSWER_NAME, 0}};
        heapanswer_table(&s.answer, "rows", NULL, none, 1);
        heapanswer_table_end(&s.answer, NULL);
    }
    heapanswer_end(&s.answer);
    return error;
}

const struct question question_show = {
    .name = "show",
    .operand = "ID",
    .help = "One object: its sizes, fields or elements, and what it means",
    .needs_dominators = true,
    .needs_elements = true,
    .answer = answer_show,
};
