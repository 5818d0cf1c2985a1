/*
 * objrow.c - see objrow.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/objrow.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/plural.h"
#include "heap/objname.h"

const char *objrow_kind(enum graph_kind kind)
{
    static const char *const words[] = {[GRAPH_INSTANCE] = "instance",
                                        [GRAPH_OBJECT_ARRAY] = "object array",
                                        [GRAPH_PRIMITIVE_ARRAY] = "primitive array",
                                        [GRAPH_CLASS] = "class"};
    return words[kind];
}

/* What the members of an object say. */
struct members {
    struct graph_info info;
    bool is_known; /* the file could be read */
    bool is_array, is_reachable;
    char thread[GRAPH_THREAD_NAME]; /* "": it is none */
    const char *klass;
};

double objrow_share(const struct graph *g, uint64_t bytes)
{
    uint64_t all = graph_facts(g)->reachable_bytes;
    return all == 0 ? 0 : 100.0 * (double)bytes / (double)all;
}

static void look(struct graph *g, graph_object object, struct members *m)
{
    *m = (struct members){0};
    m->is_known = graph_look(g, object, &m->info) == 0;
    if (!m->is_known)
        return;
    m->is_array = m->info.kind == GRAPH_OBJECT_ARRAY || m->info.kind == GRAPH_PRIMITIVE_ARRAY;
    m->is_reachable = graph_is_reachable(g, object);
    m->klass = objname_class(g, m->info.kind == GRAPH_CLASS ? m->info.self : m->info.klass);
    if (m->info.kind == GRAPH_INSTANCE && graph_thread_of(g, object))
        graph_thread_name(g, object, m->thread);
}

void objrow_put_cells(struct heapanswer *a, struct graph *g, graph_object object)
{
    struct members m;
    look(g, object, &m);
    heapanswer_number(a, graph_id(g, object));
    if (!m.is_known) {
        for (int i = 1; i < OBJROW_CELLS; i++)
            heapanswer_none(a);
        return;
    }
    heapanswer_text(a, objrow_kind(m.info.kind));
    heapanswer_text(a, m.klass);
    heapanswer_number(a, m.info.shallow_bytes);
    if (m.is_array)
        heapanswer_number(a, m.info.count);
    else
        heapanswer_none(a);
    if (m.is_reachable) {
        heapanswer_number(a, graph_retained(g, object));
        heapanswer_percent(a, objrow_share(g, graph_retained(g, object)));
    } else {
        heapanswer_none(a);
        heapanswer_none(a);
    }
    if (m.thread[0])
        heapanswer_text(a, m.thread);
    else
        heapanswer_none(a);
}

void objrow_put_name(struct heapanswer *a, struct graph *g, graph_object object)
{
    char name[OBJNAME_ROOM];
    heapanswer_text(a, objname_full(g, object, name));
}

void objrow_put_members(struct heapanswer *a, struct graph *g, graph_object object)
{
    struct members m;
    look(g, object, &m);
    heapanswer_fact(a, "id", NULL, HEAPANSWER_ID, graph_id(g, object));
    if (!m.is_known)
        return;
    heapanswer_fact_text(a, "kind", NULL, objrow_kind(m.info.kind));
    heapanswer_fact_text(a, "class", NULL, m.klass);
    heapanswer_fact(a, "shallow_bytes", NULL, HEAPANSWER_BYTES, m.info.shallow_bytes);
    if (m.is_array)
        heapanswer_fact(a, "length", NULL, HEAPANSWER_COUNT, m.info.count);
    if (m.is_reachable) {
        heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, graph_retained(g, object));
        heapanswer_fact_percent(a, "percent", NULL, objrow_share(g, graph_retained(g, object)));
    }
    if (m.thread[0])
        heapanswer_fact_text(a, "thread", NULL, m.thread);
}

void objrow_put_rest(struct heapanswer *a, const struct graph *g, uint64_t count, uint64_t bytes)
{
    char text[64];
    if (a->form == HEAPANSWER_JSON || count == 0)
        return;
    for (int i = 0; i < OBJROW_CELLS - 3; i++)
        heapanswer_none(a);
    heapanswer_number(a, bytes);
    heapanswer_percent(a, objrow_share(g, bytes));
    heapanswer_none(a);
    snprintf(text, sizeof(text), "%" PRIu64 " more object%s", count, plural_s(count));
    heapanswer_text(a, text);
}
