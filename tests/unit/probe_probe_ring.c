/*
 * probe_probe_ring.c - what the kernel is asked to copy at a hit, and a record as the kernel writes
 * it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_ring.h"
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"

static void test_a_probe_with_a_stack_asks_for_registers_and_bytes(void **state)
{
    const struct probe_ring r = {.type = 9,
                                 .counter_shift = 32,
                                 .registers = probe_ring_walk_registers(),
                                 .stack_bytes = 32768};
    static const char path[] = "/proc/1/map_files/0-1000";
    struct perf_event_attr attr = probe_ring_attr(&r, path, 0x1234, 0x55);
    (void)state;
    assert_int_equal(attr.type, 9);
    assert_int_equal(attr.size, sizeof(attr));
    assert_int_equal(attr.sample_period, 1);
    assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                           PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
#if defined(__x86_64__)
    assert_int_equal(attr.sample_regs_user, 1u << 6 | 1u << 7 | 1u << 8); /* rbp rsp rip */
#endif
    assert_int_equal(attr.sample_stack_user, 32768);
    assert_int_equal(attr.config, UINT64_C(0x55) << 32);
    assert_int_equal(attr.probe_offset, 0x1234);
    assert_true(attr.uprobe_path == (uint64_t)(uintptr_t)path);
    assert_true(attr.disabled && attr.use_clockid);
}

static void test_a_probe_without_arguments_and_stack_copies_nothing(void **state)
{
    const struct probe_ring r = {.type = 9, .counter_shift = -1};
    struct perf_event_attr attr = probe_ring_attr(&r, "/x", 1, 0);
    (void)state;
    assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
    assert_int_equal(attr.sample_stack_user, 0);
    assert_int_equal(attr.config, 0);
}

static void
test_a_record_gives_the_registers_and_the_part_of_the_stack_that_was_copied(void **state)
{
    enum { ASKED = 64, USED = 24 };
    uint64_t words[64] = {0}, id, registers = probe_ring_walk_registers();
    struct probe_ring_hit hit;
    struct regs regs;
    size_t n = 0;
    (void)state;
    words[n++] = 77;                      /* the event */
    words[n++] = UINT64_C(5) << 32 | 4;   /* thread 5 of process 4 */
    words[n++] = 123456789;               /* time */
    words[n++] = PERF_SAMPLE_REGS_ABI_64; /* registers by number: */
    for (int i = 0; i < PROBE_RING_REGISTERS; i++)
        if (registers >> i & 1)
            words[n++] = 1000 + (uint64_t)i;
    words[n++] = ASKED;
    words[n] = 0xabcdef;
    n += ASKED / 8;
    words[n++] = USED;
    assert_int_equal(
        probe_ring_parse((const unsigned char *)words, n * 8, registers, true, &hit, &id), 0);
    assert_int_equal(id, 77);
    assert_int_equal(hit.pid, 4);
    assert_int_equal(hit.tid, 5);
    assert_int_equal(hit.stack_bytes, USED);
    assert_int_equal(hit.stack[0], 0xef);
    assert_true(probe_ring_regs(&hit, &regs));
#if defined(__x86_64__)
    assert_int_equal(regs.fp, 1006);
    assert_int_equal(regs.sp, 1007);
    assert_int_equal(regs.pc, 1008);
    assert_int_equal(regs.lr, 0);
#endif
    /* a 32-bit program, or a kernel thread: no registers */
    words[3] = PERF_SAMPLE_REGS_ABI_32;
    assert_int_equal(
        probe_ring_parse((const unsigned char *)words, n * 8, registers, true, &hit, &id), 0);
    assert_false(probe_ring_regs(&hit, &regs));
    assert_int_equal(
        probe_ring_parse((const unsigned char *)words, n * 8 - 8, registers, true, &hit, &id),
        E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_probe_with_a_stack_asks_for_registers_and_bytes),
        cmocka_unit_test(test_a_probe_without_arguments_and_stack_copies_nothing),
        cmocka_unit_test(
            test_a_record_gives_the_registers_and_the_part_of_the_stack_that_was_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
