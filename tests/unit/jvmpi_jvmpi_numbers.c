/*
 * jvmpi_jvmpi_numbers.c - numbers of ids: nobody's twice, and used again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include "jvmpi/jvmpi_numbers.h"

enum { MANY = 100000, THREADS = 4, ROUNDS = 50, HELD = 1000 };

static void a_number_is_given_once_until_it_is_free(void **state)
{
    (void)state;
    static uint8_t taken[4 * MANY];
    struct jvmpi_numbers_stock stock = {0};

    for (int i = 0; i < MANY; i++) {
        uint32_t number = jvmpi_numbers_take(&stock);
        assert_int_not_equal(number, JVMPI_NUMBERS_NONE);
        assert_true(number < sizeof(taken));
        assert_int_equal(taken[number]++, 0);
    }
    for (uint32_t number = 0; number < sizeof(taken); number++)
        if (taken[number])
            jvmpi_numbers_give(number);
    jvmpi_numbers_give_stock(&stock);
    assert_int_equal(stock.bits, 0);
}

static void free_numbers_are_used_again(void **state)
{
    (void)state;
    struct jvmpi_numbers_stock stock = {0};
    uint32_t most = 0;

    for (int i = 0; i < 20 * MANY; i++) {
        uint32_t number = jvmpi_numbers_take(&stock);
        most = number > most ? number : most;
        jvmpi_numbers_give(number);
    }
    assert_true(most < 2 * MANY);
    jvmpi_numbers_give_stock(&stock);
}

static uint8_t owners[4 * MANY];

static void *take_and_give(void *failed)
{
    struct jvmpi_numbers_stock stock = {0};
    uint32_t held[HELD];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < HELD; i++) {
            held[i] = jvmpi_numbers_take(&stock);
            if (__atomic_fetch_add(&owners[held[i]], 1, __ATOMIC_SEQ_CST) != 0)
                *(int *)failed = 1;
        }
        for (int i = 0; i < HELD; i++) {
            __atomic_fetch_sub(&owners[held[i]], 1, __ATOMIC_SEQ_CST);
            jvmpi_numbers_give(held[i]);
        }
    }
    jvmpi_numbers_give_stock(&stock);
    return NULL;
}

static void threads_never_have_the_same(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    int failed[THREADS] = {0};

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &failed[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(failed[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_given_once_until_it_is_free),
        cmocka_unit_test(free_numbers_are_used_again),
        cmocka_unit_test(threads_never_have_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
