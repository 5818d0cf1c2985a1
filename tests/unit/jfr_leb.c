/* jfr_leb.c - the numbers in JFR files. SPDX-License-Identifier: Apache-2.0 */
#include "jfr/leb.h"
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "jfr/jfr_layout.h"

enum { ROUNDS = 20000, ROOM = 96 };

static uint32_t next(uint32_t *seed)
{
    return *seed = *seed * 1664525 + 1013904223;
}

/* Whole numbers of 1 to `longest` bytes, some of nine among them whose last byte has its high bit;
 * returns how many. */
static unsigned make_numbers(uint8_t *bytes, size_t len, uint32_t *seed, unsigned longest)
{
    unsigned count = 0;
    for (size_t at = 0; at < len; count++) {
        size_t n = 1 + (next(seed) >> 16) % longest;
        n = n > len - at ? len - at : n;
        for (size_t i = 0; i < n; i++)
            bytes[at + i] = (uint8_t)(next(seed) >> 24 | 0x80);
        if (n < JFR_LAYOUT_LEB_MAX || (next(seed) >> 31) != 0)
            bytes[at + n - 1] &= 0x7f;
        at += n;
    }
    return count;
}

static void numbers_are_passed_over_as_they_are_read(void **state)
{
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint8_t *bytes = malloc(ROOM); /* so that a tool for memory sees what is read beyond them */
        size_t len = 1 + (next(&seed) >> 16) % ROOM;
        unsigned count = make_numbers(bytes, len, &seed, 1 + (unsigned)round % JFR_LAYOUT_LEB_MAX);
        unsigned some = (next(&seed) >> 16) % (count + 1);
        struct leb read = leb_over(bytes, len), skipped = read;
        for (unsigned i = 0; i < some; i++)
            leb_number(&read);
        leb_skip_numbers(&skipped, some);
        assert_ptr_equal(skipped.at, read.at);
        assert_false(skipped.is_bad);
        leb_skip_numbers(&skipped, count - some);
        assert_int_equal(leb_left(&skipped), 0);
        assert_false(skipped.is_bad);
        leb_skip_numbers(&skipped, 1);
        assert_true(skipped.is_bad);
        free(bytes);
    }
}

static void a_number_that_is_cut_off_is_bad(void **state)
{
    uint8_t bytes[24];
    (void)state;
    for (size_t len = 1; len < JFR_LAYOUT_LEB_MAX; len++) {
        struct leb l;
        memset(bytes, 1, sizeof(bytes));
        memset(bytes + sizeof(bytes) - len, 0x81, len);
        l = leb_over(bytes, sizeof(bytes));
        leb_skip_numbers(&l, sizeof(bytes) - len);
        assert_int_equal(leb_left(&l), len);
        leb_skip_numbers(&l, 1);
        assert_true(l.is_bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_passed_over_as_they_are_read),
        cmocka_unit_test(a_number_that_is_cut_off_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
