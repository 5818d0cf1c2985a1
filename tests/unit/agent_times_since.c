/*
 * agent_times_since.c - recordings of method times that begin and end while others go on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_since.h"
#include <stdlib.h>
#include "agent/times/times_tree.h"
#include "cmocka_all.h"

enum { METHODS = 100, OUTER = 10, INNER = 20 };

static int64_t now = 1000; /* nothing takes any time by itself */

static int64_t enter(struct times_block *b, int32_t id)
{
    return times_tree_enter(b, times_tree_callee(b, id), now);
}

static void leave(struct times_block *b, int64_t place)
{
    times_tree_unwind(b, place, 1, now);
}

/* What a method has for the recording at a place, in all its paths, of all threads or of one. */
static struct times_row row_of(int place, int32_t id, uint32_t of_thread)
{
    const struct times_reading how = {.place = place, .per_thread = 1, .now = now};
    struct times_row *rows, sum = {.id = id};
    uint32_t count;
    assert_int_equal(times_tree_read(&how, &rows, &count), 0);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].id != id || (of_thread && rows[i].thread != of_thread))
            continue;
        sum.calls += rows[i].calls;
        sum.time += rows[i].time;
        sum.made += rows[i].made;
        sum.open += rows[i].open;
        sum.open_time += rows[i].open_time;
        sum.open_made += rows[i].open_made;
    }
    free(rows);
    return sum;
}

static void clear(int place)
{
    const struct times_reading how = {.place = place, .clear = 1, .now = now};
    struct times_row *rows;
    uint32_t count;
    assert_int_equal(times_tree_read(&how, &rows, &count), 0);
    free(rows);
}

static int set_up(void **state)
{
    const struct times_tree_config config = {.bytes = 4 << 20, .methods = METHODS};
    assert_int_equal(times_tree_init(&config), 0);
    for (int32_t id = 0; id < METHODS; id++)
        times_tree_add_method(id);
    assert_int_equal(times_tree_join(0, now), 0);
    return 0;
}

static int tear_down(void **state)
{
    for (int place = 0; place < TIMES_NODE_PLACES; place++)
        times_tree_part(place);
    return 0;
}

static void a_later_recording_has_the_calls_since_it_began(void **state)
{
    struct times_block *b = times_tree_block(1);
    leave(b, enter(b, OUTER));
    assert_int_equal(times_tree_join(1, now), 0);
    leave(b, enter(b, OUTER));
    assert_int_equal(row_of(0, OUTER, 0).calls, 2);
    assert_int_equal(row_of(1, OUTER, 0).calls, 1);
    clear(0);
    assert_int_equal(row_of(0, OUTER, 0).calls, 0);
    assert_int_equal(row_of(1, OUTER, 0).calls, 1);
    times_tree_end(1, now);
    assert_int_equal(row_of(1, OUTER, 0).calls, 1);
}

static void of_a_call_under_way_it_has_the_time_since_then(void **state)
{
    struct times_block *b = times_tree_block(2);
    int64_t outer = enter(b, OUTER), inner;
    now += 100;
    inner = enter(b, INNER);
    now += 1000;
    assert_int_equal(times_tree_join(1, now), 0);
    now += 7;
    assert_int_equal(row_of(1, OUTER, 0).open_time, 0);
    assert_int_equal(row_of(1, INNER, 0).open_time, 7);
    assert_int_equal(row_of(0, INNER, 0).open_time, 1007);
    leave(b, inner);
    now += 5;
    assert_int_equal(row_of(1, INNER, 0).calls, 1);
    assert_int_equal(row_of(1, INNER, 0).time, 7);
    assert_int_equal(row_of(1, OUTER, 0).open_time, 5);
    leave(b, outer);
    assert_int_equal(row_of(1, OUTER, 0).time, 5);
    assert_int_equal(row_of(0, OUTER, 0).time, 105);
    assert_int_equal(row_of(0, OUTER, 0).made, 1);
    times_tree_end(2, now);
}

static void also_when_the_thread_ends_or_calls_the_same_again(void **state)
{
    struct times_block *b = times_tree_block(3);
    int64_t inner;
    enter(b, OUTER);
    inner = enter(b, INNER);
    leave(b, enter(b, INNER));
    now += 300;
    assert_int_equal(times_tree_join(1, now), 0);
    now += 4;
    leave(b, inner);
    inner = enter(b, INNER);
    now += 2;
    leave(b, inner);
    times_tree_end(3, now);
    assert_int_equal(row_of(1, INNER, 0).calls, 2);
    assert_int_equal(row_of(1, INNER, 0).time, 6);
    assert_int_equal(row_of(1, INNER, 0).made, 0);
    assert_int_equal(row_of(1, OUTER, 0).made, 2);
    assert_int_equal(row_of(1, OUTER, 0).time, 0);
}

static void a_place_that_is_used_again_begins_anew(void **state)
{
    struct times_block *b = times_tree_block(4);
    int64_t outer = enter(b, OUTER);
    now += 50;
    assert_int_equal(times_tree_join(1, now), 0);
    times_tree_part(1);
    now += 50;
    assert_int_equal(times_tree_join(1, now), 0);
    now += 3;
    leave(b, outer);
    assert_int_equal(row_of(1, OUTER, 0).time, 3);
    times_tree_part(1);
    assert_int_equal(times_tree_join(1, now), 0);
    assert_int_equal(row_of(1, OUTER, 0).calls, 0);
    times_tree_end(4, now);
}

static void threads_are_told_apart_for_who_wants_it(void **state)
{
    for (int kept = 0; kept < 2; kept++) {
        int64_t tid = 10 + kept;
        uint32_t number = 500 + (uint32_t)kept;
        times_tree_set_per_thread(kept);
        times_tree_thread(tid, number);
        struct times_block *b = times_tree_block(tid);

        leave(b, enter(b, OUTER));
        times_tree_end(tid, now);
        times_tree_end(1000 + tid, now);
        struct times_block *other = times_tree_block(2000 + tid);

        times_tree_end(other->tid, now); /* this OS thread is at something else */
        assert_int_equal(row_of(0, OUTER, number).calls, kept);
    }
    uint32_t nodes = times_tree_nodes();

    times_tree_set_per_thread(0);
    struct times_block *last = times_tree_block(3000);

    times_tree_end(last->tid, now);
    assert_true(times_tree_nodes() < nodes);
    assert_int_equal(row_of(0, OUTER, 0).calls, 2);
}

/* Trees live as long as the process. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_later_recording_has_the_calls_since_it_began, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(of_a_call_under_way_it_has_the_time_since_then, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(also_when_the_thread_ends_or_calls_the_same_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_place_that_is_used_again_begins_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_are_told_apart_for_who_wants_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
