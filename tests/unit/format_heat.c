/*
 * format_heat.c - values by cells of time come back from the text that a page has of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/heat.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "cmocka_all.h"

enum { NODES = 3000, MS = 1000000, TEXT = 1 << 20 };

static char text[TEXT];
static size_t used;

static int keep(void *to, const unsigned char *bytes, size_t len)
{
    (void)to;
    assert_true(used + len < sizeof(text));
    memcpy(text + used, bytes, len);
    used += len;
    text[used] = '\0';
    return 0;
}

/* As flamegraph.html reads it. */
static uint64_t digit(const char **at)
{
    int code = (unsigned char)*(*at)++ - '#';
    assert_true(code >= 0);
    return (uint64_t)(code - (code > 25) - (code > 57));
}

static uint64_t more(const char **at, uint64_t number, int digits)
{
    while (digits-- > 0)
        number = number * 90 + digit(at);
    return number;
}

static uint64_t number_at(const char **at)
{
    uint64_t lead = digit(at);
    return lead < 50   ? lead
           : lead < 80 ? 50 + more(at, lead - 50, 1)
           : lead < 88 ? 2750 + more(at, lead - 80, 2)
                       : more(at, 0, lead == 88 ? 5 : 10);
}

static const char *behind(const char *word)
{
    const char *at = strstr(text, word);
    assert_non_null(at);
    return at + strlen(word);
}

static void put(struct heat *h)
{
    uint32_t numbers[NODES + 1];
    struct sink s;
    for (uint32_t i = 0; i <= NODES; i++)
        numbers[i] = i * 2;
    used = 0;
    assert_int_equal(sink_init_taker(&s, keep, NULL), 0);
    assert_int_equal(heat_put(h, &s, numbers, NODES), 0);
    assert_int_equal(sink_done(&s), 0);
}

/* Whether the text says the same as `list`, whose order is that of cells and nodes. */
static void check(const struct heat_entry *list, size_t count)
{
    const char *at = behind("\"entries\":\"");
    bool counted = strstr(text, "\"counted\":true") != NULL;
    uint32_t stacks[NODES], stack_count = 0, cell = 0;
    char *stack = (char *)behind("\"stacks\":[");
    while (*stack != ']')
        stacks[stack_count++] = (uint32_t)strtoul(stack + (*stack == ','), &stack, 10);
    for (size_t i = 0; i < count; i++) {
        uint64_t n = number_at(&at), value;
        if (n == 0) {
            cell += (uint32_t)number_at(&at);
            n = number_at(&at);
        }
        cell += n & 1;
        assert_true(n / 2 <= stack_count && n >= 2);
        assert_int_equal(cell, list[i].cell);
        assert_int_equal(stacks[n / 2 - 1], list[i].node * 2);
        value = counted ? 1 : number_at(&at);
        for (; counted && value < list[i].value; value++)
            number_at(&at);
        assert_int_equal(value, list[i].value);
    }
    assert_int_equal(*at, '"');
}

static void any_value_and_any_gap_comes_back(void **state)
{
    static const uint64_t values[] = {1,         49,         50,         2749,       2750,
                                      67549,     67550,      5904899999, 5904900000, 1ULL << 50,
                                      123456789, 4294967296, 7,          88,         90};
    enum { COUNT = sizeof(values) / sizeof(*values) };
    struct heat_entry list[COUNT];
    struct heat h;
    (void)state;
    heat_init(&h, 1000, 1000 + 20ULL * MS * 100000, 1 << 20);
    for (uint32_t i = 0, cell = 0; i < COUNT; cell += i * i * 100, i++)
        list[i] = (struct heat_entry){cell, 1 + i % 7, values[i]};
    for (uint32_t i = COUNT; i-- > 0;)
        assert_int_equal(
            heat_add(&h, list[i].node, 1000 + 20ULL * MS * list[i].cell + 5, values[i]), 0);
    put(&h);
    check(list, COUNT);
    heat_done(&h);
}

static void samples_of_one_cell_and_stack_are_counted(void **state)
{
    struct heat_entry list[2000];
    struct heat h;
    (void)state;
    heat_init(&h, 0, 20ULL * MS * 2000, 1 << 20);
    for (uint32_t i = 0; i < 2000; i++) {
        list[i] = (struct heat_entry){i / 2, 1 + i % 2 + i / 2 % (NODES - 2), 1 + i % 2};
        for (uint64_t n = 0; n < list[i].value; n++)
            assert_int_equal(heat_add(&h, list[i].node, 20ULL * MS * list[i].cell, 1), 0);
    }
    put(&h);
    assert_non_null(strstr(text, "\"counted\":true"));
    check(list, 2000);
    heat_done(&h);
}

static void cells_are_as_long_as_their_number_wants(void **state)
{
    struct heat h;
    (void)state;
    heat_init(&h, 5, 5, 1000);
    assert_true(h.cells == 1 && h.cell_ns == 20 * MS);
    heat_init(&h, 0, 27ULL * 1000 * MS, 1000);
    assert_true(h.cells == 541 && h.cell_ns == 50 * MS);
    heat_init(&h, 0, UINT64_MAX, 1000);
    assert_true(h.cells <= 1000 && h.cells > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_value_and_any_gap_comes_back),
        cmocka_unit_test(samples_of_one_cell_and_stack_are_counted),
        cmocka_unit_test(cells_are_as_long_as_their_number_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
