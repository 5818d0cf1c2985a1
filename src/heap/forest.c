/*
 * forest.c - walks trees in preorder.
 *
 * First the parents become lists: one table holds the first child of each member, and the table of
 * parents the next sibling, or the parent for the last child. The walk then follows the lists, and
 * puts the parents back behind itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/forest.h"
#include "base/err.h"

struct walk {
    struct heaptable *parents;
    const struct bitrank *members;
    struct heaptable first;    /* by rank; free when the member was visited */
    struct bitrank last, seen; /* last: the row of `parents` is a parent, not a sibling */
    /* Siblings to which the walk must come back, each with its parent behind it. */
    struct heaptable pendings;
    uint64_t pending_count;
    forest_visit *visit;
    void *with;
};

static bool is_node(heapnode n)
{
    return n < HEAPNODE_MAX;
}

static bool is_member(const struct bitrank *members, uint64_t object)
{
    return !members || bitrank_has(members, object);
}

/* The row of a member in tables of members alone. */
static uint64_t row_of(const struct bitrank *members, uint64_t object)
{
    return members ? bitrank_below(members, object) : object;
}

static void make_lists(struct walk *w, uint64_t objects)
{
    for (uint64_t i = 0; i < w->first.rows; i++)
        heaptable_put(&w->first, i, HEAPNODE_NONE);
    for (uint64_t i = objects; i-- > 0;) {
        if (!is_member(w->members, i))
            continue;
        heapnode parent = heaptable_node(w->parents, i);
        if (!is_node(parent))
            continue;
        uint64_t row = row_of(w->members, parent);
        heapnode first = heaptable_node(&w->first, row);
        if (first == HEAPNODE_NONE)
            bitrank_add(&w->last, i);
        else
            heaptable_put(w->parents, i, first);
        heaptable_put(&w->first, row, (heapnode)i);
    }
}

static int push(struct walk *w, heapnode node, heapnode parent)
{
    int error = 0;
    if (w->pending_count + 2 > w->pendings.rows)
        error = heaptable_extend(&w->pendings, w->pending_count + 2);
    if (error < 0)
        return error;
    heaptable_put(&w->pendings, w->pending_count++, node);
    heaptable_put(&w->pendings, w->pending_count++, parent);
    return 0;
}

static heapnode pop(struct walk *w)
{
    return heaptable_node(&w->pendings, --w->pending_count);
}

/* Visits `node`, and notes its sibling. Returns its first child. Errors: *ret_error. */
static heapnode enter(struct walk *w, heapnode node, heapnode parent, int *ret_error)
{
    heapnode first = heaptable_node(&w->first, row_of(w->members, node));
    if (is_node(parent)) {
        if (!bitrank_has(&w->last, node))
            *ret_error = push(w, heaptable_node(w->parents, node), parent);
        heaptable_put(w->parents, node, parent);
    }
    bitrank_add(&w->seen, node);
    if (*ret_error == 0)
        *ret_error = w->visit(w->with, node, parent);
    return first;
}

static int walk_tree(struct walk *w, heapnode top)
{
    int error = 0;
    heapnode parent = top, node = enter(w, top, heaptable_node(w->parents, top), &error);
    while (error == 0) {
        while (node != HEAPNODE_NONE && error == 0) {
            heapnode child = enter(w, node, parent, &error);
            parent = node;
            node = child;
        }
        if (w->pending_count == 0)
            break;
        parent = pop(w);
        node = pop(w);
    }
    return error;
}

static int walk_trees(struct walk *w, uint64_t objects)
{
    for (uint64_t i = 0; i < objects; i++) {
        if (!is_member(w->members, i) || bitrank_has(&w->seen, i))
            continue;
        /* A row of an object that was not visited yet may hold a sibling; those of tops do not. */
        heapnode parent = heaptable_node(w->parents, i);
        if (parent != HEAPNODE_ROOT && parent != HEAPNODE_MANY)
            continue;
        int error = walk_tree(w, (heapnode)i);
        if (error < 0)
            return error;
    }
    for (uint64_t i = 0; i < objects; i++)
        if (is_member(w->members, i) && !bitrank_has(&w->seen, i))
            heaptable_put(w->parents, i, HEAPNODE_NONE);
    return 0;
}

/* Walks; the table `first` stays for the caller, also after an error. */
static int walk(struct walk *w, struct heaptable_store *store, uint64_t objects)
{
    uint64_t members = row_of(w->members, objects);
    int error = heaptable_init(&w->first, store, members, sizeof(heapnode));
    if (error == 0)
        error = bitrank_init(&w->last, store->room, objects);
    if (error == 0)
        error = bitrank_init(&w->seen, store->room, objects);
    if (error == 0)
        error = heaptable_init(&w->pendings, store, 0, sizeof(heapnode));
    if (error == 0) {
        make_lists(w, objects);
        error = walk_trees(w, objects);
    }
    heaptable_done(&w->pendings);
    bitrank_done(&w->last, store->room);
    bitrank_done(&w->seen, store->room);
    return error;
}

int forest_walk(struct heaptable_store *store, struct heaptable *parents,
                const struct bitrank *members, uint64_t objects, forest_visit *visit, void *with)
{
    struct walk w = {.parents = parents, .members = members, .visit = visit, .with = with};
    int error = walk(&w, store, objects);
    heaptable_done(&w.first);
    return error;
}

/* The visitor that numbers objects, and puts the numbers into the table of the walk. */
struct numbering {
    struct forest *f;
    struct walk *w;
};

static int number(void *with, heapnode object, heapnode parent)
{
    struct numbering *n = with;
    if (!is_node(parent)) {
        bitrank_add(&n->f->tops, n->f->count);
        n->f->trees++;
    }
    heaptable_put(&n->w->first, object, (heapnode)n->f->count++);
    return 0;
}

int forest_number(struct forest *f, struct heaptable_store *store, struct heaptable *parents,
                  uint64_t objects)
{
    struct walk w = {.parents = parents, .visit = number};
    struct numbering n = {.f = f, .w = &w};
    *f = (struct forest){.count = 0};
    w.with = &n;
    int error = bitrank_init(&f->tops, store->room, objects);
    if (error == 0)
        error = walk(&w, store, objects);
    /* A parent is HEAPNODE_NONE now where an object was not visited. */
    for (uint64_t i = 0; error == 0 && i < objects; i++)
        if (heaptable_node(parents, i) == HEAPNODE_NONE)
            heaptable_put(&w.first, i, HEAPNODE_NONE);
    heaptable_move(&f->pre, &w.first);
    if (error == 0 && bitrank_seal(&f->tops, store->room) < 0)
        error = E_LIMIT;
    return error;
}

void forest_done(struct forest *f, struct heaproom *room)
{
    heaptable_done(&f->pre);
    bitrank_done(&f->tops, room);
}
