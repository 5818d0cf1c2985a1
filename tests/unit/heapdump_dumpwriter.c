/* heapdump_dumpwriter.c - what a heap's dump needs no VM for. SPDX-License-Identifier: Apache-2.0
 */
#include "heapdump/dumpwriter_run.h"
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "heapdump/dumpwriter_class.h"
#include "heapdump/dumpwriter_id.h"

/* A heap whose first object lies at `low`, and which we see somewhere else. */
static struct heap heap_in(unsigned char *memory, uint64_t low, uint64_t high)
{
    return (struct heap){.low = low,
                         .high = high,
                         .delta = (int64_t)((uint64_t)(uintptr_t)memory - low),
                         .reference_bytes = 4,
                         .oops = {.refs = {.base = low - 8, .shift = 3}}};
}

static void an_id_is_the_address_or_the_number_of_the_place(void **state)
{
    unsigned char memory[64] = {0};
    struct heap h = heap_in(memory, UINT64_C(0x600000000), UINT64_C(0x800000000));
    struct hprof_heap out = {.id_bytes = 8};
    struct heap_find f = {.heap = &h};
    struct dumpwriter w = {.heap = &h, .find = &f, .out = &out};
    (void)state;
    assert_int_equal(dumpwriter_id_of(&w, 0), 0);
    assert_int_equal(dumpwriter_id_of(&w, h.low), h.low);
    out.id_bytes = 4;
    assert_int_equal(dumpwriter_id_of(&w, 0), 0);
    assert_int_equal(dumpwriter_id_of(&w, h.low), 1);
    assert_int_equal(dumpwriter_id_of(&w, h.low + 16), 3);
    assert_int_equal(dumpwriter_id_of(&w, h.high - 8), 0x40000000);
}

static void values_are_read_with_their_width(void **state)
{
    unsigned char memory[64] = {0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 5, 0, 0, 0};
    struct heap h = heap_in(memory, UINT64_C(0x600000000), UINT64_C(0x800000000));
    struct hprof_heap out = {.id_bytes = 8};
    struct heap_find f = {.heap = &h};
    struct dumpwriter w = {.heap = &h, .find = &f, .out = &out};
    (void)state;
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_BOOLEAN, h.low), 0x81);
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_CHAR, h.low), 0x8281);
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_FLOAT, h.low), 0x84838281);
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_LONG, h.low), 0x8887868584838281);
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_OBJECT, h.low + 8), h.low + 32);
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_OBJECT, h.low + 12), 0);
    out.id_bytes = 4;
    assert_int_equal(dumpwriter_id_or_value(&w, HPROF_OBJECT, h.low + 8), 5);
}

static void ids_of_four_bytes_refuse_a_heap_with_more_places(void **state)
{
    unsigned char memory[8] = {0};
    struct heap h = heap_in(memory, UINT64_C(0x1000000000), UINT64_C(0x1800000000)); /* 32 GB */
    struct hprof_heap out = {.id_bytes = 4, .ops = &hprof_heap_bin};
    struct heap_find f = {.heap = &h};
    struct dumpwriter w = {.heap = &h, .find = &f, .out = &out};
    (void)state;
    assert_int_equal(dumpwriter_run_check_ids(&w), E_LIMIT);
    assert_non_null(w.why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_the_address_or_the_number_of_the_place),
        cmocka_unit_test(values_are_read_with_their_width),
        cmocka_unit_test(ids_of_four_bytes_refuse_a_heap_with_more_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
