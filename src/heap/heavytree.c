/*
 * heavytree.c - see heavytree.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heavytree.h"
#include <errno.h>
#include <stdlib.h>
#include "base/splitmix.h"

enum { LOGS = 64, KEEPS_PERCENT = 70 };

/* A tree that is being made. Groups are found by a table of hashes while they grow. */
struct making {
    struct heavytree *tree;
    struct graph *graph;
    uint32_t *slots; /* index of a group, plus 1; 0: free */
    uint64_t mask;
    uint32_t room;
    int error;
};

static int by_object(const void *a, const void *b)
{
    const struct heavytree_node *x = a, *y = b;
    return x->object < y->object ? -1 : x->object > y->object;
}

/* The virtual root is node 0; the other nodes are sorted by object. */
uint32_t heavytree_find(const struct heavytree *t, graph_object object)
{
    if (object == GRAPH_ROOT)
        return 0;
    const struct heavytree_node key = {.object = object};
    const struct heavytree_node *found =
        t->count > 1 ? bsearch(&key, t->nodes + 1, t->count - 1, sizeof(key), by_object) : NULL;
    return found ? (uint32_t)(found - t->nodes) : UINT32_MAX;
}

/* The least retained size of which there are at most `most` objects, at `least` or above. */
static uint64_t choose_least(const struct graph *g, uint64_t least, uint32_t most)
{
    uint64_t counts[LOGS] = {0}, above = 0;
    for (graph_object o = 0; o < graph_count(g); o++) {
        uint64_t retained = graph_retained(g, o);
        if (retained >= least && retained > 0)
            counts[LOGS - 1 - __builtin_clzll(retained)]++;
    }
    int log = LOGS;
    while (log > 0 && above + counts[log - 1] <= most)
        above += counts[--log];
    uint64_t bound = log < LOGS ? UINT64_C(1) << log : UINT64_MAX;
    return log == 0 || bound < least ? least : bound;
}

static int take_nodes(struct heavytree *t, const struct graph *g)
{
    uint32_t count = 1;
    for (graph_object o = 0; o < graph_count(g); o++)
        count += graph_retained(g, o) >= t->least && graph_retained(g, o) > 0;
    t->nodes = calloc(count, sizeof(*t->nodes));
    if (!t->nodes)
        return -ENOMEM;
    t->nodes[t->count++] = (struct heavytree_node){.object = GRAPH_ROOT,
                                                   .klass = GRAPH_NO_CLASS,
                                                   .self = GRAPH_NO_CLASS,
                                                   .retained = graph_retained(g, GRAPH_ROOT)};
    for (graph_object o = 0; o < graph_count(g); o++)
        if (graph_retained(g, o) >= t->least && graph_retained(g, o) > 0)
            t->nodes[t->count++] = (struct heavytree_node){.object = o,
                                                           .klass = GRAPH_NO_CLASS,
                                                           .self = GRAPH_NO_CLASS,
                                                           .retained = graph_retained(g, o)};
    for (uint32_t i = 1; i < t->count; i++) {
        struct heavytree_node *n = &t->nodes[i];
        n->parent = heavytree_find(t, graph_dominator(g, n->object));
        if (n->parent == UINT32_MAX)
            n->parent = 0; /* cannot be: a dominator retains more */
        struct heavytree_node *parent = &t->nodes[n->parent];
        if (parent->largest == 0 || t->nodes[parent->largest].retained < n->retained)
            parent->largest = i;
    }
    return 0;
}

static uint64_t place(uint32_t parent, graph_class klass)
{
    return splitmix_mix((uint64_t)parent << 32 | klass);
}

static uint32_t *slot_of(struct making *m, uint32_t parent, graph_class klass)
{
    uint64_t at = place(parent, klass);
    for (;; at++) {
        uint32_t *slot = &m->slots[at & m->mask];
        const struct heavytree_group *group = *slot > 0 ? &m->tree->groups[*slot - 1] : NULL;
        if (!group || (group->parent == parent && group->klass == klass))
            return slot;
    }
}

static bool grow(struct making *m)
{
    uint32_t room = m->room ? m->room * 2 : 1024;
    struct heavytree_group *groups = realloc(m->tree->groups, room * sizeof(*groups));
    if (groups)
        m->tree->groups = groups;
    uint32_t *slots = groups ? calloc((size_t)room * 2, sizeof(*slots)) : NULL;
    if (!slots) {
        m->error = -ENOMEM;
        return false;
    }
    free(m->slots);
    m->slots = slots;
    m->mask = (uint64_t)room * 2 - 1;
    m->room = room;
    for (uint32_t i = 0; i < m->tree->group_count; i++)
        *slot_of(m, m->tree->groups[i].parent, m->tree->groups[i].klass) = i + 1;
    return true;
}

