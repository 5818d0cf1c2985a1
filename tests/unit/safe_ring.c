/* safe_ring.c - the ring of samples. Also run under TSan. SPDX-License-Identifier: Apache-2.0 */
#include "safe/ring.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

static struct ring ring;
static void *memory;

static void make_of(size_t bytes, size_t payload_bytes)
{
    memory = calloc(1, bytes);
    assert_non_null(memory);
    assert_true(ring_init(&ring, memory, bytes, payload_bytes));
}

static void make(size_t count, size_t payload_bytes)
{
    make_of(ring_bytes(count, payload_bytes), payload_bytes);
}

static enum ring_result put(uint32_t value, size_t bytes)
{
    unsigned char *draft = ring_claim(&ring);
    if (!draft)
        return RING_LOST;
    memset(draft, (int)(value & 0xff), bytes);
    memcpy(draft, &value, sizeof(value));
    return ring_publish(&ring, draft, bytes);
}

static void expect(uint32_t value, size_t bytes)
{
    const unsigned char *record = ring_peek(&ring);
    assert_non_null(record);
    assert_memory_equal(record, &value, sizeof(value));
    for (size_t i = sizeof(value); i < bytes; i++)
        assert_int_equal(record[i], value & 0xff);
    ring_release(&ring);
}

static void the_bytes_for_some_records_hold_as_many(void **state)
{
    (void)state;
    for (size_t payload = 4; payload < 9000; payload = payload * 3 + 1) {
        for (size_t count = 2; count < 300; count = count * 2 + 1) {
            uint32_t fit = 0;
            make(count, payload);
            while (put(fit, payload) != RING_LOST)
                fit++;
            assert_true(fit >= count);
            free(memory);
        }
    }
}

static void memory_for_less_than_two_records_is_refused(void **state)
{
    static _Alignas(64) unsigned char small[1000];
    (void)state;
    assert_false(ring_init(&ring, small, sizeof(small), 400));
    assert_false(ring_init(&ring, small, 0, 1));
    assert_true(ring_init(&ring, small, sizeof(small), 100));
}

static void short_records_take_little_of_the_ring(void **state)
{
    uint32_t fit = 0;
    (void)state;
    make(10, 8000);
    while (put(fit, 100) != RING_LOST)
        fit++;
    assert_true(fit > 600);
    for (uint32_t i = 0; i < fit; i++)
        expect(i, 100);
    assert_null(ring_peek(&ring));
    free(memory);
}

static void records_of_any_length_come_out_in_order_over_many_laps(void **state)
{
    uint32_t next = 0, read = 0;
    (void)state;
    make(4, 1000);
    assert_null(ring_peek(&ring));
    for (uint32_t round = 0; round < 20000; round++) {
        uint64_t end = ring_end(&ring);
        assert_true(ring_is_read(&ring, end));
        while (next < round * 2 + 2) {
            assert_int_not_equal(put(next, 4 + next * 37 % 997), RING_LOST);
            next++;
        }
        assert_false(ring_is_read(&ring, ring_end(&ring)));
        for (; read < next; read++)
            expect(read, 4 + read * 37 % 997);
        assert_null(ring_peek(&ring));
    }
    free(memory);
}

static void full_ring_loses_the_new_record_and_counts_it(void **state)
{
    uint32_t fit = 0;
    (void)state;
    make(4, 64);
    while (put(fit, 64) != RING_LOST)
        fit++;
    assert_int_equal(put(fit, 64), RING_LOST);
    assert_int_equal(atomic_load(&ring.lost), 2);
    expect(0, 64);
    assert_int_not_equal(put(fit, 64), RING_LOST);
    assert_int_equal(put(fit, 64), RING_LOST);
    for (uint32_t i = 1; i <= fit; i++)
        expect(i, 64);
    assert_null(ring_peek(&ring));
    free(memory);
}

static void quarter_full_is_said_once(void **state)
{
    uint32_t fit = 0, quarter = 0;
    enum ring_result result;
    (void)state;
    make(100, 64);
    while ((result = put(fit, 64)) != RING_LOST) {
        fit++;
        if (result == RING_PUBLISHED_QUARTER)
            quarter = quarter ? UINT32_MAX : fit;
    }
    assert_in_range(quarter, fit / 4 - 1, fit / 4 + 1);
    free(memory);
}

static void drafts_that_are_not_published_hold_nobody_up(void **state)
{
    void *first, *second;
    (void)state;
    make(4, 64);
    first = ring_claim(&ring);
    second = ring_claim(&ring);
    assert_non_null(first);
    assert_non_null(second);
    assert_null(ring_claim(&ring)); /* so small a ring has two */
    memset(second, 2, 64);
    assert_int_equal(ring_publish(&ring, second, 64), RING_PUBLISHED);
    expect(0x02020202, 64);
    memset(first, 1, 64);
    assert_int_equal(ring_publish(&ring, first, 64), RING_PUBLISHED);
    expect(0x01010101, 64);
    free(memory);
}

enum { WRITERS = 4, EACH = 50000 };

struct message {
    uint32_t value, words, twice[30];
};

static _Atomic uint32_t lost_by_writers;

static void *write_all(void *argument)
{
    uint32_t first = (uint32_t)(uintptr_t)argument * EACH;
    for (uint32_t i = 0; i < EACH; i++) {
        struct message *m = ring_claim(&ring);
        enum ring_result result = RING_LOST;
        if (m) {
            m->value = first + i;
            m->words = i % 31;
            for (uint32_t k = 0; k < m->words; k++)
                m->twice[k] = 2 * (first + i);
            result = ring_publish(&ring, m, offsetof(struct message, twice) + 4 * (i % 31));
        }
        if (result == RING_LOST) {
            atomic_fetch_add(&lost_by_writers, 1);
            sched_yield();
        }
    }
    return NULL;
}

static void every_published_record_is_read_once_with_many_writers(void **state)
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
        assert_int_equal(m->words, m->value % EACH % 31);
        for (uint32_t k = 0; k < m->words; k++)
            assert_int_equal(m->twice[k], 2 * m->value);
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
        cmocka_unit_test(the_bytes_for_some_records_hold_as_many),
        cmocka_unit_test(memory_for_less_than_two_records_is_refused),
        cmocka_unit_test(short_records_take_little_of_the_ring),
        cmocka_unit_test(records_of_any_length_come_out_in_order_over_many_laps),
        cmocka_unit_test(full_ring_loses_the_new_record_and_counts_it),
        cmocka_unit_test(quarter_full_is_said_once),
        cmocka_unit_test(drafts_that_are_not_published_hold_nobody_up),
        cmocka_unit_test(every_published_record_is_read_once_with_many_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
