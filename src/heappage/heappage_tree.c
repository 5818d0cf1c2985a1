/*
 * heappage_tree.c - see heappage_tree.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heappage/heappage_tree.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "heap/graph.h"
#include "heap/heavytree.h"
#include "heap/objname.h"

enum {
    MOST = 100000,    /* objects to begin with */
    NAME_BYTES = 300, /* of a name, the rest is cut */
    GROUPS = 8,       /* classes of left out children that stand by themselves */
    SLACK_PERCENT = 95,
};

/* A name: of a class, of a class object, or of a thread with its class. */
struct name {
    graph_class klass;
    bool is_class_object;
    graph_object thread; /* GRAPH_NONE: no thread */
};

struct part {
    struct graph *graph;
    struct heavytree tree;
    uint32_t *order;   /* nodes, those of one parent together, the largest first */
    uint32_t *first;   /* by node: place in `order` of its first child; one more at the end */
    uint32_t *shown;   /* nodes of the page, in preorder */
    uint32_t *depth;   /* of these */
    uint32_t *pending; /* nodes that wait during a walk */
    uint32_t count;    /* of `shown` */
    uint64_t least;    /* what nodes of the page retain at least */
    struct name *names;
    uint32_t name_count;
    int32_t *name_of_node; /* by node; -1: not asked yet */
    int32_t
        *name_of_class; /* by class, of instances and then of class objects; -1: not asked yet */
    uint64_t *held;     /* by class: what a node's children of the page retain, and how many */
    uint32_t *held_count;
};

static int make_tables(struct part *p)
{
    size_t nodes = p->tree.count, classes = graph_class_count(p->graph);
    p->order = calloc(nodes + 1, sizeof(*p->order));
    p->first = calloc(nodes + 2, sizeof(*p->first));
    p->shown = calloc(nodes + 1, sizeof(*p->shown));
    p->depth = calloc(nodes + 1, sizeof(*p->depth));
    p->pending = calloc(nodes + 1, sizeof(*p->pending));
    p->name_of_node = calloc(nodes + 1, sizeof(*p->name_of_node));
    /* Each node has one name, and each class one that only its groups use. */
    p->names = calloc(nodes + classes + 1, sizeof(*p->names));
    p->name_of_class = calloc(2 * classes + 1, sizeof(*p->name_of_class));
    p->held = calloc(classes + 1, sizeof(*p->held));
    p->held_count = calloc(classes + 1, sizeof(*p->held_count));
    return p->order && p->first && p->shown && p->depth && p->pending && p->name_of_node &&
                   p->names && p->name_of_class && p->held && p->held_count
               ? 0
               : -ENOMEM;
}

static void discard(struct part *p)
{
    heavytree_done(&p->tree);
    free(p->order);
    free(p->first);
    free(p->shown);
    free(p->depth);
    free(p->pending);
    free(p->names);
    free(p->name_of_node);
    free(p->name_of_class);
    free(p->held);
    free(p->held_count);
}

static int by_parent(const void *a, const void *b, void *with)
{
    const struct heavytree_node *nodes = with;
    uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const struct heavytree_node *x = &nodes[m], *y = &nodes[n];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return m < n ? -1 : m > n;
}

static void sort_children(struct part *p)
{
    uint32_t count = p->tree.count, at = 0;
    for (uint32_t i = 1; i < count; i++)
        p->order[i - 1] = i;
    qsort_r(p->order, count - 1, sizeof(*p->order), by_parent, p->tree.nodes);
    for (uint32_t node = 0; node < count; node++) {
        p->first[node] = at;
        while (at < count - 1 && p->tree.nodes[p->order[at]].parent == node)
            at++;
    }
    p->first[count] = at;
}

/* Finds the nodes that retain `least` or more, in preorder. */
static void choose(struct part *p, uint64_t least)
{
    uint32_t waiting = 1;
    p->least = least;
    p->count = 0;
    p->pending[0] = 0;
    while (waiting > 0) {
        uint32_t node = p->pending[--waiting];
        p->shown[p->count++] = node;
        uint32_t end = p->first[node];
        while (end < p->first[node + 1] && p->tree.nodes[p->order[end]].retained >= least)
            end++;
        while (end > p->first[node])
            p->pending[waiting++] = p->order[--end];
    }
}

/* A parent comes before its children. `pending` is free after the walk: it has the depths by node.
 */
