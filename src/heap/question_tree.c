/*
 * question_tree.c - `tree [ID]`: what an object dominates, largest first; without an id what the
 * roots hold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/plural.h"
#include "heap/heapanswer.h"
#include "heap/heaviest.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "heap/question.h"

enum { ABOVE_MAX = 64 };

static const struct heapanswer_column columns[] = {
    OBJROW_COLUMNS("retained", "share"),
    OBJROW_NAME,
};

/* The dominators above an object, from the roots down, and the object itself. */
static void put_above(struct question_asked *asked, struct heapanswer *a)
{
    struct graph *g = asked->graph;
    graph_object above[ABOVE_MAX];
    unsigned count = 0;
    uint64_t left_out = 0;
    for (graph_object at = graph_dominator(g, asked->object); at != GRAPH_ROOT && at != GRAPH_NONE;
         at = graph_dominator(g, at)) {
        if (count < ABOVE_MAX)
            above[count++] = at;
        else
            left_out++;
    }
    heapanswer_fact_bool(a, "above_is_cut", left_out > 0);
    heapanswer_table(a, "above", "it, and what is above it", columns, OBJROW_CELLS + 1);
    while (count-- > 0) {
        objrow_put_cells(a, g, above[count]);
        objrow_put_name(a, g, above[count]);
        if (left_out > 0)
            heapanswer_note(a, "below %" PRIu64 " dominator%s more", left_out, plural_s(left_out));
        left_out = 0;
    }
    if (!asked->is_json) {
        objrow_put_cells(a, g, asked->object);
        objrow_put_name(a, g, asked->object);
    }
    heapanswer_table_end(a, NULL);
}

static void put_children(struct question_asked *asked, struct heapanswer *a,
                         const struct heaviest *best)
{
    heapanswer_fact(a, "children", NULL, HEAPANSWER_COUNT, best->seen);
    heapanswer_table(a, "rows",
                     asked->object == GRAPH_NONE ? "what the roots hold" : "what it holds", columns,
                     OBJROW_CELLS + 1);
    for (uint64_t i = asked->skip; i < best->count; i++) {
        objrow_put_cells(a, asked->graph, best->objects[i]);
        objrow_put_name(a, asked->graph, best->objects[i]);
    }
    objrow_put_rest(a, asked->graph, best->seen - best->count, heaviest_rest(best));
    heapanswer_table_end(a, "nothing");
}

static int answer_tree(struct question_asked *asked)
{
    struct graph *g = asked->graph;
    struct heapanswer a;
    uint64_t room = asked->skip + asked->rows;
    room = room < graph_count(g) ? room : graph_count(g);
    struct heaviest best = {.graph = g, .room = (uint32_t)room};
    char name[OBJNAME_ROOM];
    bool is_whole = asked->object == GRAPH_NONE;
    bool is_lost = !is_whole && !graph_is_reachable(g, asked->object);
    best.objects = calloc(room + 1, sizeof(*best.objects));
    if (!best.objects)
        return E_LIMIT;
    if (!is_lost)
        graph_each_dominated(g, is_whole ? GRAPH_ROOT : asked->object, heaviest_keep, &best);
    heapanswer_begin(&a, asked, "tree");
    if (!is_whole) {
        heapanswer_object(&a, "object");
        objrow_put_members(&a, g, asked->object);
        heapanswer_object_end(&a);
    }
    if (is_lost)
        heapanswer_say(&a, "%s is not reachable from any root",
                       objname_full(g, asked->object, name));
    if (!is_whole && !is_lost)
        put_above(asked, &a);
    if (asked->is_json || !is_lost)
        put_children(asked, &a, &best);
    heapanswer_end(&a);
    free(best.objects);
    return 0;
}

const struct question question_tree = {
    .name = "tree",
    .operand = "[ID]",
    .help = "What the roots, or one object, hold alone: the tree of dominators, level by level",
    .needs_dominators = true,
    .answer = answer_tree,
};
