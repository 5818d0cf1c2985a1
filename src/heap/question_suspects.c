/*
 * question_suspects.c - what holds much of the heap: single objects, and objects of one class.
 *
 * A suspect retains a tenth of what can be reached. Of a single object the place is shown where the
 * memory has come together (heavytree_accumulation()), how that place is held, and where it was
 * allocated.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include "heap/heapanswer.h"
#include "heap/heavytree.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "heap/question.h"

enum {
    SUSPECT_PERCENT = 10,
    CHILDREN = 5, /* classes below the accumulation point that are shown */
    FRAMES = 8,
};

struct suspects {
    struct question_asked *asked;
    struct heapanswer answer;
    struct heavytree tree;
    uint64_t all; /* reachable bytes */
    uint32_t count;
};

static bool is_suspect(const struct suspects *s, uint64_t retained)
{
    return s->all > 0 && retained >= s->all / 100 * SUSPECT_PERCENT;
}

/* What hangs below a node, by class. */
static void put_children(struct suspects *s, uint32_t node)
{
    static const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    const struct heavytree_node *n = &s->tree.nodes[node];
    if (n->group_count == 0)
        return;
    heapanswer_table(&s->answer, "children", "which holds, by class", columns, 3);
    for (uint32_t i = 0; i < n->group_count && i < CHILDREN; i++) {
        const struct heavytree_group *group = &s->tree.groups[n->first_group + i];
        heapanswer_number(&s->answer, group->count);
        heapanswer_number(&s->answer, group->retained);
        heapanswer_text(&s->answer, objname_class(s->asked->graph, group->klass));
    }
    heapanswer_table_end(&s->answer, NULL);
}

static void put_object(struct suspects *s, const char *key, const struct heavytree_node *n)
{
    struct heapanswer *a = &s->answer;
    char name[OBJNAME_ROOM];
    heapanswer_list(a, key);
    heapanswer_item(a);
    heapanswer_fact(a, "id", NULL, HEAPANSWER_ID, graph_id(s->asked->graph, n->object));
    heapanswer_fact_text(a, "name", NULL, objname_of(s->asked->graph, n->object, name));
    heapanswer_fact(a, "shallow_bytes", NULL, HEAPANSWER_BYTES, n->shallow_bytes);
    heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, n->retained);
    heapanswer_item_end(a);
    heapanswer_list_end(a);
}

/* The object where memory has come together, what it holds, how it is held, where it was made. */
static int put_place(struct suspects *s, uint32_t place, bool is_other)
{
    struct graph *g = s->asked->graph;
    const struct heavytree_node *n = &s->tree.nodes[place];
    char name[OBJNAME_ROOM], bytes[HEAPANSWER_BYTES_ROOM];
    if (is_other)
        heapanswer_say(&s->answer,
                       "the memory has come together in %s @ 0x%" PRIx64 ", which retains %s",
                       objname_of(g, n->object, name), graph_id(g, n->object),
                       heapanswer_bytes(n->retained, bytes));
    put_object(s, "accumulation", n);
    put_children(s, place);
    int error = objname_put_path(&s->answer, g, n->object);
    objname_put_frames(&s->answer, g, "allocated", "allocated in", n->trace, FRAMES);
    return error;
}

static int put_single(struct suspects *s, uint32_t node)
{
    struct graph *g = s->asked->graph;
    const struct heavytree_node *n = &s->tree.nodes[node];
    struct heapanswer *a = &s->answer;
    char name[OBJNAME_ROOM], loader[OBJNAME_ROOM], bytes[HEAPANSWER_BYTES_ROOM];
    graph_class klass = n->self != GRAPH_NO_CLASS ? n->self : n->klass;
    heapanswer_item(a);
    heapanswer_heading(a, "%" PRIu32 ". %s @ 0x%" PRIx64 " retains %s, %.2f%% of the heap",
                       ++s->count, objname_of(g, n->object, name), graph_id(g, n->object),
                       heapanswer_bytes(n->retained, bytes), objrow_share(g, n->retained));
    heapanswer_fact_text(a, "kind", NULL, "object");
    heapanswer_fact(a, "id", NULL, HEAPANSWER_ID, graph_id(g, n->object));
    heapanswer_fact_text(a, "name", NULL, name);
    heapanswer_fact_text(a, "class", NULL, objname_class(g, klass));
    heapanswer_fact_text(
        a, "loader", "loaded by",
        objname_loader(g, klass != GRAPH_NO_CLASS ? graph_class_at(g, klass)->loader : GRAPH_NONE,
                       loader));
    heapanswer_fact(a, "shallow_bytes", NULL, HEAPANSWER_BYTES, n->shallow_bytes);
    heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, n->retained);
    heapanswer_fact_percent(a, "percent", NULL, objrow_share(g, n->retained));
    uint32_t place = heavytree_accumulation(&s->tree, g, node);
    int error = put_place(s, place, place != node);
    heapanswer_item_end(a);
    return error;
}

