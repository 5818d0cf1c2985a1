/*
 * safe_zref.c - references of generational ZGC, put together as the collector does.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/zref.h"
#include "cmocka_all.h"

#define ADDRESS UINT64_C(0x0400abcdef08)
#define MARKS UINT64_C(0x0590)

/* Which collection last saw it moves the address, and the address comes out whatever the VM's own
 * shift is by now. */
static void every_colour_gives_the_address(void **state)
{
    (void)state;
    for (uint32_t colour = 0; colour < 4; colour++) {
        uint64_t word = ADDRESS << (13 + colour) | UINT64_C(1) << (12 + colour) | MARKS;

        for (uint32_t shift = 13; shift <= 16; shift++)
            assert_true(zref_address(HS_CPU_X86_64, shift, word) == ADDRESS);
    }
}

static void null_is_null_in_every_colour(void **state)
{
    (void)state;
    assert_true(zref_address(HS_CPU_X86_64, 14, 0) == 0);
    for (uint32_t colour = 0; colour < 4; colour++)
        assert_true(zref_address(HS_CPU_X86_64, 14, UINT64_C(1) << (12 + colour) | MARKS) == 0);
}

static void elsewhere_the_shift_is_always_the_same(void **state)
{
    (void)state;
    assert_true(zref_address(HS_CPU_AARCH64, 16, UINT64_C(0xabc8) << 16 | 0xe590) == 0xabc8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_colour_gives_the_address),
        cmocka_unit_test(null_is_null_in_every_colour),
        cmocka_unit_test(elsewhere_the_shift_is_always_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
