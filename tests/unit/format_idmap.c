/* format_idmap.c - identifiers of files. SPDX-License-Identifier: Apache-2.0 */
#include "format/idmap.h"
#include "cmocka_all.h"

static void every_key_is_found_and_a_later_value_replaces_an_earlier_one(void **state)
{
    (void)state;
    struct idmap m;
    idmap_init(&m);
    assert_int_equal(idmap_get(&m, 0), 0);
    for (uint32_t i = 0; i < 100000; i++)
        idmap_put(&m, (uint64_t)i << 40, i + 1);
    idmap_put(&m, 0, 77);
    idmap_put(&m, UINT64_MAX, 78);
    idmap_put(&m, 5, 0); /* nothing to remember */
    assert_int_equal(idmap_get(&m, 0), 77);
    for (uint32_t i = 1; i < 100000; i++)
        assert_int_equal(idmap_get(&m, (uint64_t)i << 40), i + 1);
    assert_int_equal(idmap_get(&m, UINT64_MAX), 78);
    assert_int_equal(idmap_get(&m, 5), 0);
    assert_int_equal(idmap_error(&m), 0);
    idmap_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_found_and_a_later_value_replaces_an_earlier_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
