/* heapwalk_heap_mark.c - marks and coloured references. SPDX-License-Identifier: Apache-2.0 */
#include "heapwalk/heap_mark.h"
#include "cmocka_all.h"
#include "hotspot/target.h"
#include "safe/mem_self.h"

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
    for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
        uint64_t bits[PLACES / 64];
        struct heap heap = {.low = low, .high = low + PLACES * 8};
        struct heap_mark mark = {.heap = &heap, .bits = bits, .bit_words = PLACES / 64};
        memcpy(bits, patterns[p], sizeof(bits));
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

/* A guard of the loads. Without one mem_self asks the kernel by a call that emulators do not know.
 * cmocka has put its own handlers in since the test before. */
static void guard(void)
{
    mem_self_replaced();
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
}

/* Two granules, of the second of which the young collection has moved the object at its start. */
static void coloured_references_lead_to_where_objects_are(void **state)
{
    enum { GRANULE = 21, FORWARDING = 64 };
    static const uint64_t base = UINT64_C(1) << 42, there = base + 0x1000,
                          moved = base + (1 << GRANULE);
    uint64_t mask = 0x2000, none[2] = {0};
    /* start, alignment, length; behind them one entry: used, the new offset, index 0 */
    uint64_t forwarding[FORWARDING / 8 + 1] = {1 << GRANULE, 3, 1};
    uint64_t young[2] = {0, (uint64_t)(uintptr_t)forwarding};
    struct target target = {.mem = &mem_self};
    struct heap h = {.target = &target, .collector = HEAP_ZGC};
    (void)state;
    forwarding[FORWARDING / 8] = (uint64_t)0x2000 << 1 | 1;
    h.oops.refs = (struct hs_refs){
        .is_x86 = 1,
        .mover = HS_REFS_Z_TWO,
        .z_shift = 14,
        .good_at = (uint64_t)(uintptr_t)&mask,
        .offset_mask = base - 1,
        .granule_shift = GRANULE,
        .tables = {{(uint64_t)(uintptr_t)young, 2}, {(uint64_t)(uintptr_t)none, 2}},
        .forwarding.start = 0,
        .forwarding.align = 8,
        .forwarding.length = 16,
        .forwarding.size = FORWARDING};
    guard();
    heap_stand_still(&h);
    assert_int_equal(h.good, 0x2000);
    assert_int_equal(heap_of_word(&h, 0), 0);
    assert_int_equal(heap_of_word(&h, 0x2010), 0); /* null has a colour, too */
    assert_int_equal(heap_of_word(&h, there), there);
    assert_int_equal(heap_of_word(&h, there << 14 | 0x2010), there);
    assert_int_equal(heap_of_word(&h, moved << 14 | 0x2010),
                     moved); /* it is of this colour already */
    assert_int_equal(heap_of_word(&h, there << 13 | 0x1010),
                     there); /* of another, and has not moved */
    assert_int_equal(heap_of_word(&h, moved << 13 | 0x1010), base + 0x2000);
    forwarding[2] = 0; /* no table of a VM */
    assert_int_equal(heap_of_word(&h, moved << 13 | 0x1010), HEAP_NOWHERE);
    mask = 0x3000; /* no colour of a VM */
    heap_stand_still(&h);
    assert_int_equal(h.good, 0);
    assert_int_equal(heap_of_word(&h, there << 14 | 0x2010), HEAP_NOWHERE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coloured_references_lead_to_where_objects_are),
        cmocka_unit_test(a_cursor_meets_what_is_marked_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
