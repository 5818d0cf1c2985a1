/*
 * heapsites.c - see heapsites.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapsites.h"
#include <stdlib.h>
#include "base/err.h"
#include "heap/graph_parts.h"
#include "heap/retainedby.h"

enum { SITES_MAX = 1 << 24 };

/* Sites that are being collected. */
struct making {
    struct graph *g;
    struct heapsites *sites;
    uint32_t room;
    uint32_t *slots;        /* index of a row, plus 1; 0: free */
    struct heaptable group; /* by object: index of its row */
    int error;
};

static uint32_t *slot_of(const struct making *m, uint32_t trace)
{
    uint64_t mask = (uint64_t)m->room * 2 - 1;
    for (uint64_t at = trace * UINT64_C(0x9e3779b97f4a7c15) >> 20;; at++) {
        uint32_t *slot = &m->slots[at & mask];
        if (*slot == 0 || m->sites->rows[*slot - 1].trace == trace)
            return slot;
    }
}

static bool grow(struct making *m)
{
    uint32_t room = m->room ? m->room * 2 : 1024;
    struct heapsites *s = m->sites;
    struct heapsites_row *rows = room <= SITES_MAX ? realloc(s->rows, room * sizeof(*rows)) : NULL;
    if (rows)
        s->rows = rows;
    uint32_t *slots = rows ? calloc((size_t)room * 2, sizeof(*slots)) : NULL;
    if (!slots) {
        m->error = E_LIMIT;
        return false;
    }
    free(m->slots);
    m->slots = slots;
    m->room = room;
    for (uint32_t i = 0; i < s->count; i++)
        *slot_of(m, s->rows[i].trace) = i + 1;
    return true;
}

static bool take_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    (void)depth;
    (void)frame;
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
    struct making *m = with;
    struct heapsites *s = m->sites;
    if (!graph_is_reachable(m->g, object->number))
        return true;
    s->objects++;
    if (object->trace == 0 || object->kind == GRAPH_CLASS || (s->count == m->room && !grow(m)))
        return m->error == 0;
    uint32_t *slot = slot_of(m, object->trace);
    if (*slot == 0) {
        s->rows[s->count++] = (struct heapsites_row){.trace = object->trace, .largest = GRAPH_NONE};
        *slot = s->count;
    }
    struct heapsites_row *row = &s->rows[*slot - 1];
    row->objects++;
    row->bytes += object->shallow_bytes;
    heaptable_set(&m->group, object->number, *slot - 1);
    return true;
}

static int by_retained(const void *a, const void *b)
{
    const struct heapsites_row *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return x->trace < y->trace ? -1 : x->trace > y->trace;
}

static int sum(struct making *m)
{
    struct heapsites *s = m->sites;
    struct retainedby_row *rows = calloc((size_t)s->count + 1, sizeof(*rows));
    int error = rows ? retainedby_sum(m->g, &m->group, s->count, NULL, rows) : E_LIMIT;
    uint32_t kept = 0;
    for (uint32_t i = 0; error == 0 && i < s->count; i++) {
        s->rows[i].retained = rows[i].retained;
        s->rows[i].largest = rows[i].largest;
        if (!has_frames(m->g, s->rows[i].trace))
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

int heapsites_make(struct graph *g, struct heapsites *ret_sites)
{
    struct making m = {.g = g, .sites = ret_sites};
    *ret_sites = (struct heapsites){0};
    int error = grow(&m) ? retainedby_init(g, UINT32_MAX, &m.group) : E_LIMIT;
    if (error == 0)
        error = graph_each_object(g, visit, &m);
    error = error ? error : m.error;
    if (error == 0)
        error = sum(&m);
    heaptable_done(&m.group);
    free(m.slots);
    return error;
}

void heapsites_done(struct heapsites *s)
{
    free(s->rows);
    *s = (struct heapsites){0};
}
