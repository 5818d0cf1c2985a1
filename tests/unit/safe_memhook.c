/*
 * safe_memhook.c - sampling in hooks, without a VM and without real hooks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/memhook.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmocka_all.h"

enum { SLOTS = 1 << 16, RING_BYTES = 1 << 20 };

static int walks;

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    walks++;
    errno = EBADF;
    frames[0] = (struct walk_frame){.method = 7};
    *ret_truncated = false;
    return request->java_thread ? -1 : 1;
}

static void leave(struct walk_request *request)
{
}

static void wake(void)
{
}

static const struct walker walker = {.name = "test", .walk = walk, .leave = leave};

static int make(void **state)
{
    void *ring = calloc(1, RING_BYTES), *table = aligned_alloc(64, blockset_bytes(SLOTS));
    memhook.base.walk.threads = calloc(HOOKWALK_THREADS, sizeof(*memhook.base.walk.threads));
    assert_true(ring_init(&memhook.base.ring, ring, RING_BYTES, memhook_sample_bytes(4)));
    blockset_init(&memhook.held, table, SLOTS);
    blockset_clear(&memhook.held);
    memhook.base.walk.walker = &walker;
    memhook.base.walk.depth = 4;
    memhook.base.pid = getpid();
    memhook.base.wake = wake;
    memhook.interval = 1;
    memhook.base.is_on = true;
    memhook_own = (struct memhook_own){0};
    state[0] = ring;
    return 0;
}

static int drop(void **state)
{
    memhook.base.is_on = false;
    free(state[0]);
    free((void *)memhook.held.tags);
    free(memhook.base.walk.threads);
    return 0;
}

/* A hook of an allocator that returns `block`. `within`: what the allocator calls. */
static __attribute__((noinline)) void *hook(void *block, size_t bytes, void (*within)(void))
{
    struct memhook_own *own = memhook_enter();
    if (within)
        within();
    if (own)
        memhook_leave(own, block, bytes);
    return block;
}

static uint32_t samples(uint64_t *ret_bytes)
{
    struct memhook_sample *s;
    uint32_t count = 0;
    *ret_bytes = 0;
    while ((s = ring_peek(&memhook.base.ring)) != NULL) {
        *ret_bytes += s->bytes;
        count += s->bytes > 0;
        ring_release(&memhook.base.ring);
    }
    return count;
}

static void each_block_is_a_sample_if_the_interval_is_1(void **state)
{
    (void)state;
    uint64_t bytes;
    errno = EAGAIN;
    for (uintptr_t i = 1; i <= 100; i++)
        hook((void *)(i * 16), i, NULL);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(samples(&bytes), 100);
    assert_int_equal(bytes, 5050);
    for (uintptr_t i = 1; i <= 100; i++)
        assert_true(memhook_take((void *)(i * 16)) >= 0);
    assert_int_equal(memhook_take((void *)16), BLOCKSET_NONE);
}

static void a_failure_and_a_block_of_no_bytes_are_no_samples(void **state)
{
    (void)state;
    uint64_t bytes;
    hook(NULL, 100, NULL);
    hook((void *)16, 0, NULL);
    assert_int_equal(samples(&bytes), 0);
    assert_int_equal(memhook_own.inside, 0);
}

static void inner(void)
{
    hook((void *)0x2000, 10, NULL);
}

static void only_the_outermost_call_counts(void **state)
{
    (void)state;
    uint64_t bytes;
    hook((void *)0x1000, 50, inner);
    assert_int_equal(samples(&bytes), 1);
    assert_int_equal(bytes, 50);
    assert_int_equal(memhook_take((void *)0x2000), BLOCKSET_NONE);
}

static void a_call_that_was_left_by_an_exception_is_forgotten(void **state)
{
    (void)state;
    uint64_t bytes;
    char here;
    memhook_own.inside = (uintptr_t)&here - 4096; /* a frame further down, which is gone */
    hook((void *)0x1000, 50, NULL);
    assert_int_equal(samples(&bytes), 1);
}

