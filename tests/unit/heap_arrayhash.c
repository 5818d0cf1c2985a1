/*
 * heap_arrayhash.c - hashes of the contents of arrays, also where they do not fit into memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/arrayhash.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "heap/graph_parts.h"
#include "heapmade.h"

enum {
    FIRST = 0x20000,
    STEP = 0x20,
    NODES = 1200000, /* their hashes alone have more bytes than the room */
    BYTES = 16,
    ARRAYS = 4,
};

static const char *tmp_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static void hashes_that_do_not_fit_into_memory_are_in_a_file(void **state)
{
    (void)state;
    static const char contents[ARRAYS][BYTES] = {"a", "b", "a", ""};
    const struct graph_options options = {
        .memory_bytes = 16 << 20, .tmp = tmp_folder(), .skips_index = true};
    struct heapmade made;
    struct arrayhash hashes;
    graph_object arrays[ARRAYS];
    struct graph *g = NULL;
    char why[GRAPH_WHY];
    heapmade_open(&made);
    for (unsigned i = 0; i < NODES; i++)
        heapmade_node(&made, FIRST + (uint64_t)i * STEP, 0, 0);
    for (unsigned i = 0; i < ARRAYS; i++)
        heapmade_bytes(&made, FIRST + (uint64_t)(NODES + i) * STEP, contents[i], BYTES);
    heapmade_end(&made);
    assert_int_equal(fflush(made.to), 0);
    assert_int_equal(graph_open(made.path, &options, &g, why), 0);
    fclose(made.to);
    assert_int_equal(arrayhash_make(&hashes, g), 0);
    assert_true(g->store.is_spilling);
    for (unsigned i = 0; i < ARRAYS; i++)
        arrays[i] = graph_find(g, FIRST + (uint64_t)(NODES + i) * STEP);
    assert_true(arrayhash_of(&hashes, arrays[0]) > ARRAYHASH_ZEROS);
    assert_true(arrayhash_of(&hashes, arrays[0]) == arrayhash_of(&hashes, arrays[2]));
    assert_true(arrayhash_of(&hashes, arrays[0]) != arrayhash_of(&hashes, arrays[1]));
    assert_true(arrayhash_of(&hashes, arrays[3]) == ARRAYHASH_ZEROS);
    assert_true(arrayhash_of(&hashes, graph_find(g, FIRST)) == ARRAYHASH_NONE);
    assert_false(arrayhash_mark(&hashes, arrays[1], ARRAYHASH_COUNTED));
    assert_true(arrayhash_mark(&hashes, arrays[1], ARRAYHASH_COUNTED));
    assert_true(arrayhash_has_mark(&hashes, arrays[1], ARRAYHASH_COUNTED));
    assert_false(arrayhash_has_mark(&hashes, arrays[1], ARRAYHASH_OF_STRING));
    arrayhash_done(&hashes);
    assert_int_equal(graph_error(g), 0);
    assert_true(g->room.peak <= 8 << 20);
    graph_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_that_do_not_fit_into_memory_are_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