/* The objects of one class that nothing but roots dominates, without those that are suspects by
 * themselves. */
static int put_group(struct suspects *s, const struct heavytree_group *group, uint64_t count,
                     uint64_t retained)
{
    struct graph *g = s->asked->graph;
    struct heapanswer *a = &s->answer;
    char bytes[HEAPANSWER_BYTES_ROOM], name[OBJNAME_ROOM];
    heapanswer_item(a);
    heapanswer_heading(
        a, "%" PRIu32 ". %" PRIu64 " objects of the class %s retain %s, %.2f%% of the heap",
        ++s->count, count, objname_class(g, group->klass), heapanswer_bytes(retained, bytes),
        objrow_share(g, retained));
    heapanswer_fact_text(a, "kind", NULL, "class");
    heapanswer_fact_text(a, "class", NULL, objname_class(g, group->klass));
    heapanswer_fact(a, "objects", NULL, HEAPANSWER_COUNT, count);
    heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, retained);
    heapanswer_fact_percent(a, "percent", NULL, objrow_share(g, retained));
    heapanswer_fact(a, "largest_id", NULL, HEAPANSWER_ID, graph_id(g, group->largest));
    heapanswer_say(a, "the largest is %s @ 0x%" PRIx64, objname_of(g, group->largest, name),
                   graph_id(g, group->largest));
    int error = objname_put_path(a, g, group->largest);
    heapanswer_item_end(a);
    return error;
}

/* Subtracts the single suspects of a class from its group. */
static void subtract(const struct suspects *s, const struct heavytree_group *group,
                     uint64_t *ret_count, uint64_t *ret_retained)
{
    *ret_count = group->count;
    *ret_retained = group->retained;
    for (uint32_t i = 1; i < s->tree.count; i++) {
        const struct heavytree_node *n = &s->tree.nodes[i];
        if (n->parent == 0 && n->klass == group->klass && is_suspect(s, n->retained)) {
            *ret_count -= 1;
            *ret_retained -= n->retained;
        }
    }
}

static int by_retained(const void *a, const void *b, void *with)
{
    const struct suspects *s = with;
    uint64_t x = s->tree.nodes[*(const uint32_t *)a].retained;
    uint64_t y = s->tree.nodes[*(const uint32_t *)b].retained;
    return x > y ? -1 : x < y;
}

static int put_singles(struct suspects *s)
{
    uint32_t found[100 / SUSPECT_PERCENT + 1], count = 0;
    int error = 0;
    for (uint32_t i = 1; i < s->tree.count; i++)
        if (s->tree.nodes[i].parent == 0 && is_suspect(s, s->tree.nodes[i].retained) &&
            count < sizeof(found) / sizeof(found[0]))
            found[count++] = i;
    qsort_r(found, count, sizeof(found[0]), by_retained, s);
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = put_single(s, found[i]);
    return error;
}

static int put_groups(struct suspects *s)
{
    const struct heavytree_node *root = &s->tree.nodes[0];
    graph_class classes = graph_class_named(s->asked->graph, "java.lang.Class");
    int error = 0;
    for (uint32_t i = 0; i < root->group_count && error == 0; i++) {
        const struct heavytree_group *group = &s->tree.groups[root->first_group + i];
        uint64_t count, retained;
        if (!is_suspect(s, group->retained))
            break; /* they are sorted */
        subtract(s, group, &count, &retained);
        /* Classes have nothing in common but that they are classes. */
        if (count > 1 && group->klass != classes && is_suspect(s, retained))
            error = put_group(s, group, count, retained);
    }
    return error;
}

static int answer_suspects(struct question_asked *asked)
{
    const struct graph_facts *facts = graph_facts(asked->graph);
    struct suspects s = {.asked = asked, .all = facts->reachable_bytes};
    struct heapanswer *a = &s.answer;
    int error = heavytree_make(asked->graph, s.all / HEAVYTREE_SHARE, HEAVYTREE_MOST, &s.tree);
    if (error == 0) {
        heapanswer_begin(a, asked, "suspects");
        heapanswer_fact(a, "reachable_objects", "objects that can be reached", HEAPANSWER_COUNT,
                        facts->reachable);
        heapanswer_fact(a, "reachable_bytes", "their size", HEAPANSWER_BYTES, s.all);
        heapanswer_list(a, "suspects");
        error = put_singles(&s);
        if (error == 0)
            error = put_groups(&s);
        heapanswer_list_end(a);
        if (s.count == 0)
            heapanswer_say(a, "no object, and no class of objects, retains %d%% of the heap",
                           SUSPECT_PERCENT);
        heapanswer_end(a);
    }
    heavytree_done(&s.tree);
    return error;
}

const struct question question_suspects = {
    .name = "suspects",
    .help = "What retains a tenth of the heap or more, and what holds it",
    .needs_dominators = true,
    .answer = answer_suspects,
};
