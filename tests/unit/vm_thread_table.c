/*
 * vm_thread_table.c - the table that a thread finds its record in, without a lock, while another
 * thread puts records of others in. TSan sees it, too. SPDX-License-Identifier: Apache-2.0
 */
#include "vm/thread_table.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include "cmocka_all.h"

enum {
    MANY = 5000,
    READERS = 4,
    ROUNDS = 300,
    STEP = 0x6c0, /* as the addresses of JNIEnvs lie */
};

static uintptr_t address_of(int i)
{
    return 0x7f0000001000u + (uintptr_t)i * STEP;
}

static int tear_down(void **state)
{
    thread_table_clear();
    return 0;
}

static void an_empty_table_has_nothing(void **state)
{
    assert_null(thread_table_find(address_of(1)));
    assert_null(thread_table_find(0));
    thread_table_drop(address_of(1), NULL);
    thread_table_clear();
}

static void each_address_leads_to_its_record(void **state)
{
    static int records[MANY];
    for (int i = 0; i < MANY; i++)
        assert_int_equal(thread_table_put(address_of(i), &records[i]), 0);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(thread_table_find(address_of(i)), &records[i]);
    assert_null(thread_table_find(address_of(MANY)));
    for (int i = 0; i < MANY; i += 2)
        thread_table_drop(address_of(i), &records[i]);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(thread_table_find(address_of(i)), i % 2 ? &records[i] : NULL);
}

/* A thread whose end nobody saw left its address to the next one. */
static void a_later_thread_takes_the_place_of_an_earlier_one(void **state)
{
    int earlier, later;
    assert_int_equal(thread_table_put(address_of(1), &earlier), 0);
    assert_int_equal(thread_table_put(address_of(1), &later), 0);
    assert_ptr_equal(thread_table_find(address_of(1)), &later);
    thread_table_drop(address_of(1), &earlier);
    assert_ptr_equal(thread_table_find(address_of(1)), &later);
    thread_table_drop(address_of(1), &later);
    assert_null(thread_table_find(address_of(1)));
}

/* Threads that come and go leave nothing: a table that grew with them would not end. */
static void places_are_used_again(void **state)
{
    static int record;
    for (int i = 0; i < 200 * MANY; i++) {
        assert_int_equal(thread_table_put(address_of(i), &record), 0);
        thread_table_drop(address_of(i), &record);
    }
    assert_null(thread_table_find(address_of(200 * MANY - 1)));
}

/* ---- readers beside a writer */

static struct reader {
    pthread_t thread;
    _Atomic int turn; /* odd: its record is in the table */
    int number;
    int *record;
    _Atomic bool is_over;
} readers[READERS];

/* Uses its record, takes it out and frees it, as a thread that ends does. The test's thread stands
 * for the lock: it does not write while the record is taken out. */
static void *run(void *arg)
{
    struct reader *r = arg;
    uintptr_t address = address_of(r->number);
    for (int round = 0; round < ROUNDS; round++) {
        int *record;
        for (record = NULL; !record; record = thread_table_find(address))
            sched_yield();
        assert_int_equal(*record, r->number * ROUNDS + round);
        *record = -1;
        atomic_fetch_add(&r->turn, 1);
        while (atomic_load(&r->turn) % 4 != 2)
            sched_yield();
        thread_table_drop(address, record);
        assert_null(thread_table_find(address));
        free(record);
        atomic_fetch_add(&r->turn, 1);
    }
    atomic_store(&r->is_over, true);
    return NULL;
}

static void threads_find_their_own_while_others_are_put_in(void **state)
{
    static int others[MANY];
    int next = READERS, rounds[READERS] = {0};
    bool are_over = false;
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.number = i};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, run, &readers[i]), 0);
    }
    while (!are_over) {
        are_over = true;
        for (int i = 0; i < READERS; i++) {
            struct reader *r = &readers[i];
            int turn = atomic_load(&r->turn) % 4;
            are_over = are_over && atomic_load(&r->is_over);
            if (turn == 0 && !r->record && rounds[i] < ROUNDS) {
                r->record = malloc(sizeof(*r->record));
                assert_non_null(r->record);
                *r->record = i * ROUNDS + rounds[i]++;
                assert_int_equal(thread_table_put(address_of(i), r->record), 0);
            } else if (turn == 1) {
                atomic_fetch_add(&r->turn, 1);
                while (atomic_load(&r->turn) % 4 == 2)
                    sched_yield();
                r->record = NULL;
                atomic_fetch_add(&r->turn, 1);
            }
        }
        if (next < MANY) {
            assert_int_equal(thread_table_put(address_of(next), &others[next]), 0);
            next++;
        }
    }
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i].thread, NULL);
    for (int i = READERS; i < next; i++)
        assert_ptr_equal(thread_table_find(address_of(i)), &others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_empty_table_has_nothing, tear_down),
        cmocka_unit_test_teardown(each_address_leads_to_its_record, tear_down),
        cmocka_unit_test_teardown(a_later_thread_takes_the_place_of_an_earlier_one, tear_down),
        cmocka_unit_test_teardown(places_are_used_again, tear_down),
        cmocka_unit_test_teardown(threads_find_their_own_while_others_are_put_in, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
