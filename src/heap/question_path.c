/*
 * question_path.c - `path ID`: the shortest paths from roots to an object.
 *
 * Of each root that leads to the object without passing another root, a path is a shortest one. The
 * user says how many of these are shown: one, the first N, or all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "heap/question.h"

struct paths {
    struct question_asked *asked;
    struct heapanswer answer;
    uint64_t count;
};

static void put_cells(struct paths *p, graph_object object, const struct graph_edge *edge)
{
    struct heapanswer *a = &p->answer;
    struct graph *g = p->asked->graph;
    char text[OBJNAME_ROOM];
    objrow_put_cells(a, g, object);
    if (edge) {
        heapanswer_none(a);
        heapanswer_text(a, objname_edge_kind(edge->kind));
        heapanswer_text(a, edge->name);
        heapanswer_text(a, objname_edge(g, edge, text));
    } else {
        const struct graph_root *root = graph_root_of(g, object);
        heapanswer_text(a, root ? graph_root_word(root->kind) : "");
        heapanswer_none(a);
        heapanswer_none(a);
        heapanswer_text(a, "root");
    }
    objrow_put_name(a, g, object);
}

/* The first path is the member "rows"; the others are items of a list. */
static void end_path(struct paths *p)
{
    if (p->count > 0)
        heapanswer_table_end(&p->answer, NULL);
    if (p->count == 1)
        heapanswer_list(&p->answer, "other_paths");
    else if (p->count > 1)
        heapanswer_object_end(&p->answer);
}

static bool begin_path(void *with, graph_object root)
{
    static const struct heapanswer_column columns[] = {
        OBJROW_COLUMNS("retained", NULL),
        {"root", NULL, HEAPANSWER_NAME, 0},
        {"by", NULL, HEAPANSWER_NAME, 0},
        {"name", NULL, HEAPANSWER_NAME, 0},
        {"reference", "through", HEAPANSWER_NAME, 40},
        OBJROW_NAME,
    };
    struct paths *p = with;
    char text[OBJNAME_ROOM];
    end_path(p);
    if (p->count++ > 0)
        heapanswer_object(&p->answer, NULL);
    heapanswer_heading(&p->answer, "root: %s", objname_root(p->asked->graph, root, text));
    heapanswer_table(&p->answer, "rows", NULL, columns, OBJROW_CELLS + 5);
    put_cells(p, root, NULL);
    return true;
}

static bool put_step(void *with, const struct graph_edge *edge)
{
    put_cells(with, edge->to, edge);
    return true;
}

static int answer_path(struct question_asked *asked)
{
    struct paths p = {.asked = asked};
    if (!graph_is_reachable(asked->graph, asked->object)) {
        bool is_weak = asked->options && asked->options->follows_weak;
        asked->why = is_weak ? "no root reaches this object"
                             : "no root reaches this object; --weak takes weak, soft, phantom and "
                               "final references into account";
        return E_NOT_FOUND;
    }
    heapanswer_begin(&p.answer, asked, "path");
    int error = graph_path_all(asked->graph, asked->object, asked->paths, begin_path, put_step, &p);
    end_path(&p);
    if (p.count > 0)
        heapanswer_list_end(&p.answer);
    heapanswer_fact(&p.answer, "paths", NULL, HEAPANSWER_COUNT, p.count);
    if (p.count > 0 && p.count == asked->paths && asked->paths > 1)
        heapanswer_say(&p.answer, "these are the first paths; --all shows all");
    heapanswer_end(&p.answer);
    return error;
}

const struct question question_path = {
    .name = "path",
    .operand = "ID",
    .help = "The shortest paths from roots to an object: why it is still there",
    .needs_dominators = true,
    .answer = answer_path,
};
