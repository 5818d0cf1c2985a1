/*
 * question_tree.c - `tree [ID]`: what an object dominates, largest first; without an id what the
 * roots hold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "heap/question_text.h"

static void print_rows(struct question_asked *a, const struct question_text_best *best)
{
    char size[HEAPANSWER_BYTES_ROOM];
    sink_printf(a->out, "%12s %7s  %s\n", "retained", "share", "object");
    for (uint32_t i = 0; i < best->count; i++) {
        question_text_row(a, best->objects[i]);
        sink_text(a->out, "\n");
    }
    uint64_t rest = best->bytes;
    for (uint32_t i = 0; i < best->count; i++)
        rest -= graph_retained(a->graph, best->objects[i]);
    if (best->seen > best->count)
        sink_printf(a->out, "%12s %6.2f%%  %" PRIu64 " more object%s\n",
                    heapanswer_bytes(rest, size), question_text_share(a, rest),
                    best->seen - best->count, plural_s(best->seen - best->count));
}

/* The dominators above an object, from the roots down. */
static void print_above(struct question_asked *a)
{
    enum { ABOVE_MAX = 12 };
    graph_object above[ABOVE_MAX];
    unsigned count = 0;
    uint64_t left_out = 0;
    for (graph_object at = graph_dominator(a->graph, a->object);
         at != GRAPH_ROOT && at != GRAPH_NONE; at = graph_dominator(a->graph, at)) {
        if (count < ABOVE_MAX)
            above[count++] = at;
        else
            left_out++;
    }
    if (left_out > 0)
        sink_printf(a->out, "%12s          (%" PRIu64 " dominator%s more)\n", "", left_out,
                    plural_s(left_out));
    while (count-- > 0) {
        question_text_row(a, above[count]);
        sink_text(a->out, "\n");
    }
}

static void print_text(struct question_asked *a, const struct question_text_best *best)
{
    char size[HEAPANSWER_BYTES_ROOM];
    if (a->object == GRAPH_NONE) {
        sink_text(a->out, "what the roots hold\n");
    } else if (!graph_is_reachable(a->graph, a->object)) {
        question_text_object(a, a->object);
        sink_text(a->out, " is not reachable from any root\n");
        return;
    } else {
        sink_text(a->out, "above it\n");
        print_above(a);
        sink_printf(a->out, "%12s          ",
                    heapanswer_bytes(graph_retained(a->graph, a->object), size));
        question_text_object(a, a->object);
        sink_text(a->out, "\nwhat it holds\n");
    }
    print_rows(a, best);
}

static void print_json(struct question_asked *a, const struct question_text_best *best)
{
    sink_text(a->out, "{\"question\": \"tree\"");
    if (a->object != GRAPH_NONE) {
        sink_text(a->out, ", \"object\": {");
        question_text_json(a, a->object);
        sink_text(a->out, "}");
    }
    sink_printf(a->out, ", \"children\": %" PRIu64 ", \"rows\": [", best->seen);
    for (uint32_t i = 0; i < best->count; i++) {
        sink_text(a->out, i == 0 ? "\n  {" : ",\n  {");
        question_text_json(a, best->objects[i]);
        sink_text(a->out, "}");
    }
    sink_text(a->out, "\n]}\n");
}

static int answer(struct question_asked *a)
{
    struct question_text_best best = {.graph = a->graph, .room = a->rows};
    best.objects = calloc(a->rows, sizeof(*best.objects));
    if (!best.objects)
        return E_LIMIT;
    graph_each_dominated(a->graph, a->object == GRAPH_NONE ? GRAPH_ROOT : a->object,
                         question_text_keep, &best);
    if (a->is_json)
        print_json(a, &best);
    else
        print_text(a, &best);
    free(best.objects);
    return 0;
}

const struct question question_tree = {
    .name = "tree",
    .operand = "[ID]",
    .help = "What the roots, or one object, hold alone: the tree of dominators, level by level",
    .needs_dominators = true,
    .answer = answer,
};
