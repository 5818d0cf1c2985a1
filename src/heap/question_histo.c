/*
 * question_histo.c - `histo`: classes, class loaders or packages by what their objects retain.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/err.h"
#include "heap/classgroup.h"
#include "heap/heapanswer.h"
#include "heap/question.h"

/* A group of classes and its row. */
struct line {
    uint32_t group;
    struct graph_histo histo;
};

struct histo {
    struct question_asked *asked;
    struct heapanswer answer;
    struct classgroup groups;
    struct line *lines; /* groups with objects, the largest first */
    uint32_t count;
};

static int by_retained(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->histo.retained_bytes != y->histo.retained_bytes)
        return x->histo.retained_bytes > y->histo.retained_bytes ? -1 : 1;
    if (x->histo.shallow_bytes != y->histo.shallow_bytes)
        return x->histo.shallow_bytes > y->histo.shallow_bytes ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static void put_largest(struct histo *h, graph_object largest)
{
    struct graph *g = h->asked->graph;
    char bytes[HEAPANSWER_BYTES_ROOM];
    if (largest == GRAPH_NONE) {
        heapanswer_none(&h->answer);
        return;
    }
    heapanswer_cell(&h->answer, heapanswer_bytes(graph_retained(g, largest), bytes));
    heapanswer_fact(&h->answer, "id", NULL, HEAPANSWER_ID, graph_id(g, largest));
    heapanswer_fact(&h->answer, "retained_bytes", NULL, HEAPANSWER_BYTES,
                    graph_retained(g, largest));
    heapanswer_cell_end(&h->answer);
}

static void put_line(struct histo *h, const struct line *line)
{
    heapanswer_number(&h->answer, line->histo.objects);
    heapanswer_number(&h->answer, line->histo.shallow_bytes);
    heapanswer_number(&h->answer, line->histo.retained_bytes);
    heapanswer_number(&h->answer, line->histo.lost);
    heapanswer_number(&h->answer, line->histo.lost_bytes);
    put_largest(h, line->histo.largest);
    classgroup_put_cells(&h->answer, &h->groups, h->asked->graph, line->group);
}

/* A row for people about rows that are not there. */
static void put_sum(struct histo *h, uint64_t objects, uint64_t bytes, const char *what)
{
    heapanswer_number(&h->answer, objects);
    heapanswer_number(&h->answer, bytes);
    for (int i = 0; i < 5; i++)
        heapanswer_none(&h->answer);
    heapanswer_text(&h->answer, what);
}

static void put_sums(struct histo *h, uint32_t shown)
{
    uint64_t all = graph_count(h->asked->graph), bytes = graph_facts(h->asked->graph)->bytes;
    uint64_t left = all, left_bytes = bytes;
    char text[64];
    for (uint32_t i = 0; i < shown; i++) {
        left -= h->lines[i].histo.objects;
        left_bytes -= h->lines[i].histo.shallow_bytes;
    }
    snprintf(text, sizeof(text), "(%" PRIu32 " more %s)", h->count - shown,
             classgroup_words(h->groups.by));
    if (h->count > shown)
        put_sum(h, left, left_bytes, text);
    put_sum(h, all, bytes, "in all");
}

static void put(struct histo *h)
{
    const char *word = classgroup_word(h->groups.by);
    bool has_ids = h->groups.by == QUESTION_BY_LOADER;
    const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"shallow_bytes", "own size", HEAPANSWER_BYTES, 0},
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"unreachable_objects", NULL, HEAPANSWER_COUNT, 0},
        {"unreachable_bytes", NULL, HEAPANSWER_BYTES, 0},
        {"largest", "largest", HEAPANSWER_BYTES, 0},
        {"id", has_ids ? "id" : NULL, HEAPANSWER_ID, 0},
        {word, word, HEAPANSWER_NAME, 0},
    };
    struct graph *g = h->asked->graph;
    uint32_t shown = h->count < h->asked->rows ? h->count : h->asked->rows;
    heapanswer_begin(&h->answer, h->asked, "histo");
    heapanswer_fact(&h->answer, "objects", NULL, HEAPANSWER_COUNT, graph_count(g));
    heapanswer_fact(&h->answer, "bytes", NULL, HEAPANSWER_BYTES, graph_facts(g)->bytes);
    heapanswer_fact(&h->answer, "created_ms", NULL, HEAPANSWER_CHANGE_COUNT,
                    (uint64_t)graph_facts(g)->created_ms);
    heapanswer_fact_text(&h->answer, "by", NULL, word);
    heapanswer_table(&h->answer, "rows", NULL, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < shown; i++)
        put_line(h, &h->lines[i]);
    if (!h->asked->is_json)
        put_sums(h, shown);
    heapanswer_table_end(&h->answer, NULL);
    heapanswer_end(&h->answer);
}

static int answer_histo(struct question_asked *asked)
{
    struct histo h = {.asked = asked};
    int error = classgroup_make(asked->graph, asked->by, &h.groups);
    struct graph_histo *rows = calloc((size_t)h.groups.count + 1, sizeof(*rows));
    h.lines = calloc((size_t)h.groups.count + 1, sizeof(*h.lines));
    if (!rows || !h.lines)
        error = E_LIMIT;
    if (error == 0)
        error = graph_histo_of(asked->graph, h.groups.group_of, h.groups.count, rows);
    for (uint32_t i = 0; error == 0 && i < h.groups.count; i++)
        if (rows[i].objects > 0)
            h.lines[h.count++] = (struct line){.group = i, .histo = rows[i]};
    if (error == 0) {
        if (h.count > 0)
            qsort(h.lines, h.count, sizeof(*h.lines), by_retained);
        put(&h);
    }
    free(rows);
    free(h.lines);
    classgroup_done(&h.groups);
    return error;
}

const struct question question_histo = {
    .name = "histo",
    .help = "Classes, loaders or packages: objects, own size, what they retain together, the "
            "largest one",
    .needs_dominators = true,
    .answer = answer_histo,
};
