/*
 * question_referrers.c - `referrers ID`: the objects that refer to an object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/plural.h"
#include "heap/heapanswer.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "heap/question.h"

struct referrers {
    struct question_asked *asked;
    struct heapanswer answer;
    uint64_t count;
};

static bool put_row(void *with, const struct graph_edge *edge)
{
    struct referrers *r = with;
    struct graph *g = r->asked->graph;
    char text[OBJNAME_ROOM], through[OBJNAME_ROOM + 32];
    if (++r->count <= r->asked->skip || r->count - r->asked->skip > r->asked->rows)
        return true;
    objrow_put_cells(&r->answer, g, edge->from);
    heapanswer_text(&r->answer, objname_edge_kind(edge->kind));
    heapanswer_text(&r->answer, edge->name);
    heapanswer_flag(&r->answer, !edge->is_weak);
    snprintf(through, sizeof(through), "%s%s", objname_edge(g, edge, text),
             edge->is_weak ? " (keeps nothing alive)" : "");
    heapanswer_text(&r->answer, through);
    objrow_put_name(&r->answer, g, edge->from);
    return true;
}

static int answer_referrers(struct question_asked *asked)
{
    static const struct heapanswer_column columns[] = {
        OBJROW_COLUMNS(NULL, NULL),
        {"by", NULL, HEAPANSWER_NAME, 0},
        {"name", NULL, HEAPANSWER_NAME, 0},
        {"keeps_alive", NULL, HEAPANSWER_FLAG, 0},
        {"reference", "through", HEAPANSWER_NAME, 40},
        OBJROW_NAME,
    };
    struct referrers r = {.asked = asked};
    struct heapanswer *a = &r.answer;
    char name[OBJNAME_ROOM];
    heapanswer_begin(a, asked, "referrers");
    objrow_put_members(a, asked->graph, asked->object);
    heapanswer_say(a, "%s", objname_full(asked->graph, asked->object, name));
    if (objname_root(asked->graph, asked->object, name))
        heapanswer_fact_text(a, "root", "root", name);
    heapanswer_table(a, "rows", "who refers to it", columns, OBJROW_CELLS + 5);
    int error = graph_each_edge_to(asked->graph, &asked->object, 1, put_row, &r);
    heapanswer_table_end(a, "nothing in the dump");
    heapanswer_fact(a, "referrers", NULL, HEAPANSWER_COUNT, r.count);
    if (r.count > 0)
        heapanswer_say(a, "%" PRIu64 " reference%s to it%s", r.count, plural_s(r.count),
                       r.count > asked->skip + asked->rows ? "; -n shows more" : "");
    heapanswer_end(a);
    return error;
}

const struct question question_referrers = {
    .name = "referrers",
    .operand = "ID",
    .help = "Who refers to an object, weak references included",
    .answer = answer_referrers,
};
