/*
 * question_sites.c - what was allocated where and is still held, by the trace of the allocation.
 *
 * The agent writes such traces with heap=dump and heap=sites; dumps of the JVM itself have none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/plural.h"
#include "heap/heapanswer.h"
#include "heap/graph_parts.h"
#include "heap/objname.h"
#include "heap/question.h"
#include "heap/retainedby.h"

enum { FRAMES = 6, SITES_MAX = 1 << 24 };

/* A trace with the objects that were allocated there. */
struct site {
    uint32_t trace;
    uint64_t objects, bytes; /* reachable ones, by their own sizes */
    uint64_t retained;
    graph_object largest;
    graph_class klass; /* of the largest object */
};

struct sites {
    struct question_asked *asked;
    struct heapanswer answer;
    struct site *rows;
    uint32_t count, room;
    uint32_t *slots;        /* index of a row, plus 1; 0: free */
    struct heaptable group; /* by object: index of its row */
    uint64_t with_trace, objects;
    int error;
};

static uint32_t *slot_of(const struct sites *s, uint32_t trace)
{
    uint64_t mask = (uint64_t)s->room * 2 - 1;
    for (uint64_t at = trace * UINT64_C(0x9e3779b97f4a7c15) >> 20;; at++) {
        uint32_t *slot = &s->slots[at & mask];
        if (*slot == 0 || s->rows[*slot - 1].trace == trace)
            return slot;
    }
}

static bool grow(struct sites *s)
{
    uint32_t room = s->room ? s->room * 2 : 1024;
    struct site *rows = room <= SITES_MAX ? realloc(s->rows, room * sizeof(*rows)) : NULL;
    if (rows)
        s->rows = rows;
    uint32_t *slots = rows ? calloc((size_t)room * 2, sizeof(*slots)) : NULL;
    if (!slots) {
        s->error = E_LIMIT;
        return false;
    }
    free(s->slots);
    s->slots = slots;
    s->room = room;
    for (uint32_t i = 0; i < s->count; i++)
        *slot_of(s, s->rows[i].trace) = i + 1;
    return true;
}

static bool take_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    *(bool *)with = true;
    return false;
}

static bool has_frames(struct graph *g, uint32_t trace)
{
    bool has = false;
    return graph_each_frame(g, trace, take_frame, &has) == 0 && has;
}

static bool visit(void *with, const struct graph_info *object)
{
    struct sites *s = with;
    struct graph *g = s->asked->graph;
    if (object->number < graph_count(g))
        heaptable_set(&s->group, object->number, RETAINEDBY_NONE);
    if (!graph_is_reachable(g, object->number))
        return true;
    s->objects++;
    if (object->trace == 0 || object->kind == GRAPH_CLASS || (s->count == s->room && !grow(s)))
        return s->error == 0;
    uint32_t *slot = slot_of(s, object->trace);
    if (*slot == 0) {
        s->rows[s->count++] =
            (struct site){.trace = object->trace, .largest = GRAPH_NONE, .klass = GRAPH_NO_CLASS};
        *slot = s->count;
    }
    struct site *row = &s->rows[*slot - 1];
    row->objects++;
    row->bytes += object->shallow_bytes;
    heaptable_set(&s->group, object->number, *slot - 1);
    return true;
}

static int by_retained(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return x->trace < y->trace ? -1 : x->trace > y->trace;
}

static int sum(struct sites *s)
{
    struct graph *g = s->asked->graph;
    struct retainedby_row *rows = calloc((size_t)s->count + 1, sizeof(*rows));
    int error = rows ? retainedby_sum(g, &s->group, s->count, rows) : E_LIMIT;
    uint32_t kept = 0;
    for (uint32_t i = 0; error == 0 && i < s->count; i++) {
        s->rows[i].retained = rows[i].retained;
        s->rows[i].largest = rows[i].largest;
        if (!has_frames(g, s->rows[i].trace))
            continue;
        s->with_trace += s->rows[i].objects;
        s->rows[kept++] = s->rows[i];
    }
    if (error == 0)
        s->count = kept;
    if (error == 0 && kept > 0)
        qsort(s->rows, kept, sizeof(*s->rows), by_retained);
    free(rows);
    return error;
}

static void put_site(struct sites *s, const struct site *site)
{
    struct graph *g = s->asked->graph;
    struct heapanswer *a = &s->answer;
    char retained[HEAPANSWER_BYTES_ROOM], own[HEAPANSWER_BYTES_ROOM], name[OBJNAME_ROOM];
    heapanswer_item(a);
    heapanswer_heading(a,
                       "%s retained by %" PRIu64 " object%s of %s; the largest is %s @ 0x%" PRIx64,
                       heapanswer_bytes(site->retained, retained), site->objects,
                       plural_s(site->objects), heapanswer_bytes(site->bytes, own),
                       objname_of(g, site->largest, name), graph_id(g, site->largest));
    heapanswer_fact(a, "trace", NULL, HEAPANSWER_COUNT, site->trace);
    heapanswer_fact(a, "objects", NULL, HEAPANSWER_COUNT, site->objects);
    heapanswer_fact(a, "shallow_bytes", NULL, HEAPANSWER_BYTES, site->bytes);
    heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, site->retained);
    heapanswer_fact(a, "largest_id", NULL, HEAPANSWER_ID, graph_id(g, site->largest));
    heapanswer_fact_text(a, "largest", NULL, name);
    objname_put_frames(a, g, "frames", NULL, site->trace, s->asked->is_json ? UINT32_MAX : FRAMES);
    heapanswer_item_end(a);
}

static void put(struct sites *s)
{
    struct heapanswer *a = &s->answer;
    heapanswer_begin(a, s->asked, "sites");
    heapanswer_fact(a, "objects", "objects that can be reached", HEAPANSWER_COUNT, s->objects);
    heapanswer_fact(a, "with_trace", "objects whose allocation has a trace", HEAPANSWER_COUNT,
                    s->with_trace);
    heapanswer_list(a, "sites");
    for (uint32_t i = 0; i < s->count && i < s->asked->rows; i++)
        put_site(s, &s->rows[i]);
    heapanswer_list_end(a);
    if (s->count == 0)
        heapanswer_say(a,
                       "the dump says of no object where it was allocated; dumps of the agent with "
                       "heap=all or heap=sites do");
    heapanswer_end(a);
}

static int answer_sites(struct question_asked *asked)
{
    struct sites s = {.asked = asked};
    int error = grow(&s) ? retainedby_init(asked->graph, UINT32_MAX, &s.group) : E_LIMIT;
    if (error == 0)
        error = graph_each_object(asked->graph, visit, &s);
    error = error ? error : s.error;
    if (error == 0)
        error = sum(&s);
    if (error == 0)
        put(&s);
    heaptable_done(&s.group);
    free(s.rows);
    free(s.slots);
    return error;
}

const struct question question_sites = {
    .name = "sites",
    .help = "What is still held, by the place where it was allocated",
    .needs_dominators = true,
    .has_markdown = true,
    .answer = answer_sites,
};
