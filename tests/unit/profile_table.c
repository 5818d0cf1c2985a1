/* profile_table.c - rows that stay. SPDX-License-Identifier: Apache-2.0 */
#include "profile/table.h"
#include "base/arena.h"
#include "cmocka_all.h"

static void rows_keep_their_addresses_while_the_table_grows(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static uint64_t *rows[COUNT + 1];
    struct arena a;
    arena_init(&a, 16 << 20);
    struct table t;
    table_init(&t, sizeof(uint64_t));
    for (uint32_t id = 1; id <= COUNT; id++) {
        rows[id] = table_add(&t, &a);
        assert_non_null(rows[id]);
        assert_int_equal(*rows[id], 0);
        *rows[id] = id;
    }
    assert_int_equal(t.count, COUNT);
    for (uint32_t id = 1; id <= COUNT; id++) {
        assert_ptr_equal(table_at(&t, id), rows[id]);
        assert_int_equal(*rows[id], id);
    }
    arena_done(&a);
}

static void a_table_without_memory_refuses_and_stays_whole(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64 << 10);
    struct table t;
    table_init(&t, 64);
    uint32_t added = 0;
    while (table_add(&t, &a))
        added++;
    assert_true(added > 0);
    assert_int_equal(t.count, added);
    assert_null(table_add(&t, &a));
    assert_int_equal(t.count, added);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_their_addresses_while_the_table_grows),
        cmocka_unit_test(a_table_without_memory_refuses_and_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
