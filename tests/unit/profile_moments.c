/*
 * profile_moments.c - the times of events are kept beside their sums.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/moments.h"
#include <errno.h>
#include "base/arena.h"
#include "cmocka_all.h"
#include "profile/profile.h"
#include "profile/sums.h"

static void moments_come_back_as_they_went_in(void **state)
{
    static const struct moment moments[] = {
        {.kind = KIND_SAMPLE, .row = 1, .time_ns = 1795449940209456384, .value = {1}},
        {.kind = KIND_SITE, .row = 0xfffffff, .time_ns = 5, .value = {UINT64_MAX, 1, 0, 127}},
        {.kind = KIND_SAMPLE, .row = 128, .time_ns = UINT64_MAX, .value = {128}},
    };
    enum { COUNT = sizeof(moments) / sizeof(*moments), TIMES = 10000 };
    struct moments m = {0};
    struct moment got;
    struct arena a;
    (void)state;
    arena_init(&a, SIZE_MAX);
    for (int i = 0; i < TIMES * COUNT; i++)
        assert_int_equal(moments_add(&m, &a, &moments[i % COUNT]), 0);
    assert_int_equal(m.count, TIMES * COUNT);
    assert_true(m.first_ns == 5 && m.last_ns == UINT64_MAX);
    assert_int_equal(m.kinds, 1 << KIND_SAMPLE | 1 << KIND_SITE);
    struct moments_at at = moments_begin(&m);
    for (int i = 0; i < TIMES * COUNT; i++) {
        assert_true(moments_next(&at, &got));
        assert_memory_equal(&got, &moments[i % COUNT], sizeof(got));
    }
    assert_false(moments_next(&at, &got));
    arena_done(&a);
}

static void without_room_there_are_none(void **state)
{
    const struct moment moment = {.kind = KIND_SAMPLE, .row = 1, .time_ns = 7, .value = {1}};
    struct moments m = {0};
    struct moments_at at;
    struct moment got;
    struct arena a;
    int r = 0;
    (void)state;
    arena_init(&a, 1 << 20);
    for (int i = 0; i < 1 << 20 && r == 0; i++)
        r = moments_add(&m, &a, &moment);
    assert_int_equal(r, -ENOMEM);
    assert_true(m.is_broken && m.count == 0 && m.kinds == 0);
    at = moments_begin(&m);
    assert_false(moments_next(&at, &got));
    assert_int_equal(moments_add(&m, &a, &moment), -ENOMEM);
    arena_done(&a);
}

static void a_moment_names_the_row_of_its_sum(void **state)
{
    struct profile *p = profile_new(1 << 24);
    struct event e = {.kind = KIND_EXCEPTION, .trace = 1, .time_ns = 100, .value = {2}};
    struct moments_at at;
    struct moment got;
    (void)state;
    assert_non_null(p);
    assert_int_equal(profile_count(p, &e), 0);
    e.text = profile_cstring(p, "other");
    assert_int_equal(profile_count_at(p, &e), 0);
    e.text = 0;
    e.time_ns = 90;
    assert_int_equal(profile_count_at(p, &e), 0);
    assert_int_equal(profile_sums(p, KIND_EXCEPTION)->total[0], 6);
    at = moments_begin(profile_moments(p));
    assert_true(moments_next(&at, &got) && got.row == 2 && got.time_ns == 100);
    assert_true(moments_next(&at, &got) && got.row == 1 && got.time_ns == 90);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_come_back_as_they_went_in),
        cmocka_unit_test(without_room_there_are_none),
        cmocka_unit_test(a_moment_names_the_row_of_its_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
