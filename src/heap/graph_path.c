/*
 * graph_path.c - the shortest paths from roots to an object.
 *
 * Each path passes all dominators of the object. So the path is made of segments, from each
 * dominator to the next one, and a segment stays within the objects that its beginning dominates.
 * The search goes from the ends of the segments back to their beginnings, for all of them at once:
 * a pass over the file finds who refers to the objects that the last pass found. A segment of one
 * reference, which most are, needs no pass. All paths have the same dominators, so they differ in
 * the first segment alone, from a root to the first dominator.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/heaprefs.h"

struct pathing {
    struct graph *g;
    struct heaproom *room;
    struct bitrank roots, seen;  /* seen: found by a search, or the end of a segment */
    struct bitrank begins, wave; /* beginnings that are looked for; what the last pass found */
    struct bitrank next_wave;
    struct heaptable next;      /* by object: the next one on the way to the end of its segment */
    uint64_t open;              /* segments whose beginning was not found yet */
    uint64_t most;              /* roots that are looked for */
    bool wants_root;            /* the first segment, from any root, is open */
    struct heaproom_list found; /* heapnode: the roots that were found, the nearest first */
    struct heaprefs *refs;
};

static int init(struct pathing *p)
{
    struct graph *g = p->g;
    struct bitrank *sets[] = {&p->roots, &p->seen, &p->begins, &p->wave, &p->next_wave};
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        if (bitrank_init(sets[i], p->room, g->map.count) < 0)
            return E_LIMIT;
    int error = heaptable_init(&p->next, &g->store, g->map.count, sizeof(heapnode));
    p->refs = heaproom_take(p->room, sizeof(*p->refs));
    for (uint64_t i = 0; i < g->facts.roots; i++)
        if (graph_root_is_own(&g->roots[i]))
            bitrank_add(&p->roots, g->roots[i].object);
    return error == 0 && !p->refs ? E_LIMIT : error;
}

static void done(struct pathing *p)
{
    struct bitrank *sets[] = {&p->roots, &p->seen, &p->begins, &p->wave, &p->next_wave};
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        bitrank_done(sets[i], p->room);
    heaptable_done(&p->next);
    heaproom_give(p->room, p->refs, sizeof(*p->refs));
    heaproom_list_done(&p->found, p->room);
}

static int add_root(struct pathing *p, heapnode root)
{
    heapnode *row = heaproom_list_add(&p->found, p->room, sizeof(*row));
    if (!row)
        return E_LIMIT;
    *row = root;
    p->wants_root = p->found.count < p->most;
    return 0;
}

/* What is looked for among the references of one object. */
struct direct {
    graph_object to;
    bool is_found;
};

static bool see_direct(void *with, const struct graph_edge *edge)
{
    struct direct *d = with;
    d->is_found = d->is_found || (edge->to == d->to && !edge->is_weak);
    return !d->is_found;
}

/* Opens the segments that are longer than one reference. */
static int open_segments(struct pathing *p, heapnode object)
{
    for (heapnode at = object, dom;; at = dom) {
        dom = heaptable_node(&p->g->d.dom, at);
        if ((dom >= p->g->map.count && dom != HEAPNODE_ROOT) || bitrank_has(&p->seen, at))
            return E_FORMAT; /* an index that somebody has changed */
        bitrank_add(&p->seen, at);
        if (dom == HEAPNODE_ROOT) {
            if (bitrank_has(&p->roots, at)) {
                int error = add_root(p, at);
                p->wants_root = false; /* a path ends at the first root */
                return error;
            }
            p->wants_root = true;
            bitrank_add(&p->wave, at);
            return 0;
        }
        struct direct direct = {.to = at};
        int error = graph_each_edge(p->g, dom, see_direct, &direct);
        if (error < 0)
            return error;
        heaptable_put(&p->next, dom, at);
        if (!direct.is_found) {
            p->open++;
            bitrank_add(&p->begins, dom);
            bitrank_add(&p->wave, at);
        }
    }
}

