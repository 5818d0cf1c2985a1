/*
 * safe_blockset.c - the table of sampled blocks. Also run under TSan.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/blockset.h"
#include <pthread.h>
#include <stdlib.h>
#include "cmocka_all.h"

enum { SLOTS = 1024, THREADS = 4, ROUNDS = 20000 };

static struct blockset held;
static void *memory;

static void make(uint32_t slots)
{
    memory = aligned_alloc(64, (blockset_bytes(slots) + 63) & ~(size_t)63);
    assert_non_null(memory);
    blockset_init(&held, memory, slots);
    blockset_clear(&held);
}

static int32_t next_freed(uint64_t *ret_address, uint64_t *ret_ns)
{
    uint32_t at = 0;
    return blockset_next_freed(&held, &at, ret_address, ret_ns);
}

static void a_block_is_taken_once_and_its_end_is_told(void **state)
{
    (void)state;
    uint64_t address, ns;
    make(SLOTS);
    int32_t slot = blockset_add(&held, 0x7f0010);
    assert_true(slot >= 0);
    assert_true(blockset_may_have(&held, 0x7f0010));
    assert_int_equal(blockset_take(&held, 0x7f0020), BLOCKSET_NONE);
    assert_int_equal(blockset_take(&held, 0x7f0010), slot);
    assert_int_equal(blockset_take(&held, 0x7f0010), BLOCKSET_NONE);
    assert_int_equal(next_freed(&address, &ns), BLOCKSET_NONE);
    blockset_free(&held, slot, 99);
    assert_int_equal(next_freed(&address, &ns), slot);
    assert_int_equal(address, 0x7f0010);
    assert_int_equal(ns, 99);
    assert_int_equal(held.freed, 1);
    blockset_release(&held, slot);
    assert_int_equal(next_freed(&address, &ns), BLOCKSET_NONE);
    assert_false(blockset_may_have(&held, 0x7f0010));
    free(memory);
}

static void an_address_may_come_again_before_its_end_was_told(void **state)
{
    (void)state;
    make(SLOTS);
    int32_t first = blockset_add(&held, 0x7f0010);
    blockset_free(&held, blockset_take(&held, 0x7f0010), 1);
    int32_t second = blockset_add(&held, 0x7f0010);
    assert_true(second >= 0 && second != first);
    assert_int_equal(blockset_take(&held, 0x7f0010), second);
    free(memory);
}

static void a_block_that_was_put_back_is_there_again(void **state)
{
    (void)state;
    make(SLOTS);
    int32_t slot = blockset_add(&held, 0x7f0010);
    blockset_put_back(&held, blockset_take(&held, 0x7f0010));
    assert_int_equal(blockset_take(&held, 0x7f0010), slot);
    free(memory);
}

static void a_dropped_block_leaves_room(void **state)
{
    (void)state;
    make(BLOCKSET_BUCKET);
    for (uint64_t i = 1; i <= 100; i++)
        blockset_drop(&held, blockset_add(&held, i * 16));
    assert_int_equal(blockset_add(&held, 16) >= 0, 1);
    free(memory);
}

static void a_full_bucket_takes_no_more(void **state)
{
    (void)state;
    make(BLOCKSET_BUCKET); /* one bucket */
    for (uint64_t i = 1; i <= BLOCKSET_BUCKET; i++)
        assert_true(blockset_add(&held, i * 16) >= 0);
    assert_int_equal(blockset_add(&held, 0x1000), BLOCKSET_NONE);
    assert_true(blockset_take(&held, 3 * 16) >= 0);
    assert_int_equal(blockset_add(&held, 0x1000),
                     BLOCKSET_NONE); /* it is taken, and not free yet */
    free(memory);
}

static void an_address_with_the_bits_of_a_state_is_refused(void **state)
{
    (void)state;
    make(SLOTS);
    assert_int_equal(blockset_add(&held, 0x7f0011), BLOCKSET_NONE);
    assert_true(blockset_add(&held, 0x7f0018) >= 0);
    free(memory);
}

static void *add_and_free(void *arg)
{
    uint64_t own = (uint64_t)(uintptr_t)arg << 32;
    uintptr_t made = 0;
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        int32_t slot = blockset_add(&held, own | i * 16);
        if (slot == BLOCKSET_NONE)
            continue;
        made++;
        int32_t taken = blockset_take(&held, own | i * 16);
        if (i % 3 == 0) { /* a realloc() that failed */
            blockset_put_back(&held, taken);
            taken = blockset_take(&held, own | i * 16);
        }
        if (taken != slot)
            return NULL;
        blockset_free(&held, slot, i);
    }
    return (void *)(made + 1);
}

static void each_block_of_each_thread_ends_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    uint64_t told = 0, made = 0, address, ns;
    bool is_over = false;
    make(SLOTS);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_free, (void *)(i + 1)), 0);
    for (int joined = 0; !is_over;) {
        int32_t slot;
        void *result;
        is_over = joined == THREADS;
        for (uint32_t at = 0;
             (slot = blockset_next_freed(&held, &at, &address, &ns)) != BLOCKSET_NONE;) {
            assert_int_equal((address & UINT32_MAX) / 16, ns);
            blockset_release(&held, slot);
            told++;
        }
        if (joined < THREADS && (told > 100 || is_over)) {
            assert_int_equal(pthread_join(threads[joined++], &result), 0);
            assert_non_null(result);
            made += (uintptr_t)result - 1;
        }
    }
    assert_int_equal(told, made);
    assert_int_equal(held.freed, made);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_taken_once_and_its_end_is_told),
        cmocka_unit_test(an_address_may_come_again_before_its_end_was_told),
        cmocka_unit_test(a_block_that_was_put_back_is_there_again),
        cmocka_unit_test(a_dropped_block_leaves_room),
        cmocka_unit_test(a_full_bucket_takes_no_more),
        cmocka_unit_test(an_address_with_the_bits_of_a_state_is_refused),
        cmocka_unit_test(each_block_of_each_thread_ends_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
