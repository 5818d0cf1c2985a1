/* hotspot_heap_mark.c - marked objects, found again. SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/heap_mark.h"
#include "cmocka_all.h"

enum { PLACES = 64 * 5 };

static const uint64_t low = UINT64_C(0x600000000);

/* Every piece of a small heap, for several patterns of marks. */
static void a_cursor_meets_what_is_marked_and_nothing_else(void **state)
{
    static const uint64_t patterns[][PLACES / 64] = {
        {0, 0, 0, 0, 0},
        {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)},
        {UINT64_C(1) << 63, 1, 0, 0, UINT64_C(1) << 63 | 1},
        {0x5555555555555555, 0, 0x8000000000000001, 0xf0, 0},
    };
    (void)state;
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        uint64_t bits[PLACES / 64];
        struct heap heap = {.low = low, .high = low + PLACES * 8};
        struct heap_mark mark = {.heap = &heap, .bits = bits, .bit_words = PLACES / 64};
        memcpy(bits, patterns[p], sizeof bits);
        for (uint64_t from = 0; from <= PLACES; from++) {
            for (uint64_t to = from; to <= PLACES; to++) {
                struct heap_mark_cursor c = heap_mark_cursor(&mark, low + from * 8, low + to * 8);
                for (uint64_t i = from; i < to; i++) {
                    if (bits[i / 64] >> (i % 64) & 1)
                        assert_int_equal(heap_mark_cursor_next(&c), low + i * 8);
                }
                assert_int_equal(heap_mark_cursor_next(&c), 0);
                assert_int_equal(heap_mark_cursor_next(&c), 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cursor_meets_what_is_marked_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
