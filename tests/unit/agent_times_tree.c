/*
 * agent_times_tree.c - the trees of cpu=times, as the tracker and the reader use them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_tree.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "cmocka_all.h"

enum { MANY = 5000, METHODS = 10000000 };

static int64_t now = 1000; /* every look at the clock is later */

/* What the tracker's bytecode does. */
static struct times_node *enter(struct times_block *b, int32_t id)
{
    struct times_node *n = b->cur->last;

    if (n->id != id)
        n = times_tree_child(b, id);
    if (n) {
        n->count++;
        n->entered = now;
        n->time -= now++;
        b->cur = n;
    }
    return n;
}

static void leave(struct times_block *b, struct times_node *n)
{
    if (!n)
        return;
    if (b->cur != n) {
        times_tree_unwind(b, n, 1, now++);
        return;
    }
    n->time += now++;
    b->cur = n->parent;
}

/* Calls and time of the node of `id` called by `caller` (TIMES_ROOT: by nobody), over all trees. */
static struct times_row row_of(int32_t id, int32_t caller, int clear)
{
    struct times_row *rows, sum = {.id = id};
    uint32_t count;

    assert_int_equal(times_tree_read(now, clear, &rows, &count), 0);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].id == id && rows[rows[i].parent].id == caller) {
            sum.calls += rows[i].calls;
            sum.time += rows[i].time;
            sum.self += rows[i].self;
            sum.is_open += rows[i].is_open;
            sum.open_self += rows[i].open_self;
        }
    }
    free(rows);
    return sum;
}

static struct times_block *thread(int64_t tid)
{
    struct times_block *b = times_tree_block(tid);

    assert_non_null(b);
    assert_ptr_equal(b, times_tree_block(tid));
    assert_ptr_equal(times_tree_table()[tid % TIMES_SLOTS], b);
    return b;
}

static void calls_that_have_no_frame_any_more_are_cut_off(void **state)
{
    (void)state;
    struct times_block *b = times_tree_block(777);
    int32_t open[2];
    enter(b, 701);
    struct times_node *second = enter(b, 702);
    enter(b, 703);
    enter(b, 704);
    assert_true(times_tree_is_new(b, 701));
    assert_int_equal(times_tree_open(b, open, 2), 4);
    assert_int_equal(open[0], 701);
    assert_int_equal(open[1], 702);
    times_tree_cut(b, 2, now++);
    assert_ptr_equal(b->cur, second);
    assert_false(times_tree_is_new(b, 703));
    assert_int_equal(row_of(703, 702, 0).is_open, 0);
    assert_int_equal(row_of(702, 701, 0).is_open, 1);
    times_tree_cut(b, 100, now++);
    assert_ptr_equal(b->cur, b->root);
    assert_int_equal(times_tree_open(b, open, 2), 0);
    times_tree_end(777, now++);
}

static void a_call_is_open_until_it_ends(void **state)
{
    struct times_block *b = thread(1);
    struct times_node *a = enter(b, 10);

    now += 100;
    assert_int_equal(row_of(10, TIMES_ROOT, 0).calls, 0);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).time, 0);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).is_open, 1);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).open_self, 101);
    leave(b, a);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).time, 101);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).self, 101);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).is_open, 0);
    assert_ptr_equal(b->cur, b->root);
}

