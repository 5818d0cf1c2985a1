/* profile_sums.c - sums of events by trace, class and text. SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "cmocka_all.h"
#include "profile/profile.h"
#include "profile/sums.h"

static struct profile *small(void)
{
    struct profile *p = profile_new(1 << 20);
    assert_non_null(p);
    return p;
}

static trace_id trace_of(struct profile *p, int line)
{
    frame_id frame = profile_frame(p, profile_method(p, 0, 0, 0, 0), -1, line);
    return profile_trace(p, 0, &frame, 1);
}

static void events_of_one_trace_class_and_text_are_one_row(void **state)
{
    (void)state;
    struct profile *p = small();
    const trace_id a = trace_of(p, 1), b = trace_of(p, 2);
    const struct event events[] = {
        {.kind = KIND_ENTER, .trace = a, .text = 1, .value = {100, 1}},
        {.kind = KIND_ENTER, .trace = a, .text = 2, .value = {30, 2}},
        {.kind = KIND_ENTER, .trace = b, .text = 1, .value = {5, 1}},
        {.kind = KIND_ENTER, .trace = a, .text = 1, .value = {7, 3}},
        {.kind = KIND_SITE, .trace = a, .klass = 9, .value = {1, 2, 3, 4}},
    };
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
        assert_int_equal(profile_count(p, &events[i]), 0);
    const struct sums *enters = profile_sums(p, KIND_ENTER);
    assert_int_equal(enters->rows.count, 3);
    assert_int_equal(sums_at(enters, 1)->value[0], 107);
    assert_int_equal(sums_at(enters, 1)->value[1], 4);
    assert_int_equal(sums_at(enters, 2)->value[0], 30);
    assert_int_equal(enters->total[0], 142);
    assert_int_equal(enters->total[1], 7);
    assert_null(profile_sum_of(p, KIND_ENTER, a)); /* each of its rows has a text */
    const struct sums *sites = profile_sums(p, KIND_SITE);
    assert_int_equal(sites->rows.count, 1);
    assert_int_equal(sums_at(sites, 1)->value[3], 4);
    assert_int_equal(sums_at(sites, 1)->klass, 9);
    profile_free(p);
}

static void a_total_of_more_than_64_bits_changes_nothing(void **state)
{
    (void)state;
    struct profile *p = small();
    const trace_id a = trace_of(p, 1), b = trace_of(p, 2);
    struct event event = {.kind = KIND_CALL, .trace = a, .value = {5, UINT64_MAX}};
    assert_int_equal(profile_count(p, &event), 0);
    event.trace = b;
    event.value[1] = 1;
    assert_int_equal(profile_count(p, &event), E_LIMIT);
    const struct sums *calls = profile_sums(p, KIND_CALL);
    assert_int_equal(calls->rows.count, 1);
    assert_int_equal(calls->total[0], 5);
    assert_int_equal(profile_lost(p), 0);
    profile_free(p);
}

static void cleared_sums_begin_anew_in_the_same_memory(void **state)
{
    (void)state;
    struct profile *p = small();
    uint64_t taken = 0;
    for (int round = 0; round < 3; round++) {
        struct sums *sums = profile_sums(p, KIND_SAMPLE);
        sums_clear(sums);
        assert_int_equal(sums->total[0], 0);
        for (int i = 0; i < 1000; i++) {
            const struct event event = {
                .kind = KIND_SAMPLE, .trace = trace_of(p, i), .value = {(uint64_t)i}};
            assert_int_equal(profile_count(p, &event), 0);
        }
        assert_int_equal(sums->rows.count, 1000);
        assert_int_equal(sums->total[0], 1000 * 999 / 2);
        assert_int_equal(profile_sum_of(p, KIND_SAMPLE, trace_of(p, 77))->value[0], 77);
        if (round > 0)
            assert_int_equal(profile_bytes(p), taken);
        taken = profile_bytes(p);
    }
    profile_free(p);
}

static void rows_that_find_no_room_are_counted_as_lost(void **state)
{
    (void)state;
    struct profile *p = profile_new(96 * 1024);
    uint32_t counted = 0;
    assert_non_null(p);
    for (trace_id i = 1; i <= 20000; i++) {
        const struct event event = {.kind = KIND_SITE, .trace = i, .klass = 1, .value = {1, 1}};
        counted += profile_count(p, &event) == 0;
    }
    const struct sums *sites = profile_sums(p, KIND_SITE);
    assert_true(counted > 0 && counted < 20000);
    assert_int_equal(sites->rows.count, counted);
    assert_int_equal(sites->total[0], counted);
    assert_int_equal(profile_lost(p), 20000 - counted);
    profile_free(p);
}

static void what_a_table_says_goes_before_the_sum_of_its_rows(void **state)
{
    (void)state;
    struct profile *p = small();
    struct sums *sums = profile_sums(p, KIND_SAMPLE);
    const struct event event = {.kind = KIND_SAMPLE, .trace = 1, .value = {3}};
    assert_int_equal(profile_count(p, &event), 0);
    assert_int_equal(sums_whole(sums), 3);
    sums->said = 10;
    assert_int_equal(sums_whole(sums), 10);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_one_trace_class_and_text_are_one_row),
        cmocka_unit_test(a_total_of_more_than_64_bits_changes_nothing),
        cmocka_unit_test(cleared_sums_begin_anew_in_the_same_memory),
        cmocka_unit_test(rows_that_find_no_room_are_counted_as_lost),
        cmocka_unit_test(what_a_table_says_goes_before_the_sum_of_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
