/*
 * agent_nativemem_ranges.c - ranges of pages against a plain table of what each page holds.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/nativemem/nativemem_ranges.h"
#include <stdlib.h>
#include <sys/mman.h>
#include "cmocka_all.h"

enum { PAGES = 64, ROOM = 64, PAGE = 4096 };

static struct nativemem_range rows[ROOM];

static struct nativemem_range range(uint64_t low, uint64_t high, trace_id trace)
{
    return (struct nativemem_range){.low = low * PAGE,
                                    .high = high * PAGE,
                                    .time_ns = trace,
                                    .of = {trace % 2 == 0 ? trace : 0, trace % 2 ? trace : 0}};
}

static uint8_t cut(struct nativemem_ranges *t, uint64_t low, uint64_t high, uint64_t before_ns)
{
    uint64_t lost;
    uint8_t places = nativemem_ranges_cut(t, low * PAGE, high * PAGE, before_ns, &lost);
    assert_int_equal(lost, 0);
    return places;
}

/* The trace of a page; 0: it is not mapped. */
static trace_id trace_at(const struct nativemem_ranges *t, uint64_t page)
{
    trace_id found = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].low <= page * PAGE && page * PAGE < t->rows[i].high) {
            assert_int_equal(found, 0);
            found = t->rows[i].of[0] + t->rows[i].of[1];
        }
    return found;
}

static void pages_are_those_of_a_plain_table(void **state)
{
    (void)state;
    struct nativemem_ranges t = {.rows = rows, .room = ROOM};
    trace_id pages[PAGES] = {0};
    srand(7);
    for (trace_id step = 1; step < 20000; step++) {
        uint64_t low = (uint64_t)rand() % PAGES, high = low + 1 + (uint64_t)rand() % (PAGES - low);
        bool maps = rand() % 3 == 0;
        uint8_t expected = 0;
        for (uint64_t page = low; page < high; page++) {
            expected |= pages[page] ? (uint8_t)(1 << pages[page] % 2) : 0;
            pages[page] = maps ? step : 0;
        }
        assert_int_equal(cut(&t, low, high, UINT64_MAX), expected);
        const struct nativemem_range added = range(low, high, step);
        assert_true(!maps || nativemem_ranges_add(&t, &added));
        for (uint64_t page = 0; page < PAGES; page++)
            assert_int_equal(trace_at(&t, page), pages[page]);
        for (uint32_t i = 1; i < t.count; i++)
            assert_true(t.rows[i - 1].low < t.rows[i - 1].high &&
                        t.rows[i - 1].high <= t.rows[i].low);
    }
}

static void what_was_mapped_later_stays(void **state)
{
    (void)state;
    struct nativemem_ranges t = {.rows = rows, .room = ROOM};
    for (trace_id i = 1; i <= 5; i++) {
        const struct nativemem_range added = range(i * 2, i * 2 + 2, i);
        assert_true(nativemem_ranges_add(&t, &added));
    }
    assert_int_equal(cut(&t, 0, PAGES, 3), 3);
    assert_int_equal(t.count, 2);
    assert_int_equal(trace_at(&t, 8), 4);
    assert_int_equal(trace_at(&t, 11), 5);
    assert_int_equal(trace_at(&t, 7), 0);
}

static void a_full_table_adds_nothing_and_tells_what_it_loses(void **state)
{
    (void)state;
    struct nativemem_ranges t = {.rows = rows, .room = 2};
    const struct nativemem_range first = range(0, 9, 1), second = range(10, 12, 2),
                                 third = range(20, 21, 3);
    uint64_t lost;
    assert_true(nativemem_ranges_add(&t, &first) && nativemem_ranges_add(&t, &second));
    assert_false(nativemem_ranges_add(&t, &third));
    assert_int_equal(nativemem_ranges_cut(&t, 3 * PAGE, 5 * PAGE, UINT64_MAX, &lost), 2);
    assert_int_equal(lost, 4 * PAGE);
    assert_int_equal(t.count, 2);
    assert_int_equal(trace_at(&t, 2), 1);
    assert_int_equal(trace_at(&t, 6), 0);
    assert_int_equal(trace_at(&t, 11), 2);
}

static void what_the_kernel_has_not_mapped_is_taken_out(void **state)
{
    (void)state;
    struct nativemem_ranges t = {.rows = rows, .room = ROOM};
    char *at = mmap(NULL, 8 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    uint64_t first = (uint64_t)(uintptr_t)at / PAGE;
    const struct nativemem_range all = range(first, first + 8, 1);
    assert_true(nativemem_ranges_add(&t, &all));
    assert_int_equal(nativemem_ranges_check(&t), 0);
    assert_int_equal(t.count, 1);
    assert_int_equal(munmap(at + 2 * PAGE, PAGE), 0);
    assert_int_equal(mprotect(at + 6 * PAGE, 2 * PAGE, PROT_NONE), 0);
    assert_int_equal(nativemem_ranges_check(&t), 0);
    const trace_id expected[] = {1, 1, 0, 1, 1, 1, 0, 0};
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(trace_at(&t, first + i), expected[i]);
    munmap(at, 8 * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_those_of_a_plain_table),
        cmocka_unit_test(what_was_mapped_later_stays),
        cmocka_unit_test(what_the_kernel_has_not_mapped_is_taken_out),
        cmocka_unit_test(a_full_table_adds_nothing_and_tells_what_it_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
