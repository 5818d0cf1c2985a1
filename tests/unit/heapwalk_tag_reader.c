/* heapwalk_tag_reader.c - the VM's table of tags. SPDX-License-Identifier: Apache-2.0 */
#include "heapwalk/tag_reader.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "safe/mem_self.h"

enum { CHAINS = 300, NODES = 1000, NODE_WORDS = 6 };

/* As the VM has them, in words: the environment leads to the map, the map to the table. */
static uint64_t env[200], map[40], table[8], chains[CHAINS], nodes[NODES][NODE_WORDS];
static uint64_t handles[NODES];

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static uint64_t object_of(uint32_t i)
{
    return 0x10000 + i * 16u;
}

static void hang(uint32_t i, int next)
{
    uint64_t *head = &chains[i * 7 % CHAINS];
    nodes[i][next] = *head;
    *head = address(nodes[i]);
}

/* A guard of the loads. Without one mem_self asks the kernel by a call that emulators do not know.
 * cmocka has put its own handlers in since the test before. */
static void guard(void)
{
    mem_self_replaced();
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
}

static void make(int version)
{
    guard();
    memset(env, 0, sizeof(env));
    memset(map, 0, sizeof(map));
    memset(table, 0, sizeof(table));
    memset(chains, 0, sizeof(chains));
    env[3] = address(table); /* not a map: it does not lead back */
    env[43] = address(map);
    map[0] = address(env);
    map[5] = address(handles); /* not a table */
    map[14] = address(table);
    for (uint32_t i = 0; i < NODES; i++) {
        handles[i] = i == 5 && version >= 16 ? 0 : object_of(i); /* one is dead */
        if (version < 16)
            memcpy(nodes[i], (uint64_t[]){object_of(i), i + 1}, 16);
        else if (version < 18)
            memcpy(nodes[i], (uint64_t[]){9, 0, address(&handles[i]), i + 1}, 32);
        else if (version < 28)
            memcpy(nodes[i], (uint64_t[]){9, address(&handles[i]), 0, i + 1}, 32);
        else
            memcpy(nodes[i], (uint64_t[]){9, address(&handles[i]), 1, 0, i + 1}, 40);
        hang(i, version < 16 ? 2 : version < 18 ? 1 : version < 28 ? 4 : 5);
    }
    table[0] = CHAINS;
    if (version < 16) {
        table[1] = NODES | UINT64_C(0x40800000) << 32;
        table[4] = address(chains);
    } else {
        table[1] = address(chains);
        table[2] = version < 18 ? (uint64_t)NODES << 32 | 32 : NODES | UINT64_C(0x3fffffff) << 32;
    }
}

struct found {
    uint32_t count;
    unsigned char is_seen[NODES];
};

static void see(void *arg, uint64_t object, int64_t tag)
{
    struct found *f = arg;
    f->count++;
    if (tag > 0 && tag <= NODES && object == object_of((uint32_t)tag - 1))
        f->is_seen[tag - 1]++;
}

static int read_all(int version, struct found *f)
{
    struct found other = {0};
    void *const args[] = {f, &other};
    *f = other;
    int error = tag_reader_read(&mem_self, version, address(env), see, args);
    f->count += other.count;
    for (uint32_t i = 0; i < NODES; i++)
        f->is_seen[i] += other.is_seen[i];
    return error;
}

static const int versions[] = {8, 11, 17, 21, 25, 26, 27, 28};

static void each_object_comes_once_with_its_tag(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
        struct found f;
        make(versions[v]);
        assert_int_equal(tag_reader_expect(&mem_self, versions[v], address(env)), 0);
        assert_int_equal(read_all(versions[v], &f), 0);
        for (uint32_t i = 0; i < NODES; i++)
            assert_int_equal(f.is_seen[i], i == 5 && versions[v] >= 16 ? 0 : 1);
        assert_int_equal(f.count, versions[v] >= 16 ? NODES - 1 : NODES);
    }
}

static void another_shape_is_not_taken_for_a_table(void **state)
{
    (void)state;
    struct found f;
    make(8);
    assert_int_equal(read_all(17, &f), E_FACT_MISSING);
    make(17);
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
    make(21);
    assert_int_equal(read_all(8, &f), E_FACT_MISSING);
    assert_int_equal(read_all(7, &f), E_FACT_MISSING);
    map[0] = 0; /* of another environment */
    assert_int_equal(tag_reader_expect(&mem_self, 21, address(env)), E_FACT_MISSING);
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
}

static void a_table_that_counts_differently_is_refused(void **state)
{
    (void)state;
    struct found f;
    make(21);
    table[2]++;
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
    table[2] -= 2;
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
    table[2] = 0;
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
}

static void chains_that_lead_astray_end(void **state)
{
    (void)state;
    struct found f;
    make(21);
    nodes[10][4] = address(nodes[10]); /* a circle */
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
    assert_true(f.count <= NODES);
    make(21);
    nodes[10][4] = 0x123; /* no pointer */
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
    make(21);
    nodes[10][1] = 0x7ffffffff000; /* a handle to nothing */
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
    make(21);
    table[0] = 1u << 29; /* more chains than there is memory for */
    assert_int_equal(read_all(21, &f), E_FACT_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_object_comes_once_with_its_tag),
        cmocka_unit_test(another_shape_is_not_taken_for_a_table),
        cmocka_unit_test(a_table_that_counts_differently_is_refused),
        cmocka_unit_test(chains_that_lead_astray_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
