/*
 * probe_probe_open.c - begins find their ends: nested, with keys, by the return address, and what
 * finds none is counted.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_open.h"
#include <stdlib.h>
#include "cmocka_all.h"

static int released;

static void release(void *kept)
{
    released++;
    free(kept);
}

static struct probe_open_hit hit(enum probe_open_by by, pid_t tid, uint64_t time_ns, uint64_t key)
{
    return (struct probe_open_hit){.by = by, .tid = tid, .time_ns = time_ns, .keys = {key}};
}

static void begin(struct probe_open *o, enum probe_open_by by, pid_t tid, uint64_t time_ns,
                  uint64_t key)
{
    struct probe_open_hit h = hit(by, tid, time_ns, key);
    h.kept = malloc(8);
    probe_open_begin(o, &h);
}

/* The time of the begin that this end finds; 0: it finds none. */
static uint64_t end(struct probe_open *o, enum probe_open_by by, pid_t tid, uint64_t time_ns,
                    uint64_t key)
{
    struct probe_open_hit h = hit(by, tid, time_ns, key), found;
    if (!probe_open_end(o, &h, &found))
        return 0;
    free(found.kept);
    return found.time_ns;
}

static void test_pairs_of_one_thread_nest_and_threads_do_not_meet(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    begin(o, PROBE_OPEN_NESTED, 1, 10, 0);
    begin(o, PROBE_OPEN_NESTED, 2, 11, 0);
    begin(o, PROBE_OPEN_NESTED, 1, 12, 0);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 20, 0), 12);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 21, 0), 10);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 22, 0), 0);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 2, 23, 0), 11);
    struct probe_open_counts c = probe_open_counts(o);
    assert_int_equal(c.matched, 3);
    assert_int_equal(c.ends, 1);
    assert_int_equal(c.waiting, 0);
    probe_open_free(o);
}

static void test_equal_keys_meet_in_any_order(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    /* the pools of a collection: all begin, then all end */
    for (uint64_t pool = 1; pool <= 3; pool++)
        begin(o, PROBE_OPEN_BY_KEYS, 1, 10 + pool, pool);
    for (uint64_t pool = 1; pool <= 3; pool++)
        assert_int_equal(end(o, PROBE_OPEN_BY_KEYS, 1, 20 + pool, pool), 10 + pool);
    /* recursion: equal keys nest */
    begin(o, PROBE_OPEN_BY_KEYS, 1, 31, 7);
    begin(o, PROBE_OPEN_BY_KEYS, 1, 32, 7);
    assert_int_equal(end(o, PROBE_OPEN_BY_KEYS, 1, 33, 7), 32);
    assert_int_equal(end(o, PROBE_OPEN_BY_KEYS, 1, 34, 8), 0);
    assert_int_equal(end(o, PROBE_OPEN_BY_KEYS, 1, 35, 7), 31);
    probe_open_free(o);
}

static void test_a_return_ends_its_call_and_what_lies_deeper_is_gone(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    released = 0;
    begin(o, PROBE_OPEN_BY_RETURN, 1, 10, 1000);
    begin(o, PROBE_OPEN_BY_RETURN, 1, 11, 900);
    begin(o, PROBE_OPEN_BY_RETURN, 1, 12, 800); /* leaves by longjmp() */
    assert_int_equal(end(o, PROBE_OPEN_BY_RETURN, 1, 20, 900), 11);
    assert_int_equal(probe_open_counts(o).skipped, 1);
    assert_int_equal(released, 1);
    /* a call at a place at which one has been, whose return was lost */
    begin(o, PROBE_OPEN_BY_RETURN, 1, 21, 700);
    begin(o, PROBE_OPEN_BY_RETURN, 1, 22, 900);
    assert_int_equal(probe_open_counts(o).skipped, 2);
    assert_int_equal(end(o, PROBE_OPEN_BY_RETURN, 1, 23, 900), 22);
    assert_int_equal(end(o, PROBE_OPEN_BY_RETURN, 1, 24, 1000), 10);
    assert_int_equal(end(o, PROBE_OPEN_BY_RETURN, 1, 25, 1000), 0);
    probe_open_free(o);
}

