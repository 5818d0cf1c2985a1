/*
 * heap_heavytree.c - the upper part of the dominator tree, and where memory has come together.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heavytree.h"
#include <stdio.h>
#include "cmocka_all.h"
#include "heapmade.h"

enum {
    HOLDER = 0x10000, /* an array that holds all else */
    FIRST = 0x20000,  /* the first node */
    STEP = 0x20,
    NODES = 1000,
    BYTES = 100000,
};

static struct heapmade made;

static uint32_t node_of(const struct graph *g, const struct heavytree *t, uint64_t id)
{
    uint32_t node = heavytree_find(t, graph_find(g, id));
    assert_true(node < t->count);
    return node;
}

static void the_holder_of_a_list_is_the_place_and_no_element(void **state)
{
    (void)state;
    const uint64_t head = FIRST;
    struct heavytree t;
    heapmade_open(&made);
    heapmade_root(&made, 0xff, HOLDER);
    heapmade_array(&made, HOLDER, &head, 1);
    for (unsigned i = 0; i < NODES; i++)
        heapmade_node(&made, FIRST + (uint64_t)i * STEP,
                      i + 1 < NODES ? FIRST + (uint64_t)(i + 1) * STEP : 0, 0);
    struct graph *g = heapmade_graph(&made);
    assert_int_equal(heavytree_make(g, 1, 1 << 20, &t), 0);
    uint32_t holder = node_of(g, &t, HOLDER);
    assert_int_equal(t.nodes[holder].parent, 0);
    assert_int_equal(heavytree_accumulation(&t, g, holder), holder);
    heavytree_done(&t);
    graph_close(g);
}

static void the_largest_child_is_followed_while_it_keeps_most(void **state)
{
    (void)state;
    static const unsigned char bytes[BYTES];
    const uint64_t first = FIRST;
    const uint64_t parts[] = {FIRST + 0x100, FIRST + 0x200, FIRST + 0x300};
    struct heavytree t;
    heapmade_open(&made);
    heapmade_root(&made, 0xff, HOLDER);
    heapmade_array(&made, HOLDER, &first, 1);
    heapmade_array(&made, FIRST, parts, 3);
    for (int i = 0; i < 3; i++)
        heapmade_bytes(&made, parts[i], bytes, BYTES);
    struct graph *g = heapmade_graph(&made);
    assert_int_equal(heavytree_make(g, BYTES / 2, 1 << 20, &t), 0);
    assert_int_equal(t.count, 1 + 2 + 3); /* the virtual root, two arrays, three parts */
    uint32_t place = heavytree_accumulation(&t, g, node_of(g, &t, HOLDER));
    assert_int_equal(place, node_of(g, &t, FIRST));
    assert_int_equal(t.nodes[place].group_count, 1);
    const struct heavytree_group *group = &t.groups[t.nodes[place].first_group];
    assert_int_equal(group->count, 3);
    assert_true(group->retained >= 3 * BYTES);
    assert_int_equal(heavytree_find(&t, graph_find(g, HEAPMADE_OBJECT)), UINT32_MAX);
    heavytree_done(&t);
    graph_close(g);
}

static void of_too_many_objects_only_the_heaviest_are_taken(void **state)
{
    (void)state;
    struct heavytree t;
    heapmade_open(&made);
    for (unsigned i = 0; i < NODES; i++) {
        heapmade_root(&made, 0xff, FIRST + (uint64_t)i * STEP);
        heapmade_node(&made, FIRST + (uint64_t)i * STEP, 0, 0);
    }
    static const unsigned char bytes[BYTES];
    heapmade_root(&made, 0xff, HOLDER);
    heapmade_bytes(&made, HOLDER, bytes, BYTES);
    struct graph *g = heapmade_graph(&made);
    assert_int_equal(heavytree_make(g, 1, 10, &t), 0);
    assert_true(t.count >= 2 && t.count <= 11);
    assert_int_equal(t.nodes[node_of(g, &t, HOLDER)].parent, 0);
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < t.nodes[0].group_count; i++)
        if (t.groups[i].largest >= graph_find(g, FIRST))
            nodes += t.groups[i].count;
    assert_int_equal(nodes, NODES);
    heavytree_done(&t);
    graph_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_holder_of_a_list_is_the_place_and_no_element),
        cmocka_unit_test(the_largest_child_is_followed_while_it_keeps_most),
        cmocka_unit_test(of_too_many_objects_only_the_heaviest_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
