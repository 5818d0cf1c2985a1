/*
 * heappage_heappage.c - the page of a heap: its size, and what it may connect to.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heappage/heappage.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "command/textbuf.h"
#include "heap/graph.h"
#include "heapmade.h"
#include "heappage/heappage_tree.h"

enum {
    HOLDER = 0x10000,
    FIRST = 0x20000,
    STEP = 0x1000,
    NODES = 60000,
    BYTES = 3000,
    LEVELS = 30000,
    ROOM = 100000,
};

static struct heapmade made;

static int keep(void *to, const unsigned char *bytes, size_t len)
{
    struct textbuf *text = to;
    textbuf_bytes(text, (const char *)bytes, len);
    return text->is_bad ? -ENOMEM : 0;
}

static struct textbuf page_of(struct graph *g, bool is_served)
{
    struct textbuf text = {0};
    struct sink out;
    struct heappage_asked asked = {.graph = g, .file = "x.hprof", .is_served = is_served};
    assert_int_equal(sink_init_taker(&out, keep, &text), 0);
    assert_int_equal(heappage_write(&asked, &out), 0);
    assert_int_equal(sink_done(&out), 0);
    textbuf_char(&text, '\0');
    return text;
}

/* An array holds many nodes, each with a byte array of another size. */
static struct graph *make_wide(void)
{
    static unsigned char bytes[BYTES];
    uint64_t *nodes = calloc(NODES, sizeof(*nodes));
    assert_non_null(nodes);
    heapmade_open(&made);
    for (unsigned i = 0; i < NODES; i++) {
        nodes[i] = FIRST + (uint64_t)i * STEP;
        heapmade_node(&made, nodes[i], nodes[i] + 0x40, 0);
        heapmade_bytes(&made, nodes[i] + 0x40, bytes, 1 + i % BYTES);
    }
    heapmade_array(&made, HOLDER, nodes, NODES);
    heapmade_root(&made, 0xff, HOLDER);
    free(nodes);
    return heapmade_graph(&made);
}

static void a_page_is_small_however_many_objects_there_are(void **state)
{
    (void)state;
    struct graph *g = make_wide();
    struct textbuf text = page_of(g, false);
    assert_true(text.len <= HEAPPAGE_BYTES);
    assert_non_null(strstr(text.bytes, "\"least\":"));
    assert_null(strstr(text.bytes, "\"least\":1,"));
    textbuf_done(&text);
    graph_close(g);
}

static void only_a_page_that_is_served_may_connect(void **state)
{
    (void)state;
    heapmade_open(&made);
    heapmade_root(&made, 0xff, FIRST);
    heapmade_node(&made, FIRST, 0, 0);
    struct graph *g = heapmade_graph(&made);
    struct textbuf file = page_of(g, false), served = page_of(g, true);
    assert_non_null(strstr(file.bytes, "connect-src 'none'"));
    assert_null(strstr(file.bytes, "connect-src 'self'"));
    assert_non_null(strstr(served.bytes, "connect-src 'self'"));
    assert_null(strstr(served.bytes, "connect-src 'none'"));
    assert_non_null(strstr(file.bytes, "\"served\":false"));
    textbuf_done(&file);
    textbuf_done(&served);
    graph_close(g);
}

static uint64_t tree_bytes(struct graph *g, uint64_t room)
{
    struct sink counter;
    assert_int_equal(sink_init(&counter, -1), 0);
    assert_int_equal(heappage_tree_write(g, room, &counter), 0);
    uint64_t bytes = sink_position(&counter);
    assert_int_equal(sink_done(&counter), 0);
    return bytes;
}

static void a_tree_is_cut_to_the_room_that_it_has(void **state)
{
    (void)state;
    struct graph *g = make_wide();
    uint64_t small = tree_bytes(g, ROOM), large = tree_bytes(g, (uint64_t)10 * ROOM);
    assert_true(small <= ROOM);
    assert_true(large > small && large <= (uint64_t)10 * ROOM);
    assert_true(tree_bytes(g, 1) < ROOM); /* the virtual root is always there */
    graph_close(g);
}

static void a_tree_may_be_a_long_chain(void **state)
{
    (void)state;
    heapmade_open(&made);
    heapmade_root(&made, 0xff, FIRST);
    for (unsigned i = 0; i < LEVELS; i++)
        heapmade_node(&made, FIRST + (uint64_t)i * STEP,
                      i + 1 < LEVELS ? FIRST + (uint64_t)(i + 1) * STEP : 0, 0);
    struct graph *g = heapmade_graph(&made);
    assert_true(tree_bytes(g, (uint64_t)100 * ROOM) > (uint64_t)LEVELS * 10);
    graph_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_small_however_many_objects_there_are),
        cmocka_unit_test(only_a_page_that_is_served_may_connect),
        cmocka_unit_test(a_tree_is_cut_to_the_room_that_it_has),
        cmocka_unit_test(a_tree_may_be_a_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
