/*
 * watch_watch_budget.c - which recording is thinned, so that all of them stay within the budget.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_budget.h"
#include "cmocka_all.h"

enum { ROWS = 3 };

static int choose(const struct watch_budget_row *rows, double own, unsigned *level)
{
    return watch_budget_choose(rows, ROWS, own, 0.01, level);
}

static void the_most_expensive_recording_is_thinned(void **state)
{
    (void)state;
    unsigned level;
    struct watch_budget_row rows[ROWS] = {{0.002, 0, true}, {0.006, 1, true}, {0.001, 0, true}};
    assert_int_equal(choose(rows, 0.002, &level), 1);
    assert_int_equal(level, 2);
    rows[1].is_measured = false; /* it was thinned, and nobody knows yet what that did */
    assert_int_equal(choose(rows, 0.002, &level), 0);
    rows[1].is_measured = true;
    rows[1].level = WATCH_BUDGET_LEVELS;
    assert_int_equal(choose(rows, 0.002, &level), 0);
    rows[0].level = rows[2].level = WATCH_BUDGET_LEVELS;
    assert_int_equal(choose(rows, 0.002, &level), -1);
}

static void it_gets_its_samples_back_when_there_is_room(void **state)
{
    (void)state;
    unsigned level;
    struct watch_budget_row rows[ROWS] = {{0.001, 0, true}, {0.002, 1, true}, {0.001, 2, true}};
    assert_int_equal(choose(rows, 0.001, &level), 2);
    assert_int_equal(level, 1);
    assert_int_equal(choose(rows, 0.004, &level),
                     -1); /* there is room, but not for twice as much */
    rows[1].level = rows[2].level = 0;
    assert_int_equal(choose(rows, 0, &level), -1);
    assert_int_equal(watch_budget_choose(NULL, 0, 0.5, 0.01, &level), -1);
}

/* Rates fall to a half with each level: the sum ends below the budget, and stays there. */
static void decisions_come_to_rest(void **state)
{
    (void)state;
    const double full[ROWS] = {0.03, 0.004, 0.0005};
    struct watch_budget_row rows[ROWS] = {{0}};
    unsigned level;
    int changes = 0, at = 0;
    for (int turn = 0; turn < 100 && at >= 0; turn++, changes += at >= 0) {
        for (int i = 0; i < ROWS; i++)
            rows[i] =
                (struct watch_budget_row){full[i] / (1 << rows[i].level), rows[i].level, true};
        at = choose(rows, 0.001, &level);
        if (at >= 0)
            rows[at].level = level;
    }
    assert_int_equal(at, -1);
    assert_int_equal(changes, 3);
    assert_int_equal(rows[0].level, 3);
    assert_int_equal(rows[1].level, 0);
}

static void events_and_threads_cost(void **state)
{
    (void)state;
    double share = watch_budget_share(100, 0.002);
    assert_true(share > 0.0079 && share < 0.0081);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_expensive_recording_is_thinned),
        cmocka_unit_test(it_gets_its_samples_back_when_there_is_room),
        cmocka_unit_test(decisions_come_to_rest),
        cmocka_unit_test(events_and_threads_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