static void test_the_return_address_of_a_call_is_that_of_the_first_with_its_place(void **state)
{
    struct probe_open *o = probe_open_new(release);
    struct probe_open_hit call = hit(PROBE_OPEN_BY_RETURN, 1, 10, 1000);
    (void)state;
    call.return_to = 0x55;
    probe_open_begin(o, &call);
    call.time_ns = 11; /* it has jumped to a function of another pair, which returns for it */
    call.pair = 1;
    call.return_to = 0;
    probe_open_begin(o, &call);
    assert_int_equal(probe_open_call(o, 1, 1000, false)->return_to, 0x55);
    assert_null(probe_open_call(o, 1, 992, false));
    assert_int_equal(probe_open_call(o, 1, 992, true)->return_to, 0x55);
    assert_null(probe_open_call(o, 1, 1000, true));
    assert_null(probe_open_call(o, 2, 1000, false));
    probe_open_free(o);
}

static void test_an_end_before_its_begin_finds_none(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    begin(o, PROBE_OPEN_NESTED, 1, 10, 0);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 9, 0), 0);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 10, 0), 10);
    probe_open_free(o);
}

static void test_what_an_ended_thread_began_is_not_of_the_next_one_with_its_number(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    released = 0;
    begin(o, PROBE_OPEN_NESTED, 5, 10, 0);
    begin(o, PROBE_OPEN_BY_KEYS, 5 + 1024, 11, 3); /* in the same bucket */
    probe_open_exit(o, 5);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 5, 20, 0), 0);
    assert_int_equal(end(o, PROBE_OPEN_BY_KEYS, 5 + 1024, 21, 3), 11);
    assert_int_equal(probe_open_counts(o).exited, 1);
    assert_int_equal(released, 1);
    probe_open_free(o);
}

static void test_when_hits_are_lost_no_end_finds_the_begin_of_another(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    begin(o, PROBE_OPEN_NESTED, 1, 10, 0);
    begin(o, PROBE_OPEN_NESTED, 2, 11, 0);
    probe_open_forget(o);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 20, 0), 0);
    assert_int_equal(probe_open_counts(o).lost, 2);
    begin(o, PROBE_OPEN_NESTED, 1, 30, 0);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 31, 0), 30);
    probe_open_free(o);
}

static void test_a_recursion_deeper_than_the_table_loses_its_inner_part_alone(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    for (uint64_t i = 1; i <= PROBE_OPEN_DEPTH + 10; i++)
        begin(o, PROBE_OPEN_NESTED, 1, i, 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 5000, 0), 0);
    for (uint64_t i = PROBE_OPEN_DEPTH; i >= 1; i--)
        assert_int_equal(end(o, PROBE_OPEN_NESTED, 1, 5001, 0), i);
    assert_int_equal(probe_open_counts(o).full, 10);
    assert_int_equal(probe_open_counts(o).ends, 0);
    probe_open_free(o);
}

static void test_begins_of_many_threads_are_bounded(void **state)
{
    struct probe_open *o = probe_open_new(release);
    (void)state;
    for (pid_t tid = 1; tid <= PROBE_OPEN_MOST + 100; tid++)
        begin(o, PROBE_OPEN_NESTED, tid, 1, 0);
    assert_int_equal(probe_open_counts(o).waiting, PROBE_OPEN_MOST);
    assert_int_equal(probe_open_counts(o).full, 100);
    assert_int_equal(end(o, PROBE_OPEN_NESTED, 7, 2, 0), 1);
    probe_open_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_one_thread_nest_and_threads_do_not_meet),
        cmocka_unit_test(test_equal_keys_meet_in_any_order),
        cmocka_unit_test(test_a_return_ends_its_call_and_what_lies_deeper_is_gone),
        cmocka_unit_test(test_the_return_address_of_a_call_is_that_of_the_first_with_its_place),
        cmocka_unit_test(test_an_end_before_its_begin_finds_none),
        cmocka_unit_test(test_what_an_ended_thread_began_is_not_of_the_next_one_with_its_number),
        cmocka_unit_test(test_when_hits_are_lost_no_end_finds_the_begin_of_another),
        cmocka_unit_test(test_a_recursion_deeper_than_the_table_loses_its_inner_part_alone),
        cmocka_unit_test(test_begins_of_many_threads_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
