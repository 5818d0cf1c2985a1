/*
 * forest.c - numbers trees in preorder.
 *
 * First the parents become lists: the table of numbers holds the first child of each object, and
 * the table of parents the next sibling, or the parent for the last child. The walk then follows
 * the lists, and puts numbers and parents back behind itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/forest.h"
#include <string.h>
#include "base/err.h"

/* A sibling to which the walk must come back, and its parent. */
struct pending {
    heapnode node, parent;
};

struct walk {
    struct forest *f;
    struct heaproom *room;
    heapnode *parents;
    struct bitrank last, seen;     /* last: the row of `parents` is a parent, not a sibling */
    struct heaproom_list pendings; /* struct pending */
};

static bool is_node(heapnode n)
{
    return n < HEAPNODE_MAX;
}

static void make_lists(struct walk *w, uint64_t objects)
{
    heapnode *first = w->f->pre;
    for (uint64_t i = 0; i < objects; i++)
        first[i] = HEAPNODE_NONE;
    for (uint64_t i = objects; i-- > 0;) {
        heapnode parent = w->parents[i];
        if (!is_node(parent))
            continue;
        if (first[parent] == HEAPNODE_NONE)
            bitrank_add(&w->last, i);
        else
            w->parents[i] = first[parent];
        first[parent] = (heapnode)i;
    }
}

/* Numbers `node`, and notes its sibling. Returns its first child. Errors: *ret_error. */
static heapnode enter(struct walk *w, heapnode node, heapnode parent, int *ret_error)
{
    heapnode first = w->f->pre[node];
    if (!bitrank_has(&w->last, node)) {
        struct pending *p = heaproom_list_add(&w->pendings, w->room, sizeof(*p));
        if (!p) {
            *ret_error = E_LIMIT;
            return HEAPNODE_NONE;
        }
        *p = (struct pending){.node = w->parents[node], .parent = parent};
    }
    w->parents[node] = parent;
    w->f->pre[node] = (heapnode)w->f->count++;
    bitrank_add(&w->seen, node);
    return first;
}

static int number_tree(struct walk *w, heapnode top)
{
    int error = 0;
    heapnode parent = top, node = w->f->pre[top];
    bitrank_add(&w->f->tops, w->f->count);
    w->f->trees++;
    w->f->pre[top] = (heapnode)w->f->count++;
    bitrank_add(&w->seen, top);
    for (;;) {
        while (node != HEAPNODE_NONE) {
            heapnode child = enter(w, node, parent, &error);
            if (error < 0)
                return error;
            parent = node;
            node = child;
        }
        if (w->pendings.count == 0)
            return 0;
        const struct pending *p = (const void *)w->pendings.at;
        p += --w->pendings.count;
        node = p->node;
        parent = p->parent;
    }
}

static int number_trees(struct walk *w, uint64_t objects)
{
    for (uint64_t i = 0; i < objects; i++) {
        /* A row of an object that was not visited yet may hold a sibling; those of tops do not. */
        if (bitrank_has(&w->seen, i) ||
            (w->parents[i] != HEAPNODE_ROOT && w->parents[i] != HEAPNODE_MANY))
            continue;
        int error = number_tree(w, (heapnode)i);
        if (error < 0)
            return error;
    }
    for (uint64_t i = 0; i < objects; i++)
        if (!bitrank_has(&w->seen, i))
            w->parents[i] = w->f->pre[i] = HEAPNODE_NONE;
    return 0;
}

int forest_number(struct forest *f, struct heaproom *room, heapnode *parents, uint64_t objects)
{
    struct walk w = {.f = f, .room = room, .parents = parents};
    *f = (struct forest){.pre = heaproom_take(room, objects * sizeof(*f->pre))};
    int error = f->pre ? 0 : E_LIMIT;
    if (error == 0)
        error = bitrank_init(&f->tops, room, objects);
    if (error == 0)
        error = bitrank_init(&w.last, room, objects);
    if (error == 0)
        error = bitrank_init(&w.seen, room, objects);
    if (error == 0) {
        make_lists(&w, objects);
        error = number_trees(&w, objects);
    }
    bitrank_done(&w.last, room);
    bitrank_done(&w.seen, room);
    heaproom_list_done(&w.pendings, room);
    if (error == 0 && bitrank_seal(&f->tops, room) < 0)
        error = E_LIMIT;
    return error;
}

void forest_done(struct forest *f, struct heaproom *room, uint64_t objects)
{
    heaproom_give(room, f->pre, objects * sizeof(*f->pre));
    bitrank_done(&f->tops, room);
    f->pre = NULL;
}