static void the_agents_own_calls_do_not_count(void **state)
{
    (void)state;
    uint64_t bytes;
    memhook.own_low = 0;
    memhook.own_high = UINT64_MAX;
    hook((void *)0x1000, 50, NULL);
    memhook.own_high = 0;
    assert_int_equal(samples(&bytes), 0);
    hook((void *)0x2000, 50, NULL);
    assert_int_equal(samples(&bytes), 1);
}

static void an_exempt_thread_has_no_samples(void **state)
{
    (void)state;
    uint64_t bytes;
    memhook_exempt();
    hook((void *)0x1000, 50, NULL);
    assert_int_equal(samples(&bytes), 0);
}

static void a_forked_child_has_no_samples(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        uint64_t bytes;
        hook((void *)0x1000, 50, NULL);
        _exit((int)samples(&bytes));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void samples_are_as_frequent_as_the_interval_says(void **state)
{
    (void)state;
    enum { BLOCKS = 200000, BYTES = 100, INTERVAL = 10000, EXPECTED = BLOCKS * BYTES / INTERVAL };
    uint64_t bytes, count = 0;
    memhook.interval = INTERVAL;
    for (uintptr_t i = 1; i <= BLOCKS; i++) {
        hook((void *)(i * 16), BYTES, NULL);
        if (i % 1000 == 0)
            count += samples(&bytes);
    }
    count += samples(&bytes);
    /* The standard deviation is the root of 2000, 45; the bound is five times as much. */
    assert_in_range(count, EXPECTED - 225, EXPECTED + 225);
}

static void a_java_thread_is_found_by_its_number(void **state)
{
    (void)state;
    int32_t tid = gettid();
    walks = 0;
    assert_true(hookwalk_add_thread(&memhook.base.walk, tid, 42, 0x1000));
    assert_true(hookwalk_add_thread(&memhook.base.walk, tid + 1, 43, 0x2000));
    hook((void *)0x1000, 50, NULL);
    struct memhook_sample *s = ring_peek(&memhook.base.ring);
    assert_non_null(s);
    assert_int_equal(s->stack.serial, 42);
    assert_int_equal(s->stack.result,
                     1); /* its Java frames were refused; the second walk is of C */
    assert_int_equal(walks, 2);
    ring_release(&memhook.base.ring);
    hookwalk_remove_thread(&memhook.base.walk, tid);
    hook((void *)0x2000, 50, NULL);
    s = ring_peek(&memhook.base.ring);
    assert_int_equal(s->stack.serial, 0);
}

static void an_address_may_come_again_at_once(void **state)
{
    (void)state;
    uint64_t bytes;
    for (int i = 0; i < 1000; i++) {
        hook((void *)0x1000, 10, NULL);
        int32_t slot = memhook_take((void *)0x1000);
        assert_true(slot >= 0); /* it has found room */
        memhook_given(slot, 5);
    }
    assert_int_equal(samples(&bytes), 1000);
    assert_int_equal(memhook.held.freed, 0);
}

static void an_end_for_which_the_ring_has_no_room_is_in_the_table(void **state)
{
    (void)state;
    uint64_t before = memhook.lost, address, ns;
    uint32_t at = 0;
    for (uintptr_t i = 1; memhook.lost == before; i++)
        hook((void *)(i * 16), 8, NULL);
    int32_t slot = memhook_take((void *)16);
    assert_true(slot >= 0);
    memhook_given(slot, 5);
    assert_int_equal(blockset_next_freed(&memhook.held, &at, &address, &ns), slot);
    assert_int_equal(address, 16);
    assert_int_equal(ns, 5);
}

static void threads_come_and_go_for_ever(void **state)
{
    (void)state;
    for (int32_t tid = 1; tid < 1000000; tid++) {
        assert_true(hookwalk_add_thread(&memhook.base.walk, tid, (uint32_t)tid, 8));
        hookwalk_remove_thread(&memhook.base.walk, tid);
    }
}

static void a_full_ring_loses_and_keeps_no_block(void **state)
{
    (void)state;
    uint64_t bytes;
    uintptr_t i = 1;
    uint64_t before = memhook.lost;
    while (memhook.lost == before && i < SLOTS)
        hook((void *)(i++ * 16), 8, NULL);
    assert_int_equal(memhook.lost, before + 1);
    assert_int_equal(memhook_take((void *)((i - 1) * 16)), BLOCKSET_NONE);
    assert_true(memhook_take((void *)((i - 2) * 16)) >= 0);
    assert_int_equal(samples(&bytes), i - 2);
}

/* A call of mmap() that returns `range`. */
static __attribute__((noinline)) void map(void *range, size_t bytes)
{
    struct memhook_own *own = memhook_enter();
    const struct hookwalk_caller caller = hookwalk_caller_here();
    memhook_mapped(range, bytes, &caller);
    own->inside = 0;
}

static void ranges_are_told_of_in_their_order(void **state)
{
    (void)state;
    const enum memhook_what expected[] = {MEMHOOK_MAPPED, MEMHOOK_UNMAPPED, MEMHOOK_MAPPED};
    errno = EAGAIN;
    memhook.interval = 1 << 30;
    map((void *)0x10000, 0x3000);
    uint64_t began_ns = memhook_range_begins();
    memhook_unmapped((void *)0x11000, 0x1000, began_ns);
    map((void *)0x11000, 0x1000);
    assert_int_equal(errno, EAGAIN);
    for (int i = 0; i < 3; i++) {
        const struct memhook_sample *s = ring_peek(&memhook.base.ring);
        assert_non_null(s);
        assert_int_equal(s->what, expected[i]);
        assert_int_equal(s->slot, BLOCKSET_NONE);
        assert_int_equal(s->address, i == 0 ? 0x10000 : 0x11000);
        assert_int_equal(s->bytes, i == 0 ? 0x3000 : 0x1000);
        assert_true(i == 0 ? s->time_ns <= began_ns : s->time_ns >= began_ns);
        if (s->what == MEMHOOK_MAPPED)
            assert_int_equal(hookring_frames(&s->stack), 1);
        ring_release(&memhook.base.ring);
    }
    assert_null(ring_peek(&memhook.base.ring));
    assert_int_equal(memhook_take((void *)0x10000), BLOCKSET_NONE);
}

static void ranges_of_the_agent_do_not_count_and_what_is_lost_is_counted(void **state)
{
    (void)state;
    uint64_t bytes, before = memhook.lost;
    memhook.own_high = UINT64_MAX;
    map((void *)0x10000, 0x1000);
    memhook.own_high = 0;
    assert_int_equal(samples(&bytes), 0);
    while (memhook.lost == before)
        memhook_unmapped((void *)0x10000, 0x1000, 1);
    map((void *)0x10000, 0x1000);
    assert_int_equal(memhook.lost, before + 2);
    memhook.base.is_on = false;
    assert_int_equal(memhook_range_begins(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_block_is_a_sample_if_the_interval_is_1),
        TEST(a_failure_and_a_block_of_no_bytes_are_no_samples),
        TEST(only_the_outermost_call_counts),
        TEST(a_call_that_was_left_by_an_exception_is_forgotten),
        TEST(the_agents_own_calls_do_not_count),
        TEST(an_exempt_thread_has_no_samples),
        TEST(a_forked_child_has_no_samples),
        TEST(samples_are_as_frequent_as_the_interval_says),
        TEST(a_java_thread_is_found_by_its_number),
        TEST(an_address_may_come_again_at_once),
        TEST(an_end_for_which_the_ring_has_no_room_is_in_the_table),
        TEST(threads_come_and_go_for_ever),
        TEST(a_full_ring_loses_and_keeps_no_block),
        TEST(ranges_are_told_of_in_their_order),
        TEST(ranges_of_the_agent_do_not_count_and_what_is_lost_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
