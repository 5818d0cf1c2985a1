/*
 * heap_collectwalk.c - what is no collection is none; groups of classes, and the heaviest objects.
 *
 * The collections of real JDKs are walked by tests/jdk/test_heap_answers.py.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/collectwalk.h"
#include <stdio.h>
#include <string.h>
#include "cmocka_all.h"
#include "heap/classgroup.h"
#include "heap/heaviest.h"
#include "heapmade.h"

enum { FIRST = 0x20000, STEP = 0x20, NODES = 40, BYTES = 1000 };

static struct heapmade made;

static struct graph *open_nodes(void)
{
    heapmade_open(&made);
    for (unsigned i = 0; i < NODES; i++) {
        heapmade_root(&made, 0xff, FIRST + (uint64_t)i * STEP);
        heapmade_node(&made, FIRST + (uint64_t)i * STEP, 0, 0);
    }
    static const unsigned char bytes[BYTES];
    heapmade_bytes(&made, FIRST + (uint64_t)NODES * STEP, bytes, BYTES);
    heapmade_root(&made, 0xff, FIRST + (uint64_t)NODES * STEP);
    return heapmade_graph(&made);
}

static bool fail_at_any(void *with, graph_object key, graph_object value)
{
    (void)with;
    (void)key;
    (void)value;
    fail_msg("%s", "it is no collection");
    return false;
}

static void other_objects_are_no_collections(void **state)
{
    (void)state;
    struct graph *g = open_nodes();
    struct collectwalk facts;
    const uint64_t ids[] = {FIRST, FIRST + (uint64_t)NODES * STEP, HEAPMADE_OBJECT};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        assert_int_equal(collectwalk_each(g, graph_find(g, ids[i]), &facts, fail_at_any, NULL), 0);
        assert_int_equal(facts.kind, COLLECTWALK_NONE);
        assert_int_equal(facts.size, 0);
    }
    graph_close(g);
}

static void classes_are_put_together_by_package(void **state)
{
    (void)state;
    struct graph *g = open_nodes();
    struct classgroup groups;
    char room[64];
    assert_int_equal(classgroup_make(g, QUESTION_BY_PACKAGE, &groups), 0);
    uint32_t node = groups.group_of[graph_class_named(g, "a.Node")];
    assert_int_equal(groups.group_of[graph_class_named(g, "a.Large")], node);
    assert_int_equal(groups.group_of[graph_class_named(g, "a.Node[]")], node);
    assert_string_equal(classgroup_name(&groups, g, node, room, sizeof(room)), "a");
    assert_true(groups.group_of[graph_class_named(g, "java.lang.String")] != node);
    uint32_t bytes = groups.group_of[graph_class_named(g, "byte[]")];
    assert_string_equal(classgroup_name(&groups, g, bytes, room, sizeof(room)),
                        "(primitive arrays)");
    classgroup_done(&groups);
    assert_int_equal(classgroup_make(g, QUESTION_BY_CLASS, &groups), 0);
    assert_int_equal(groups.count, graph_class_count(g));
    classgroup_done(&groups);
    graph_close(g);
}

static void the_heaviest_are_kept_in_their_order(void **state)
{
    (void)state;
    struct graph *g = open_nodes();
    graph_object kept[3];
    struct heaviest h = {.graph = g, .objects = kept, .room = 3};
    for (unsigned i = 0; i <= NODES; i++)
        assert_true(heaviest_keep(&h, graph_find(g, FIRST + (uint64_t)i * STEP)));
    assert_int_equal(h.seen, NODES + 1);
    assert_int_equal(h.count, 3);
    assert_int_equal(kept[0], graph_find(g, FIRST + (uint64_t)NODES * STEP));
    assert_true(graph_retained(g, kept[0]) >= graph_retained(g, kept[1]));
    assert_int_equal(heaviest_rest(&h), (NODES - 2) * graph_retained(g, kept[1]));
    graph_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_objects_are_no_collections),
        cmocka_unit_test(classes_are_put_together_by_package),
        cmocka_unit_test(the_heaviest_are_kept_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