static int take(struct pathing *p, heapnode from, heapnode to)
{
    if (bitrank_has(&p->begins, from)) {
        p->begins.words[from / 64] &= ~(UINT64_C(1) << from % 64);
        heaptable_put(&p->next, from, to);
        p->open--;
        return 0;
    }
    if (bitrank_has(&p->seen, from))
        return 0;
    bitrank_add(&p->seen, from);
    heaptable_put(&p->next, from, to);
    if (bitrank_has(&p->roots, from))
        return p->wants_root ? add_root(p, from) : 0;
    bitrank_add(&p->next_wave, from);
    return 0;
}

/* One pass. Returns whether it found something. Errors: negative. */
static int pass(struct pathing *p)
{
    bool is_open = false;
    int error = 0;
    heaprefs_begin(p->refs, p->g, &p->roots);
    while (error == 0 && heaprefs_next(p->refs))
        for (uint32_t i = 0; i < p->refs->count && error == 0; i++)
            if (bitrank_has(&p->wave, p->refs->to[i]))
                error = take(p, p->refs->owner, p->refs->to[i]);
    if (error < 0)
        return error;
    for (uint64_t i = 0; i < p->wave.word_count; i++) {
        p->wave.words[i] = p->next_wave.words[i];
        is_open = is_open || p->wave.words[i] != 0;
        p->next_wave.words[i] = 0;
    }
    return p->refs->error < 0 ? p->refs->error : is_open;
}

/* The reference between two objects of the path; strong ones first. */
struct between {
    graph_object to;
    struct graph_edge edge;
    bool is_found;
};

static bool see_between(void *with, const struct graph_edge *edge)
{
    struct between *b = with;
    if (edge->to != b->to || edge->is_weak)
        return true;
    b->edge = *edge;
    b->is_found = true;
    return false;
}

static int tell(struct pathing *p, heapnode root, heapnode object, graph_visit_edge *visit,
                void *with)
{
    for (heapnode at = root, next; at != object; at = next) {
        next = heaptable_node(&p->next, at);
        struct between between = {.to = next};
        int error = graph_each_edge(p->g, at, see_between, &between);
        if (error < 0)
            return error;
        if (!between.is_found)
            return E_FORMAT;
        if (!visit(with, &between.edge))
            return 0;
    }
    return 0;
}

static int search(struct pathing *p)
{
    int got = 1;
    while (got > 0 && (p->open > 0 || p->wants_root)) {
        got = pass(p);
        bool is_missing = p->open > 0 || p->found.count == 0;
        if (got == 0 && is_missing)
            return E_FORMAT; /* the file has changed */
    }
    return got < 0 ? got : 0;
}

/* What graph_path_all() is asked. */
struct wanted {
    struct pathing *p;
    heapnode object;
    graph_visit_number *begin;
    graph_visit_edge *visit;
    void *with;
};

static int find(void *with)
{
    const struct wanted *w = with;
    struct pathing *p = w->p;
    int error = init(p);
    if (error == 0)
        error = open_segments(p, w->object);
    if (error == 0)
        error = search(p);
    for (uint64_t i = 0; error == 0 && i < p->found.count; i++) {
        heapnode root = ((const heapnode *)(const void *)p->found.at)[i];
        if (w->begin && !w->begin(w->with, root))
            break;
        error = tell(p, root, w->object, w->visit, w->with);
    }
    return error;
}

int graph_path_all(struct graph *g, graph_object object, uint64_t most, graph_visit_number *begin,
                   graph_visit_edge *visit, void *with)
{
    struct pathing p = {.g = g, .room = &g->room, .most = most > 0 ? most : 1};
    struct wanted w = {&p, (heapnode)object, begin, visit, with};
    if (!graph_is_reachable(g, object))
        return E_NOT_FOUND;
    g->room.lacked = 0;
    int error = heaptable_guard(&g->store, find, &w);
    done(&p);
    if (g->store.error < 0)
        graph_dominate_forget(g);
    return error;
}

int graph_path(struct graph *g, graph_object object, graph_visit_edge *visit, void *with)
{
    return graph_path_all(g, object, 1, NULL, visit, with);
}