static void find_depths(struct part *p)
{
    p->pending[0] = 0;
    for (uint32_t i = 1; i < p->count; i++) {
        uint32_t node = p->shown[i];
        p->pending[node] = p->pending[p->tree.nodes[node].parent] + 1;
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->depth[i] = p->pending[p->shown[i]];
}

/* ---- names */

static int32_t add_name(struct part *p, struct name name)
{
    p->names[p->name_count] = name;
    return (int32_t)p->name_count++;
}

static int32_t name_of_class(struct part *p, graph_class klass, bool is_class_object)
{
    graph_class classes = graph_class_count(p->graph);
    size_t place = klass < classes ? klass : classes;
    if (klass >= classes) /* unknown: a place of its own behind all others */
        place = 2 * (size_t)classes;
    else if (is_class_object)
        place += classes;
    if (p->name_of_class[place] < 0)
        p->name_of_class[place] = add_name(p, (struct name){.klass = klass,
                                                            .is_class_object = is_class_object,
                                                            .thread = GRAPH_NONE});
    return p->name_of_class[place];
}

static void find_names(struct part *p)
{
    size_t classes = graph_class_count(p->graph);
    p->name_count = 0;
    memset(p->name_of_class, -1, (2 * classes + 1) * sizeof(*p->name_of_class));
    p->name_of_node[0] = -1;
    for (uint32_t i = 1; i < p->count; i++) {
        const struct heavytree_node *n = &p->tree.nodes[p->shown[i]];
        bool is_class_object = n->self != GRAPH_NO_CLASS;
        p->name_of_node[p->shown[i]] =
            graph_thread_of(p->graph, n->object)
                ? add_name(p, (struct name){.klass = n->klass, .thread = n->object})
                : name_of_class(p, is_class_object ? n->self : n->klass, is_class_object);
    }
}

static void put_name(struct part *p, const struct name *name, struct sink *out)
{
    char text[OBJNAME_ROOM], thread[GRAPH_THREAD_NAME] = "";
    const char *klass = objname_class(p->graph, name->klass);
    if (name->thread != GRAPH_NONE)
        graph_thread_name(p->graph, name->thread, thread);
    int len = snprintf(text, sizeof(text), "%s%.*s%s%s%s", name->is_class_object ? "class " : "",
                       NAME_BYTES, klass, thread[0] ? " \"" : "", thread, thread[0] ? "\"" : "");
    json_out_text(out, text, len < (int)sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

/* ---- what is left out below a node */

/* Counts the node's children on the page by class; `is_end` takes that back. */
static void count_shown(struct part *p, uint32_t node, bool is_end)
{
    for (uint32_t i = p->first[node]; i < p->first[node + 1]; i++) {
        const struct heavytree_node *child = &p->tree.nodes[p->order[i]];
        if (child->retained < p->least)
            break;
        graph_class classes = graph_class_count(p->graph);
        size_t place = child->klass < classes ? child->klass : classes;
        p->held[place] = is_end ? 0 : p->held[place] + child->retained;
        p->held_count[place] = is_end ? 0 : p->held_count[place] + 1;
    }
}

static void put_group(struct sink *out, bool is_first, int32_t name, uint64_t count,
                      uint64_t retained)
{
    sink_printf(out, "%s%" PRId32 ",%" PRIu64 ",%" PRIu64, is_first ? "[" : ",", name, count,
                retained);
}

static void put_groups(struct part *p, uint32_t node, struct sink *out)
{
    const struct heavytree_node *n = &p->tree.nodes[node];
    graph_class classes = graph_class_count(p->graph);
    uint64_t others = 0, others_retained = 0;
    uint32_t put = 0;
    count_shown(p, node, false);
    for (uint32_t i = 0; i < n->group_count; i++) {
        const struct heavytree_group *group = &p->tree.groups[n->first_group + i];
        size_t place = group->klass < classes ? group->klass : classes;
        uint64_t count = group->count - p->held_count[place];
        uint64_t retained = group->retained - p->held[place];
        if (count == 0)
            continue;
        if (put < GROUPS) {
            put_group(out, put == 0, name_of_class(p, group->klass, false), count, retained);
            put++;
        } else {
            others += count;
            others_retained += retained;
        }
    }
    if (others > 0)
        put_group(out, false, -1, others, others_retained);
    sink_text(out, put > 0 ? "]" : "0");
    count_shown(p, node, true);
}

/* ---- the columns */

enum column { DEPTH, NAME, RETAINED, OWN, ID, CHILDREN, COLUMNS };

static void put_cell(struct part *p, enum column column, uint32_t row, struct sink *out)
{
    const struct heavytree_node *n = &p->tree.nodes[p->shown[row]];
    switch (column) {
    case DEPTH:
        sink_printf(out, "%" PRIu32, p->depth[row]);
        break;
    case NAME:
        sink_printf(out, "%" PRId32, p->name_of_node[p->shown[row]]);
        break;
    case RETAINED:
        sink_printf(out, "%" PRIu64, n->retained);
        break;
    case OWN:
        sink_printf(out, "%" PRIu64, n->shallow_bytes);
        break;
    case ID:
        sink_printf(out, "\"%" PRIx64 "\"", row == 0 ? 0 : graph_id(p->graph, n->object));
        break;
    default:
        sink_printf(out, "%" PRIu64, n->children);
        break;
    }
}

static void put_columns(struct part *p, struct sink *out)
{
    static const char *const words[COLUMNS] = {
        [DEPTH] = "depth", [NAME] = "name", [RETAINED] = "retained",
        [OWN] = "own",     [ID] = "id",     [CHILDREN] = "children"};
    for (int column = 0; column < COLUMNS; column++) {
        sink_printf(out, ",\n\"%s\":[", words[column]);
        for (uint32_t i = 0; i < p->count; i++) {
            sink_text(out, i == 0 ? "" : ",");
            put_cell(p, (enum column)column, i, out);
        }
        sink_text(out, "]");
    }
}

/* What makes an object a root by itself; an object in a frame is held by its thread. -1: nothing.
 */
static int root_of(const struct graph *g, graph_object object)
{
    const struct graph_root *root = graph_root_of(g, object);
    if (!root)
        return -1;
    const struct graph_root *end = graph_root_at(g, 0) + graph_facts(g)->roots;
    int kind = (int)root->kind;
    for (; root < end && root->object == object; root++)
        if (root->kind == GRAPH_ROOT_THREAD)
            kind = GRAPH_ROOT_THREAD;
        else if (kind == GRAPH_ROOT_JAVA_FRAME || kind == GRAPH_ROOT_JNI_LOCAL)
            kind = (int)root->kind;
    return kind;
}

static void put_roots(struct part *p, struct sink *out)
{
    bool is_first = true;
    sink_text(out, ",\n\"roots\":[");
    for (int kind = 0; kind < GRAPH_ROOT_KINDS; kind++) {
        sink_text(out, kind == 0 ? "\"" : ",\"");
        sink_printf(out, "%s\"", graph_root_word((enum graph_root_kind)kind));
    }
    sink_text(out, "],\n\"root\":[");
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->depth[i] != 1)
            continue;
        sink_printf(out, "%s%d", is_first ? "" : ",",
                    root_of(p->graph, p->tree.nodes[p->shown[i]].object));
        is_first = false;
    }
    sink_text(out, "]");
}

static void put(struct part *p, struct sink *out)
{
    find_names(p);
    sink_printf(out, "{\"least\":%" PRIu64, p->least);
    put_columns(p, out);
    put_roots(p, out);
    sink_text(out, ",\n\"groups\":[");
    for (uint32_t i = 0; i < p->count; i++) {
        sink_text(out, i == 0 ? "" : ",");
        put_groups(p, p->shown[i], out);
    }
    sink_text(out, "],\n\"names\":["); /* last: groups have names, too */
    for (uint32_t i = 0; i < p->name_count; i++) {
        sink_text(out, i == 0 ? "" : ",\n");
        put_name(p, &p->names[i], out);
    }
    sink_text(out, "]}");
}

/* ---- as much as there is room for */

static int by_retained(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* What so many of the nodes on the page retain at least, and more than now. */
static int raise(const struct part *p, uint64_t nodes, uint64_t *ret_least)
{
    uint64_t *sizes = calloc(p->count, sizeof(*sizes));
    if (!sizes)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->count; i++)
        sizes[i] = p->tree.nodes[p->shown[i]].retained;
    qsort(sizes, p->count, sizeof(*sizes), by_retained);
    *ret_least = sizes[nodes < p->count ? nodes : p->count - 1];
    if (*ret_least <= p->least)
        *ret_least = p->least + 1;
    free(sizes);
    return 0;
}

/* Errors: 0; -errno. */
static int count_bytes(struct part *p, uint64_t *ret_bytes)
{
    struct sink counter;
    int error = sink_init(&counter, -1);
    if (error < 0)
        return error;
    put(p, &counter);
    *ret_bytes = sink_position(&counter);
    return sink_done(&counter);
}

static int fit(struct part *p, uint64_t bytes)
{
    uint64_t least = p->tree.least > 0 ? p->tree.least : 1;
    for (;;) {
        uint64_t got = 0;
        choose(p, least);
        find_depths(p);
        int error = count_bytes(p, &got);
        if (error == 0 && got > bytes && p->count > 1)
            error = raise(p, p->count * bytes / got * SLACK_PERCENT / 100, &least);
        else if (error == 0)
            return 0;
        if (error < 0)
            return error;
    }
}

int heappage_tree_write(struct graph *g, uint64_t bytes, struct sink *out)
{
    struct part p = {.graph = g};
    int error = heavytree_make(g, 1, MOST, &p.tree);
    if (error == 0)
        error = make_tables(&p);
    if (error == 0) {
        sort_children(&p);
        error = fit(&p, bytes);
    }
    if (error == 0)
        put(&p, out);
    discard(&p);
    return error;
}