static void each_level_of_a_recursion_is_a_node(void **state)
{
    struct times_block *b = thread(2);
    struct times_node *levels[30];

    for (int i = 0; i < 30; i++)
        levels[i] = enter(b, 20);
    for (int i = 30; i-- > 0;)
        leave(b, levels[i]);
    assert_int_equal(row_of(20, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(20, 20, 0).calls, 29);
}

static void an_exception_closes_what_is_deeper(void **state)
{
    struct times_block *b = thread(3);
    struct times_node *catcher = enter(b, 30), *again;

    enter(b, 31);
    enter(b, 32);
    times_tree_unwind(b, catcher, 0, now++);
    assert_ptr_equal(b->cur, catcher);
    assert_true(row_of(32, 31, 0).time > 0);
    again = enter(b, 31);
    assert_int_equal(again->count, 2);
    leave(b, catcher); /* through 31, which has no handler */
    assert_ptr_equal(b->cur, b->root);
    assert_true(again->time > 0 && catcher->time > 0);
    leave(b, catcher); /* not active: nothing happens */
    assert_ptr_equal(b->cur, b->root);
}

static void many_children_are_found_again(void **state)
{
    struct times_block *b = thread(4);
    struct times_node *parent = enter(b, 40);

    for (int round = 0; round < 3; round++)
        for (int32_t id = 1000; id < 1000 + MANY; id++)
            leave(b, enter(b, id));
    leave(b, parent);
    for (int32_t id = 1000; id < 1000 + MANY; id += 777)
        assert_int_equal(row_of(id, 40, 0).calls, 3);
}

static void a_table_begins_where_the_last_one_ended(void **state)
{
    struct times_block *b = thread(5);
    struct times_node *open = enter(b, 50);

    leave(b, enter(b, 51));
    assert_int_equal(row_of(51, 50, 1).calls, 1);
    now += 500;
    assert_int_equal(row_of(51, 50, 0).calls, 0);
    assert_int_equal(row_of(50, TIMES_ROOT, 1).open_self, 502);
    leave(b, open); /* it ends in the third table, with all its time */
    assert_int_equal(row_of(50, TIMES_ROOT, 1).calls, 1);
    leave(b, enter(b, 50));
    assert_int_equal(row_of(50, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(50, TIMES_ROOT, 0).time, 1);
    assert_int_equal(row_of(50, TIMES_ROOT, 0).self, 1);
}

/* A loop that calls, and a callee that waits in its third call. */
static void what_ended_and_what_goes_on_are_kept_apart(void **state)
{
    struct times_block *b = thread(7);
    struct times_node *loop = enter(b, 55), *callee;
    struct times_row row;

    for (int i = 0; i < 2; i++) {
        now += 10;
        callee = enter(b, 56);
        now += 100;
        leave(b, callee);
    }
    callee = enter(b, 56);
    now += 100000;
    row = row_of(56, 55, 1);
    assert_int_equal(row.calls, 2);
    assert_int_equal(row.self, 202);
    assert_int_equal(row.open_self, 100001);
    row = row_of(55, TIMES_ROOT, 1);
    assert_int_equal(row.calls, 0);
    assert_int_equal(row.self, 0);
    assert_int_equal(row.open_self, 23); /* its callees' time is theirs */
    leave(b, callee);
    leave(b, loop);
    row = row_of(56, 55, 0);
    assert_int_equal(row.calls, 1);
    assert_int_equal(row.self, 100001);
    row = row_of(55, TIMES_ROOT, 0);
    assert_int_equal(row.calls, 1);
    assert_int_equal(row.self, 24);
    assert_int_equal(row.time, 24 + 202 + 100001);
}

/* The second call of a node: what is open is at most what it can have been. */
static void an_open_call_behind_others_is_bounded(void **state)
{
    struct times_block *b = thread(8);
    struct times_node *outer = enter(b, 57);
    struct times_row row;

    now += 1000;
    leave(b, enter(b, 58));
    leave(b, outer);
    outer = enter(b, 57);
    now += 30;
    enter(b, 58);
    now += 5000;
    row = row_of(57, TIMES_ROOT, 0);
    assert_int_equal(row.calls, 1);
    assert_int_equal(row.self, 1002);
    assert_int_equal(row.open_self, 31);
    assert_int_equal(row_of(58, 57, 0).open_self, 5001);
    leave(b, outer);
    assert_int_equal(row_of(57, TIMES_ROOT, 0).self, 1002 + 31);
}

static void without_a_clock_the_stack_says_what_is_open(void **state)
{
    struct times_block *b = thread(9);
    struct times_row *rows;
    uint32_t count, open = 0;

    enter(b, 59)->time = 0;
    enter(b, 63)->time = 0;
    assert_int_equal(times_tree_read(0, 0, &rows, &count), 0);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id == 59 || rows[i].id == 63)
            open += (uint32_t)rows[i].is_open;
    assert_int_equal(open, 2);
    free(rows);
    times_tree_end(9, now++);
}

enum { OTHERS = 100000 };

/* Threads from `first` on begin, call and end on the thread that runs this. */
static void *end_others(void *first)
{
    for (int64_t tid = *(int64_t *)first; tid < *(int64_t *)first + 300; tid++) {
        struct times_block *b = thread(tid);

        leave(b, enter(b, 30));
        times_tree_end(tid, now);
    }
    return NULL;
}

static void a_thread_runs_on_behind_its_end(void **state)
{
    struct times_block *b = thread(OTHERS), *other;
    int64_t first = OTHERS + 1;
    pthread_t carrier;

    leave(b, enter(b, 30));
    times_tree_end(OTHERS, now++);
    pthread_create(&carrier, NULL, end_others, &first);
    pthread_join(carrier, NULL);

    assert_int_equal(b->tid, OTHERS);
    leave(b, enter(b, 31));
    assert_int_equal(row_of(31, TIMES_ROOT, 0).calls, 1);

    other = thread(OTHERS + 1000); /* on the same OS thread, which has let go of the first then */
    times_tree_end(OTHERS + 1000, now++);
    assert_int_not_equal(b->tid, OTHERS);
    assert_int_equal(other->tid, OTHERS + 1000);
    assert_int_equal(row_of(31, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(30, TIMES_ROOT, 0).calls, 301);
}

static void trees_of_threads_that_are_gone_come_back(void **state)
{
    uint32_t before = times_tree_nodes();

    for (int64_t i = 0; i < 200; i++) {
        int64_t first = OTHERS + 2000 + 300 * i;
        pthread_t one;

        pthread_create(&one, NULL, end_others, &first);
        pthread_join(one, NULL);
    }
    /* each OS thread leaves its last tree behind, of 2 nodes and what it has in stock */
    assert_true(times_tree_nodes() < before + 100 * 20);
}

static void the_calls_of_ended_threads_stay_and_their_nodes_come_back(void **state)
{
    uint32_t before = 0;

    for (int64_t tid = 100; tid < 100 + MANY; tid++) {
        struct times_block *b = thread(tid);

        enter(b, 60);

        leave(b, enter(b, 61));
        enter(b, 62); /* ends with the thread */
        times_tree_end(tid, now++);
        times_tree_end(tid, now++); /* only once */
        if (tid == 1000)
            before = times_tree_nodes();
    }
    assert_int_equal(row_of(60, TIMES_ROOT, 0).calls, MANY);
    assert_int_equal(row_of(61, 60, 0).calls, MANY);
    assert_int_equal(row_of(62, 60, 0).calls, MANY);
    assert_true(times_tree_nodes() < before + 1000);
}

static void a_thread_without_an_id_has_no_block(void **state)
{
    uint64_t lost = times_tree_lost();

    assert_null(times_tree_block(0));
    assert_int_equal(times_tree_lost(), lost + 1);
}

static void when_memory_is_full_calls_are_counted_for_their_methods(void **state)
{
    struct times_block *b = thread(6);
    uint64_t lost = times_tree_lost();
    struct times_node *n = NULL;
    int32_t id = 100000;

    do {
        n = enter(b, id++);
        leave(b, n);
    } while (n && id < METHODS);
    assert_null(n);
    assert_null(enter(b, id - 1));
    assert_int_equal(times_tree_take_unplaced(id - 1), 2);
    assert_int_equal(times_tree_take_unplaced(id - 1), 0);
    assert_int_equal(times_tree_lost(), lost);
    assert_ptr_equal(b->cur, b->root);
    n = enter(b, 100000); /* known paths go on */
    assert_non_null(n);
    leave(b, n);
}

static _Atomic int stop;

static void *work(void *argument)
{
    struct times_block *b = thread((int64_t)(intptr_t)argument);
    int64_t clock = 1;

    for (int i = 0; !stop; i++) {
        struct times_node *n = times_tree_child(b, 70 + i % 5);

        __atomic_store_n(&n->count, n->count + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&n->entered, clock, __ATOMIC_RELAXED);
        __atomic_store_n(&n->time, n->time - clock, __ATOMIC_RELAXED);
        b->cur = n;
        clock++;
        __atomic_store_n(&n->time, n->time + clock, __ATOMIC_RELAXED);
        b->cur = n->parent;
    }
    return NULL;
}

static void it_can_be_read_while_it_is_written(void **state)
{
    pthread_t threads[3];

    for (intptr_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(7000 + i)), 0);
    for (int i = 0; i < 200; i++) {
        struct times_row *rows;
        uint32_t count;

        assert_int_equal(times_tree_read(now, i % 2, &rows, &count), 0);
        for (uint32_t at = 0; at < count; at++)
            assert_true(rows[at].id == TIMES_FREE ||
                        (rows[at].parent < count && rows[at].calls >= 0 && rows[at].self >= 0));
        free(rows);
    }
    stop = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* Trees live as long as the process: each test begins with a new one and leaves the last behind. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_have_no_frame_any_more_are_cut_off),
        cmocka_unit_test(a_call_is_open_until_it_ends),
        cmocka_unit_test(each_level_of_a_recursion_is_a_node),
        cmocka_unit_test(an_exception_closes_what_is_deeper),
        cmocka_unit_test(many_children_are_found_again),
        cmocka_unit_test(what_ended_and_what_goes_on_are_kept_apart),
        cmocka_unit_test(an_open_call_behind_others_is_bounded),
        cmocka_unit_test(without_a_clock_the_stack_says_what_is_open),
        cmocka_unit_test(a_table_begins_where_the_last_one_ended),
        cmocka_unit_test(the_calls_of_ended_threads_stay_and_their_nodes_come_back),
        cmocka_unit_test(a_thread_runs_on_behind_its_end),
        cmocka_unit_test(trees_of_threads_that_are_gone_come_back),
        cmocka_unit_test(a_thread_without_an_id_has_no_block),
        cmocka_unit_test(it_can_be_read_while_it_is_written),
        cmocka_unit_test(when_memory_is_full_calls_are_counted_for_their_methods),
    };

    if (times_tree_init(4 << 20, METHODS, 0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
