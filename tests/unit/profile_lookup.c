/* profile_lookup.c - hash tables of the model. SPDX-License-Identifier: Apache-2.0 */
#include "profile/lookup.h"
#include "base/arena.h"
#include "cmocka_all.h"

static int finds(const struct lookup *l, uint32_t hash, uint32_t row)
{
    uint32_t at = hash;
    uint32_t found;
    while ((found = lookup_next(l, hash, &at)) != 0) {
        if (found == row)
            return 1;
    }
    return 0;
}

static void every_row_is_found_under_its_hash(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64 << 20);
    struct lookup l = {0};
    struct lookup_key key;
    lookup_key_init(&key);
    assert_false(finds(&l, 1, 1));
    for (uint32_t row = 1; row <= 50000; row++) {
        assert_int_equal(lookup_reserve(&l, &a), 1);
        lookup_add(&l, lookup_hash(&key, &row, sizeof(row)), row);
    }
    for (uint32_t row = 1; row <= 50000; row++)
        assert_true(finds(&l, lookup_hash(&key, &row, sizeof(row)), row));
    uint32_t absent = 50001;
    assert_false(finds(&l, lookup_hash(&key, &absent, sizeof(absent)), absent));
    arena_done(&a);
}

static void rows_of_one_hash_are_all_found(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    struct lookup l = {0};
    for (uint32_t row = 1; row <= 300; row++) {
        assert_int_equal(lookup_reserve(&l, &a), 1);
        lookup_add(&l, 0xffffffffu, row);
    }
    for (uint32_t row = 1; row <= 300; row++)
        assert_true(finds(&l, 0xffffffffu, row));
    arena_done(&a);
}

static void without_memory_it_refuses_before_it_is_full(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 8 << 10);
    struct lookup l = {0};
    uint32_t row = 0;
    while (lookup_reserve(&l, &a)) {
        row++;
        lookup_add(&l, row * 0x9e3779b9u, row);
        assert_true(row < 4096);
    }
    assert_true(row > 200);
    assert_false(finds(&l, 12345, 12345)); /* ends, since a slot is free */
    assert_true(finds(&l, row * 0x9e3779b9u, row));
    arena_done(&a);
}

static void the_hash_depends_on_key_length_and_every_byte(void **state)
{
    (void)state;
    const struct lookup_key one = {1, 2};
    const struct lookup_key two = {1, 3};
    unsigned char bytes[24] = {0};
    uint32_t hash = lookup_hash(&one, bytes, sizeof(bytes));
    assert_int_equal(lookup_hash(&one, bytes, sizeof(bytes)), hash);
    assert_int_not_equal(lookup_hash(&two, bytes, sizeof(bytes)), hash);
    assert_int_not_equal(lookup_hash(&one, bytes, sizeof(bytes) - 1), hash);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = 1;
        assert_int_not_equal(lookup_hash(&one, bytes, sizeof(bytes)), hash);
        bytes[i] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found_under_its_hash),
        cmocka_unit_test(rows_of_one_hash_are_all_found),
        cmocka_unit_test(without_memory_it_refuses_before_it_is_full),
        cmocka_unit_test(the_hash_depends_on_key_length_and_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
