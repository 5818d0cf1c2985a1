/* safe_ring.c - the ring of samples. Also run under TSan. SPDX-License-Identifier: Apache-2.0 */
#include "safe/ring.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

static struct ring ring;
static void *memory;

static void make(size_t count, size_t payload)
{
    memory = calloc(1, ring_bytes(count, payload));
    assert_non_null(memory);
    ring_init(&ring, memory, count, payload);
}

static void put(uint32_t value)
{
    uint32_t *cell = ring_claim(&ring);

    assert_non_null(cell);
    *cell = value;
    ring_publish(&ring, cell);
}

static void expect(uint32_t value)
{
    const uint32_t *cell = ring_peek(&ring);

    assert_non_null(cell);
    assert_int_equal(*cell, value);
    ring_release(&ring);
}

static void capacity_is_a_power_of_two_that_fits_or_nothing(void **state)
{
    (void)state;
    for (size_t payload = 1; payload < 5000; payload = payload * 3 + 1) {
        size_t count = ring_capacity(100000, payload);

        assert_true(count >= 2 && (count & (count - 1)) == 0);
        assert_true(ring_bytes(count, payload) <= 100000);
        assert_true(ring_bytes(count * 2, payload) > 100000);
    }
    assert_int_equal(ring_capacity(100, 100), 0);
    assert_int_equal(ring_capacity(0, 1), 0);
}

static void samples_come_out_in_order_over_many_laps(void **state)
{
    (void)state;
    make(8, sizeof(uint32_t));
    assert_null(ring_peek(&ring));
    for (uint32_t i = 0; i < 1000; i += 5) {
        for (uint32_t k = 0; k < 5; k++)
            put(i + k);
        assert_int_equal(ring_waiting(&ring), 5);
        for (uint32_t k = 0; k < 5; k++)
            expect(i + k);
        assert_int_equal(ring_waiting(&ring), 0);
    }
    assert_null(ring_peek(&ring));
    free(memory);
}

static void full_ring_loses_the_new_sample_and_counts_it(void **state)
{
    (void)state;
    make(4, sizeof(uint32_t));
    for (uint32_t i = 0; i < 4; i++)
        put(i);
    assert_null(ring_claim(&ring));
    assert_null(ring_claim(&ring));
    assert_int_equal(atomic_load(&ring.lost), 2);
    expect(0);
    put(4);
    assert_null(ring_claim(&ring));
    for (uint32_t i = 1; i < 5; i++)
        expect(i);
    assert_null(ring_peek(&ring));
    free(memory);
}

static void claimed_cell_holds_the_reader_up_until_it_is_published(void **state)
{
    uint32_t *first, *second;

    (void)state;
    make(4, sizeof(uint32_t));
    first = ring_claim(&ring);
    second = ring_claim(&ring);
    *second = 2;
    ring_publish(&ring, second);
    assert_null(ring_peek(&ring));
    *first = 1;
    ring_publish(&ring, first);
    expect(1);
    expect(2);
    free(memory);
}

enum { WRITERS = 4, EACH = 50000 };

struct message {
    uint32_t value, twice;
};

static _Atomic uint32_t lost_by_writers;

static void *write_all(void *argument)
{
    uint32_t first = (uint32_t)(uintptr_t)argument * EACH;

    for (uint32_t i = 0; i < EACH; i++) {
        struct message *m = ring_claim(&ring);

        if (!m) {
            atomic_fetch_add(&lost_by_writers, 1);
            sched_yield();
            continue;
        }
        m->value = first + i;
        m->twice = 2 * (first + i);
        ring_publish(&ring, m);
    }
    return NULL;
}

static void every_published_sample_is_read_once_with_many_writers(void **state)
{
    unsigned char *seen = calloc(WRITERS, EACH);
    pthread_t writers[WRITERS];
    uint32_t read = 0;

    (void)state;
    make(64, sizeof(struct message));
    for (uintptr_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_all, (void *)i), 0);
    while (read + atomic_load(&lost_by_writers) < WRITERS * EACH) {
        const struct message *m = ring_peek(&ring);

        if (!m) {
            sched_yield();
            continue;
        }
        assert_true(m->value < WRITERS * EACH);
        assert_int_equal(m->twice, 2 * m->value);
        assert_int_equal(seen[m->value]++, 0);
        ring_release(&ring);
        read++;
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    assert_null(ring_peek(&ring));
    assert_true(read > 0);
    assert_int_equal(atomic_load(&ring.lost), atomic_load(&lost_by_writers));
    free(seen);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_is_a_power_of_two_that_fits_or_nothing),
        cmocka_unit_test(samples_come_out_in_order_over_many_laps),
        cmocka_unit_test(full_ring_loses_the_new_sample_and_counts_it),
        cmocka_unit_test(claimed_cell_holds_the_reader_up_until_it_is_published),
        cmocka_unit_test(every_published_sample_is_read_once_with_many_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