static bool count_child(struct making *m, uint32_t parent, const struct graph_info *object)
{
    struct heavytree *t = m->tree;
    if (t->group_count == m->room && !grow(m))
        return false;
    uint32_t *slot = slot_of(m, parent, object->klass);
    if (*slot == 0) {
        t->groups[t->group_count++] = (struct heavytree_group){
            .parent = parent, .klass = object->klass, .largest = object->number};
        *slot = t->group_count;
    }
    struct heavytree_group *group = &t->groups[*slot - 1];
    uint64_t retained = graph_retained(m->graph, object->number);
    group->count++;
    group->retained += retained;
    if (retained > group->largest_retained) {
        group->largest_retained = retained;
        group->largest = object->number;
    }
    t->nodes[parent].children++;
    return true;
}

static bool visit(void *with, const struct graph_info *object)
{
    struct making *m = with;
    if (!graph_is_reachable(m->graph, object->number))
        return true;
    graph_object dominator = graph_dominator(m->graph, object->number);
    uint64_t retained = graph_retained(m->graph, object->number);
    if (dominator != GRAPH_ROOT && graph_retained(m->graph, dominator) < m->tree->least)
        return true;
    uint32_t parent = heavytree_find(m->tree, dominator);
    if (retained >= m->tree->least) {
        uint32_t node = heavytree_find(m->tree, object->number);
        if (node != UINT32_MAX) {
            m->tree->nodes[node].klass = object->klass;
            m->tree->nodes[node].self = object->self;
            m->tree->nodes[node].trace = object->trace;
            m->tree->nodes[node].shallow_bytes = object->shallow_bytes;
        }
    }
    return parent == UINT32_MAX || count_child(m, parent, object);
}

static int by_parent(const void *a, const void *b)
{
    const struct heavytree_group *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return x->klass < y->klass ? -1 : x->klass > y->klass;
}

int heavytree_make_nodes(struct graph *g, uint64_t least, uint32_t most, struct heavytree *ret_tree)
{
    *ret_tree = (struct heavytree){.least = choose_least(g, least, most)};
    return take_nodes(ret_tree, g);
}

int heavytree_make(struct graph *g, uint64_t least, uint32_t most, struct heavytree *ret_tree)
{
    struct heavytree *t = ret_tree;
    struct making m = {.tree = t, .graph = g};
    int error = heavytree_make_nodes(g, least, most, t);
    if (error == 0 && !grow(&m))
        error = m.error;
    if (error == 0)
        error = graph_each_object(g, visit, &m);
    free(m.slots);
    if (error == 0)
        error = m.error;
    if (error < 0)
        return error;
    if (t->group_count > 0)
        qsort(t->groups, t->group_count, sizeof(*t->groups), by_parent);
    for (uint32_t i = t->group_count; i-- > 0;) {
        struct heavytree_node *parent = &t->nodes[t->groups[i].parent];
        parent->first_group = i;
        parent->group_count++;
    }
    return 0;
}

void heavytree_done(struct heavytree *t)
{
    free(t->nodes);
    free(t->groups);
    *t = (struct heavytree){0};
}

static bool is_kept_by_child(const struct heavytree *t, uint32_t at)
{
    const struct heavytree_node *node = &t->nodes[at], *child = &t->nodes[node->largest];
    return node->largest != 0 && child->retained >= node->retained / 100 * KEEPS_PERCENT;
}

/* Whether the object is an instance of the same class as the one before. `last` is that class, and
 * becomes this one's. */
static bool is_alike(struct graph *g, graph_object object, graph_class *last)
{
    struct graph_info info;
    graph_class before = *last;
    *last =
        graph_look(g, object, &info) == 0 && info.kind != GRAPH_CLASS ? info.klass : GRAPH_NO_CLASS;
    return *last != GRAPH_NO_CLASS && *last == before;
}

uint32_t heavytree_accumulation(const struct heavytree *t, struct graph *g, uint32_t node)
{
    enum { LIST_LEAST = 3 }; /* so many objects of a class in a row are a list */
    uint32_t at = node, row = 1, holder = node;
    graph_class last = GRAPH_NO_CLASS;
    (void)is_alike(g, t->nodes[node].object, &last);
    while (is_kept_by_child(t, at)) {
        uint32_t child = t->nodes[at].largest;
        bool is_next = is_alike(g, t->nodes[child].object, &last);
        holder = is_next ? holder : at;
        row = is_next ? row + 1 : 1;
        at = child;
        if (row >= LIST_LEAST)
            return holder;
    }
    return at;
}
