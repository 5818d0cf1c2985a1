/*
 * heap_holders.c - which fields hold the objects of a set, within the memory that the graph may
 * take. SPDX-License-Identifier: Apache-2.0
 */
#include "heap/holders.h"
#include "base/err.h"
#include "cmocka_all.h"
#include "heap/graph_parts.h"
#include "heapmade.h"

enum {
    HOLDER = 0x20000,
    WRAPPER = 0x20020,
    FIRST = 0x30000,
    STEP = 0x20,
    NODES = 3000,
    BYTES = 5, /* what each object wastes */
};

/* A node that refers to another one, which wraps a third; and an array of all nodes. */
static struct graph *make(struct heapmade *made)
{
    static uint64_t all[NODES];
    heapmade_open(made);
    for (unsigned i = 0; i < NODES; i++) {
        all[i] = FIRST + (uint64_t)i * STEP;
        heapmade_node(made, all[i], 0, 0);
    }
    heapmade_node(made, HOLDER, WRAPPER, 0);
    heapmade_node(made, WRAPPER, all[0], 0);
    heapmade_array(made, 0x28000, all, NODES);
    heapmade_root(made, 0xff, HOLDER);
    heapmade_root(made, 0xff, 0x28000);
    return heapmade_graph(made);
}

static void an_object_counts_once_and_a_wrapper_as_what_it_wraps(void **state)
{
    (void)state;
    struct heapmade made;
    struct graph *g = make(&made);
    struct holders *h = holders_new(g);
    uint64_t before = g->room.used;
    uint32_t count;
    for (unsigned i = 0; i < NODES; i++)
        assert_int_equal(holders_add(h, graph_find(g, FIRST + (uint64_t)i * STEP), BYTES), 0);
    assert_int_equal(holders_add(h, graph_find(g, FIRST), BYTES), 0);
    assert_int_equal(holders_add_wrapper(h, graph_find(g, WRAPPER), graph_find(g, FIRST)), 0);
    assert_int_equal(holders_find(h), 0);
    const struct holders_row *rows = holders_rows(h, &count);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].kind, GRAPH_EDGE_ELEMENT);
    assert_int_equal(rows[0].objects, NODES - 1);
    assert_int_equal(rows[0].bytes, (NODES - 1) * BYTES);
    assert_int_equal(rows[1].kind, GRAPH_EDGE_FIELD);
    assert_string_equal(rows[1].name, "left");
    assert_int_equal(rows[1].objects, 1);
    assert_int_equal(rows[1].bytes, 2 * BYTES);
    assert_int_equal(rows[1].sample, graph_find(g, HOLDER));
    assert_true(g->room.used > before);
    holders_free(h);
    assert_int_equal(g->room.used, before);
    graph_close(g);
}

static void more_than_the_limit_is_refused(void **state)
{
    (void)state;
    struct heapmade made;
    struct graph *g = make(&made);
    struct holders *h = holders_new(g);
    uint64_t before = g->room.used, added = 0;
    int error = 0;
    g->room.limit = before + (1 << 20);
    g->room.peak = before;
    while (added < 1 << 20 && (error = holders_add(h, added, BYTES)) == 0)
        added++;
    assert_int_equal(error, E_LIMIT);
    assert_true(added > NODES);
    assert_true(g->room.peak <= g->room.limit);
    holders_free(h);
    assert_int_equal(g->room.used, before);
    graph_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_counts_once_and_a_wrapper_as_what_it_wraps),
        cmocka_unit_test(more_than_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
