/*
 * question_top.c - `top`: the objects, classes, class loaders and packages that hold most.
 *
 * Classes, loaders and packages count what the objects that are directly below the virtual root
 * retain, so that nothing counts twice.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "base/err.h"
#include "heap/classgroup.h"
#include "heap/heapanswer.h"
#include "heap/heaviest.h"
#include "heap/objrow.h"
#include "heap/question.h"

enum {
    GROUPINGS = QUESTION_BY_PACKAGE + 1,
    MANY_SHARE = 64, /* a part of the objects that are many: a look-up reads as many records */
};

/* What the objects of a group that are below the virtual root retain. */
struct held {
    uint32_t group;
    uint64_t objects, bytes;
};

struct tops {
    struct question_asked *asked;
    struct heapanswer answer;
    struct heaviest best;
    struct classgroup groups[GROUPINGS];
    struct held *held[GROUPINGS]; /* by group */
    int error;
};

/* Counts an object below the virtual root. */
static void count(struct tops *t, const struct graph_info *object)
{
    for (int i = 0; i < GROUPINGS; i++) {
        uint32_t group = classgroup_of(&t->groups[i], t->asked->graph, object);
        if (group == UINT32_MAX)
            continue;
        t->held[i][group].objects++;
        t->held[i][group].bytes += graph_retained(t->asked->graph, object->number);
    }
}

static bool look(void *with, graph_object object)
{
    struct tops *t = with;
    struct graph_info info;
    t->error = graph_look(t->asked->graph, object, &info);
    if (t->error == 0)
        count(t, &info);
    return t->error == 0;
}

static bool visit(void *with, const struct graph_info *object)
{
    struct tops *t = with;
    if (graph_dominator(t->asked->graph, object->number) == GRAPH_ROOT)
        count(t, object);
    return true;
}

/* Few objects are looked up; if they are many, reading all is faster. */
static void count_all(struct tops *t)
{
    struct graph *g = t->asked->graph;
    graph_each_dominated(g, GRAPH_ROOT, heaviest_keep, &t->best);
    if (t->best.seen < graph_count(g) / MANY_SHARE)
        graph_each_dominated(g, GRAPH_ROOT, look, t);
    else
        t->error = graph_each_object(g, visit, t);
}

static int by_bytes(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static void put_objects(struct tops *t)
{
    static const struct heapanswer_column columns[] = {
        OBJROW_COLUMNS("retained", "share"),
        OBJROW_NAME,
    };
    heapanswer_table(&t->answer, "objects", "objects", columns, OBJROW_CELLS + 1);
    for (uint32_t i = 0; i < t->best.count; i++) {
        objrow_put_cells(&t->answer, t->asked->graph, t->best.objects[i]);
        objrow_put_name(&t->answer, t->asked->graph, t->best.objects[i]);
    }
    heapanswer_table_end(&t->answer, "nothing can be reached");
}

static void put_held(struct tops *t, enum question_by by)
{
    const char *words = classgroup_words(by);
    struct graph *g = t->asked->graph;
    const struct heapanswer_column columns[] = {
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"percent", "share", HEAPANSWER_PERCENT, 0},
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"id", by == QUESTION_BY_LOADER ? "id" : NULL, HEAPANSWER_ID, 0},
        {"name", classgroup_word(by), HEAPANSWER_NAME, 0},
    };
    heapanswer_table(&t->answer, words, words, columns, 5);
    for (uint32_t i = 0; i < t->groups[by].count && i < t->asked->rows; i++) {
        const struct held *h = &t->held[by][i];
        if (h->bytes == 0)
            break; /* they are sorted */
        heapanswer_number(&t->answer, h->bytes);
        heapanswer_percent(&t->answer, objrow_share(g, h->bytes));
        heapanswer_number(&t->answer, h->objects);
        classgroup_put_cells(&t->answer, &t->groups[by], g, h->group);
    }
    heapanswer_table_end(&t->answer, NULL);
}

static int begin(struct tops *t)
{
    int error = 0;
    t->best.objects = calloc(t->asked->rows, sizeof(*t->best.objects));
    for (int i = 0; i < GROUPINGS && error == 0; i++) {
        error = classgroup_make(t->asked->graph, (enum question_by)i, &t->groups[i]);
        t->held[i] = calloc((size_t)t->groups[i].count + 1, sizeof(*t->held[i]));
        for (uint32_t j = 0; t->held[i] && j < t->groups[i].count; j++)
            t->held[i][j].group = j;
        if (!t->held[i])
            error = E_LIMIT;
    }
    return t->best.objects ? error : E_LIMIT;
}

static int answer_top(struct question_asked *asked)
{
    struct tops t = {.asked = asked, .best = {.graph = asked->graph, .room = asked->rows}};
    t.error = begin(&t);
    if (t.error == 0)
        count_all(&t);
    if (t.error == 0) {
        heapanswer_begin(&t.answer, asked, "top");
        put_objects(&t);
        for (int i = 0; i < GROUPINGS; i++) {
            if (t.groups[i].count > 0)
                qsort(t.held[i], t.groups[i].count, sizeof(*t.held[i]), by_bytes);
            put_held(&t, (enum question_by)i);
        }
        heapanswer_end(&t.answer);
    }
    for (int i = 0; i < GROUPINGS; i++) {
        classgroup_done(&t.groups[i]);
        free(t.held[i]);
    }
    free(t.best.objects);
    return t.error;
}

const struct question question_top = {
    .name = "top",
    .help = "The largest objects, classes, loaders and packages by what they hold alone",
    .needs_dominators = true,
    .answer = answer_top,
};
