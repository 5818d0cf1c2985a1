/* base_rd.c - the sticky reader. SPDX-License-Identifier: Apache-2.0 */
#include "base/rd.h"
#include "base/err.h"
#include "cmocka_all.h"

static const unsigned char counting[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void numbers_are_read_big_endian(void **state)
{
    (void)state;
    struct rd r;
    rd_init(&r, counting, sizeof(counting));
    assert_int_equal(rd_u1(&r), 0x01);
    assert_int_equal(rd_u2(&r), 0x0203);
    assert_int_equal(rd_u4(&r), 0x04050607);
    assert_int_equal(rd_u8(&r), 0x08090a0b0c0d0e0f);
    assert_int_equal(rd_left(&r), 0);
    assert_int_equal(r.error, 0);
}

static void identifiers_have_four_or_eight_bytes(void **state)
{
    (void)state;
    struct rd r;
    rd_init(&r, counting, sizeof(counting));
    assert_int_equal(rd_id(&r, 4), 0x01020304);
    assert_int_equal(rd_id(&r, 8), 0x05060708090a0b0c);
    assert_int_equal(rd_id(&r, 2), 0);
    assert_int_equal(r.error, E_FORMAT);
}

static void past_the_end_there_are_zeros_and_the_first_failure_stays(void **state)
{
    (void)state;
    struct rd r;
    rd_init(&r, counting, 6);
    rd_u4(&r);
    assert_int_equal(rd_u4(&r), 0);
    assert_int_equal(r.error, E_TRUNCATED);
    assert_int_equal(r.error_pos, 4);
    assert_int_equal(rd_left(&r), 0);
    assert_int_equal(rd_u1(&r), 0);
    assert_null(rd_bytes(&r, 0));
    assert_int_equal(rd_fail(&r, E_FORMAT), E_TRUNCATED);
    assert_int_equal(r.error_pos, 4);
}

static void bytes_are_borrowed_and_never_more_than_there_are(void **state)
{
    (void)state;
    struct rd r;
    rd_init(&r, counting, sizeof(counting));
    assert_ptr_equal(rd_bytes(&r, 3), counting);
    rd_skip(&r, 2);
    assert_ptr_equal(rd_bytes(&r, 0), counting + 5);
    assert_null(rd_bytes(&r, SIZE_MAX));
    assert_int_equal(r.error, E_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_big_endian),
        cmocka_unit_test(identifiers_have_four_or_eight_bytes),
        cmocka_unit_test(past_the_end_there_are_zeros_and_the_first_failure_stays),
        cmocka_unit_test(bytes_are_borrowed_and_never_more_than_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
