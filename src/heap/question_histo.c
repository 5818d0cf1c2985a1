/*
 * question_histo.c - `histo`: classes by what their objects retain.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/sink.h"
#include "heap/question_text.h"

/* A class and its row. */
struct line {
    graph_class klass;
    struct graph_histo histo;
};

static int by_retained(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->histo.retained_bytes != y->histo.retained_bytes)
        return x->histo.retained_bytes > y->histo.retained_bytes ? -1 : 1;
    if (x->histo.shallow_bytes != y->histo.shallow_bytes)
        return x->histo.shallow_bytes > y->histo.shallow_bytes ? -1 : 1;
    return x->klass < y->klass ? -1 : x->klass > y->klass;
}

static void print_text(struct question_asked *a, const struct line *lines, uint32_t count,
                       uint32_t classes)
{
    char shallow[HEAPANSWER_BYTES_ROOM], retained[HEAPANSWER_BYTES_ROOM],
        largest[HEAPANSWER_BYTES_ROOM];
    uint64_t objects = 0, bytes = 0;
    sink_printf(a->out, "%12s %12s %12s %12s  %s\n", "objects", "own size", "retained", "largest",
                "class");
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_histo *h = &lines[i].histo;
        objects += h->objects;
        bytes += h->shallow_bytes;
        heapanswer_bytes(h->largest == GRAPH_NONE ? 0 : graph_retained(a->graph, h->largest),
                         largest);
        sink_printf(a->out, "%12" PRIu64 " %12s %12s %12s  %s\n", h->objects,
                    heapanswer_bytes(h->shallow_bytes, shallow),
                    heapanswer_bytes(h->retained_bytes, retained), largest,
                    graph_class_at(a->graph, lines[i].klass)->name);
    }
    if (classes > count)
        sink_printf(a->out, "%12" PRIu64 " %12s %12s %12s  (%" PRIu32 " more classes)\n",
                    graph_count(a->graph) - objects,
                    heapanswer_bytes(graph_facts(a->graph)->bytes - bytes, shallow), "", "",
                    classes - count);
    sink_printf(a->out, "%12" PRIu64 " %12s  in all\n", graph_count(a->graph),
                heapanswer_bytes(graph_facts(a->graph)->bytes, shallow));
}

static void print_json(struct question_asked *a, const struct line *lines, uint32_t count)
{
    sink_printf(a->out,
                "{\"question\": \"histo\", \"objects\": %" PRIu64 ", \"bytes\": %" PRIu64
                ", \"rows\": [",
                graph_count(a->graph), graph_facts(a->graph)->bytes);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_histo *h = &lines[i].histo;
        sink_text(a->out, i == 0 ? "\n  {\"class\": " : ",\n  {\"class\": ");
        question_text_quoted(a, graph_class_at(a->graph, lines[i].klass)->name);
        sink_printf(a->out,
                    ", \"objects\": %" PRIu64 ", \"shallow_bytes\": %" PRIu64
                    ", \"retained_bytes\": %" PRIu64 ", \"unreachable_objects\": %" PRIu64
                    ", \"unreachable_bytes\": %" PRIu64,
                    h->objects, h->shallow_bytes, h->retained_bytes, h->lost, h->lost_bytes);
        if (h->largest != GRAPH_NONE)
            sink_printf(a->out,
                        ", \"largest\": {\"id\": \"0x%" PRIx64 "\", \"retained_bytes\": %" PRIu64
                        "}",
                        graph_id(a->graph, h->largest), graph_retained(a->graph, h->largest));
        sink_text(a->out, "}");
    }
    sink_text(a->out, "\n]}\n");
}

static int answer(struct question_asked *a)
{
    graph_class classes = graph_class_count(a->graph);
    struct graph_histo *rows = calloc((size_t)classes + 1, sizeof(*rows));
    struct line *lines = calloc((size_t)classes + 1, sizeof(*lines));
    uint32_t count = 0;
    int error = rows && lines ? graph_histo(a->graph, rows) : E_LIMIT;
    for (graph_class i = 0; error == 0 && i < classes; i++)
        if (rows[i].objects > 0)
            lines[count++] = (struct line){.klass = i, .histo = rows[i]};
    if (error == 0) {
        qsort(lines, count, sizeof(*lines), by_retained);
        uint32_t shown = count < a->rows ? count : a->rows;
        if (a->is_json)
            print_json(a, lines, shown);
        else
            print_text(a, lines, shown, count);
    }
    free(rows);
    free(lines);
    return error;
}

const struct question question_histo = {
    .name = "histo",
    .help = "Classes: objects, own size, what they retain together, the largest one",
    .needs_dominators = true,
    .answer = answer,
};
