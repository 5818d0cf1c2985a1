/*
 * safe_kernel_ring.c - records of a perf event as the kernel writes them, made here byte by byte.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/kernel_ring.h"
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "safe/regs.h"
#include "safe/walk.h"

enum { PAGE = 4096, MAX = 16, SP = 0x7000, PC = 0x1002 };
#define INNER 0xffffffff81000020u
#define OUTER 0xffffffff82000040u

static struct {
    struct perf_event_mmap_page page;
    char rest[PAGE - sizeof(struct perf_event_mmap_page)];
    uint64_t words[PAGE / 8];
    uint64_t behind[8]; /* never to be read: what stands here would show */
} ring;

static struct walk_frame frames[MAX];
static const struct regs there = {.pc = PC, .sp = SP};

static void start_at(uint64_t at)
{
    memset(&ring, 0, sizeof(ring));
    ring.page.data_head = ring.page.data_tail = at;
}

static void put(uint64_t word)
{
    ring.words[ring.page.data_head % PAGE / 8] = word;
    ring.page.data_head += 8;
}

/* A whole sample with these `count` addresses. */
static void sample(const uint64_t *chain, uint64_t count, uint64_t sp, uint64_t pc)
{
    put((uint64_t)(8 * (6 + count)) << 48 | PERF_RECORD_SAMPLE);
    put(count ? chain[0] : PC);
    put(count);
    for (uint64_t i = 0; i < count; i++)
        put(chain[i]);
    put(PERF_SAMPLE_REGS_ABI_64);
    put(sp);
    put(pc);
}

static const uint64_t two[] = {(uint64_t)PERF_CONTEXT_KERNEL, INNER, OUTER};

static int read_there(void)
{
    memset(frames, 0, sizeof(frames));
    return kernel_ring_read(&ring, PAGE, &there, frames, MAX);
}

static void expect_two(void)
{
    assert_int_equal(read_there(), 2);
    assert_true(frames[0].method == INNER);
    assert_true(frames[1].method == OUTER - 1);
    assert_int_equal(frames[0].kind, WALK_KIND_KERNEL);
    assert_int_equal(frames[1].kind, WALK_KIND_KERNEL);
    assert_int_equal(frames[1].bci, -1);
}

static void the_frames_come_innermost_first_wherever_in_the_ring_they_lie(void **state)
{
    (void)state;
    for (uint64_t at = 0; at < 3 * PAGE; at += 8) {
        start_at(at);
        sample(two, 3, SP, PC);
        expect_two();
    }
}

static void the_newest_record_counts_and_others_are_passed(void **state)
{
    static const uint64_t old[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81999999u};
    (void)state;
    start_at(PAGE - 32);
    sample(old, 2, SP, PC);
    put((uint64_t)24 << 48 | PERF_RECORD_LOST);
    put(0);
    put(1);
    sample(two, 3, SP, PC);
    expect_two();
}

static void user_mode_has_no_frames(void **state)
{
    (void)state;
    start_at(0);
    assert_int_equal(read_there(), 0); /* no record at all */
    sample(NULL, 0, SP, PC);
    assert_int_equal(read_there(), 0);
}

static void a_system_call_that_starts_again_is_the_same_place(void **state)
{
    (void)state;
    start_at(0);
    sample(two, 3, SP, PC + 2);
    expect_two();
}

static void a_record_of_another_moment_is_refused(void **state)
{
    (void)state;
    start_at(0);
    sample(two, 3, SP + 8, PC);
    assert_int_equal(read_there(), -1);
    start_at(0);
    sample(two, 3, SP, PC + 0x100);
    assert_int_equal(read_there(), -1);
    start_at(0);
    sample(two, 3, SP, PC - 1);
    assert_int_equal(read_there(), -1);
}

static void emptied_it_has_none(void **state)
{
    (void)state;
    start_at(0);
    sample(two, 3, SP, PC);
    kernel_ring_empty(&ring);
    assert_int_equal(ring.page.data_tail, ring.page.data_head);
    assert_int_equal(read_there(), 0);
}

static void no_more_frames_than_wanted(void **state)
{
    (void)state;
    start_at(0);
    sample(two, 3, SP, PC);
    assert_int_equal(kernel_ring_read(&ring, PAGE, &there, frames, 1), 1);
    assert_int_equal(kernel_ring_read(&ring, PAGE, &there, frames, 0), 0);
}

static void addresses_that_are_not_the_kernels_are_left_out(void **state)
{
    static const uint64_t mixed[] = {0x1234, (uint64_t)PERF_CONTEXT_KERNEL, INNER,
                                     OUTER,  (uint64_t)PERF_CONTEXT_USER,   0x5678};
    (void)state;
    start_at(0);
    sample(mixed, 6, SP, PC);
    expect_two();
}

static void damage_is_read_within_the_ring(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 200000; i++) {
        uint64_t sizes[] = {0, 1, 8, 16, 24, 48, 4096, 65528};
        int n;
        start_at((uint64_t)(rand() % (2 * PAGE)) & ~(uint64_t)(rand() % 2 ? 7 : 0));
        for (int w = rand() % 64; w >= 0 && ring.page.data_head % 8 == 0; w--)
            put(rand() % 3 ? (uint64_t)rand() % 8 : sizes[rand() % 8] << 48 | PERF_RECORD_SAMPLE);
        if (rand() % 8 == 0)
            ring.page.data_head += (uint64_t)rand() << 16;
        n = read_there();
        assert_in_range(n + 1, 0, MAX + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frames_come_innermost_first_wherever_in_the_ring_they_lie),
        cmocka_unit_test(the_newest_record_counts_and_others_are_passed),
        cmocka_unit_test(user_mode_has_no_frames),
        cmocka_unit_test(a_system_call_that_starts_again_is_the_same_place),
        cmocka_unit_test(a_record_of_another_moment_is_refused),
        cmocka_unit_test(emptied_it_has_none),
        cmocka_unit_test(no_more_frames_than_wanted),
        cmocka_unit_test(addresses_that_are_not_the_kernels_are_left_out),
        cmocka_unit_test(damage_is_read_within_the_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
