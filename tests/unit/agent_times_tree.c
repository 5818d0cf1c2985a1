/*
 * agent_times_tree.c - the trees of cpu=times, as the tracker and the reader use them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_tree.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

enum { MANY = 5000, METHODS = 100000 };

static int64_t now = 1000; /* every look at the clock is later */

/* What the tracker's bytecode does. */
static int64_t enter(struct times_block *b, int32_t id)
{
    struct times_node *n = b->top->node->last;
    if (n->id != id)
        n = times_tree_callee(b, id);
    return times_tree_enter(b, n, now++);
}

static void leave(struct times_block *b, int64_t place)
{
    if (place != 0)
        times_tree_unwind(b, place, 1, now++);
}

static int64_t place_of_top(const struct times_block *b)
{
    return (b->top - b->stack) * (int64_t)sizeof(*b->top);
}

static struct times_row *read_rows(int64_t then, int clear, uint32_t *ret_count)
{
    const struct times_reading how = {.clear = clear, .now = then};
    struct times_row *rows = NULL;
    assert_int_equal(times_tree_read(&how, &rows, ret_count), 0);
    return rows;
}

static int32_t id_of_caller(const struct times_row *rows, const struct times_row *row)
{
    return row->is_without_path          ? TIMES_NONE
           : row->parent == TIMES_NO_ROW ? TIMES_ROOT
                                         : rows[row->parent].id;
}

/* What `id` called by `caller` (TIMES_ROOT: by nobody, TIMES_NONE: not known) has, in all threads.
 */
static struct times_row row_of(int32_t id, int32_t caller, int clear)
{
    struct times_row *rows, sum = {.id = id};
    uint32_t count;
    rows = read_rows(now, clear, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].id == id && id_of_caller(rows, &rows[i]) == caller) {
            sum.calls += rows[i].calls;
            sum.time += rows[i].time;
            sum.made += rows[i].made;
            sum.open += rows[i].open;
            sum.open_time += rows[i].open_time;
            sum.open_made += rows[i].open_made;
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
    int64_t second = enter(b, 702);
    enter(b, 703);
    enter(b, 704);
    assert_true(times_tree_is_new(b, 701));
    assert_int_equal(times_tree_open(b, open, 2), 4);
    assert_int_equal(open[0], 701);
    assert_int_equal(open[1], 702);
    times_tree_cut(b, 2, now++);
    assert_int_equal(place_of_top(b), second);
    assert_false(times_tree_is_new(b, 703));
    assert_int_equal(row_of(703, 702, 0).open, 0);
    assert_int_equal(row_of(702, 701, 0).open, 1);
    times_tree_cut(b, 100, now++);
    assert_ptr_equal(b->top, b->stack);
    assert_int_equal(times_tree_open(b, open, 2), 0);
    times_tree_end(777, now++);
}

static void a_call_is_open_until_it_ends(void **state)
{
    struct times_block *b = thread(1);
    int64_t a = enter(b, 10);
    now += 100;
    assert_int_equal(row_of(10, TIMES_ROOT, 0).calls, 0);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).time, 0);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).open, 1);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).open_time, 101);
    leave(b, a);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).time, 101);
    assert_int_equal(row_of(10, TIMES_ROOT, 0).open, 0);
    assert_ptr_equal(b->top, b->stack);
}

static void each_level_of_a_recursion_is_a_node(void **state)
{
    struct times_block *b = thread(2);
    int64_t levels[30];
    for (int i = 0; i < 30; i++)
        levels[i] = enter(b, 20);
    for (int i = 30; i-- > 0;)
        leave(b, levels[i]);
    assert_int_equal(row_of(20, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(20, 20, 0).calls, 29);
}

static struct times_method_spread spread_of(int32_t id)
{
    struct times_method_spread *all = calloc(METHODS, sizeof(*all)), one;
    assert_non_null(all);
    times_tree_read_spreads(all, METHODS);
    one = all[id];
    free(all);
    return one;
}

static void assert_spread(int32_t id, int64_t calls, int64_t total, int64_t least, int64_t most)
{
    struct times_method_spread s = spread_of(id);
    assert_int_equal(s.calls, calls);
    assert_int_equal(s.total, total);
    assert_int_equal(s.least, least);
    assert_int_equal(s.most, most);
}

/* On two paths of two threads, of which one has ended; with what they call. */
static void the_shortest_and_the_longest_call_of_a_method_are_known(void **state)
{
    struct times_block *b = thread(20), *other = thread(21);
    int64_t outer = enter(b, 300), inner = enter(b, 301);
    assert_int_equal(spread_of(301).calls, 0);
    now += 100;
    leave(b, inner); /* took 101 */
    assert_spread(301, 1, 101, 101, 101);
    inner = enter(b, 301);
    leave(b, inner);
    leave(b, outer); /* took 105 */
    inner = enter(other, 301);
    now += 200;
    enter(other, 302);
    times_tree_unwind(other, inner, 1, now++); /* an exception ends both */
    assert_spread(300, 1, 105, 105, 105);
    assert_spread(301, 3, 101 + 1 + 202, 1, 202);
    assert_spread(302, 1, 1, 1, 1);
    times_tree_end(21, now++);
    times_tree_end(20, now++);
    leave(b = thread(22), enter(thread(22), 303)); /* ends other threads' trees */
    times_tree_end(22, now++);
    assert_spread(301, 3, 101 + 1 + 202, 1, 202);
}

static void an_exception_closes_what_is_deeper(void **state)
{
    struct times_block *b = thread(3);
    int64_t catcher = enter(b, 30);
    enter(b, 31);
    enter(b, 32);
    times_tree_unwind(b, catcher, 0, now++);
    assert_int_equal(place_of_top(b), catcher);
    assert_true(row_of(32, 31, 0).time > 0);
    enter(b, 31);
    assert_int_equal(row_of(31, 30, 0).calls, 1);
    assert_int_equal(row_of(31, 30, 0).open, 1);
    leave(b, catcher); /* through 31, which has no handler */
    assert_ptr_equal(b->top, b->stack);
    assert_int_equal(row_of(31, 30, 0).calls, 2);
    assert_int_equal(row_of(30, TIMES_ROOT, 0).calls, 1);
    leave(b, catcher); /* not active: nothing happens */
    assert_ptr_equal(b->top, b->stack);
}

static void many_children_are_found_again(void **state)
{
    struct times_block *b = thread(4);
    int64_t parent = enter(b, 40);
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
    int64_t open = enter(b, 50);
    leave(b, enter(b, 51));
    assert_int_equal(row_of(51, 50, 1).calls, 1);
    now += 500;
    assert_int_equal(row_of(51, 50, 0).calls, 0);
    assert_int_equal(row_of(50, TIMES_ROOT, 1).open_time, 502);
    leave(b, open); /* it ends in the third table, with all its time */
    assert_int_equal(row_of(50, TIMES_ROOT, 1).calls, 1);
    leave(b, enter(b, 50));
    assert_int_equal(row_of(50, TIMES_ROOT, 0).calls, 1);
    assert_int_equal(row_of(50, TIMES_ROOT, 0).time, 1);
}

/* A loop that calls, and a callee that waits in its third call. */
static void what_ended_and_what_goes_on_are_kept_apart(void **state)
{
    struct times_block *b = thread(7);
    int64_t loop = enter(b, 55), callee;
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
    assert_int_equal(row.time, 202);
    assert_int_equal(row.open_time, 100001);
    row = row_of(55, TIMES_ROOT, 1);
    assert_int_equal(row.calls, 0);
    assert_int_equal(row.time, 0);
    assert_int_equal(row.open_time, 23); /* its callees' time is theirs */
    leave(b, callee);
    leave(b, loop);
    row = row_of(56, 55, 0);
    assert_int_equal(row.calls, 1);
    assert_int_equal(row.time, 100001);
    row = row_of(55, TIMES_ROOT, 0);
    assert_int_equal(row.calls, 1);
    assert_int_equal(row.time, 24);
    assert_int_equal(row.made, 3);
}

/* Time of calls that ended before along the same path is not in it. */
static void the_time_of_an_open_call_is_its_own(void **state)
{
    struct times_block *b = thread(8);
    int64_t outer = enter(b, 57);
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
    assert_int_equal(row.time, 1002);
    assert_int_equal(row.open_time, 31);
    assert_int_equal(row_of(58, 57, 0).open_time, 5001);
    leave(b, outer);
    assert_int_equal(row_of(57, TIMES_ROOT, 0).time, 1002 + 31);
}

static void what_the_tracker_spends_is_nobody_s_time(void **state)
{
    struct times_block *b = thread(1001);
    int64_t outer = enter(b, 59), inner;
    now += 1000;
    times_tree_spend(b, 900);
    inner = enter(b, 60);
    times_tree_spend(b, 0);
    leave(b, inner);
    assert_int_equal(row_of(59, TIMES_ROOT, 0).open_time, 102);
    leave(b, outer);
    assert_int_equal(row_of(59, TIMES_ROOT, 0).time, 102);
    assert_int_equal(row_of(60, 59, 0).time, 1);
}

static void without_a_clock_the_stack_says_what_is_open(void **state)
{
    struct times_block *b = thread(9);
    struct times_row *rows;
    uint32_t count, open = 0;
    times_tree_enter(b, times_tree_callee(b, 59), 0);
    times_tree_enter(b, times_tree_callee(b, 63), 0);
    rows = read_rows(0, 0, &count);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id == 59 || rows[i].id == 63)
            open += (uint32_t)rows[i].open;
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

/* A window of 3: what called the caller's caller is no matter. */
static void paths_are_told_apart_by_the_window(void **state)
{
    struct times_block *b;
    uint32_t nodes;
    int64_t places[2000];
    times_tree_set_window(3);
    b = thread(4000);
    for (int32_t way = 0; way < 100; way++) {
        int64_t outer = enter(b, 9000 + way);
        for (int32_t id = 9200; id < 9210; id++)
            enter(b, id);
        if (way == 0)
            nodes = times_tree_nodes();
        leave(b, outer);
    }
    /* a way has paths of its own for its first method and the two that it calls, no more */
    assert_true(times_tree_nodes() <= nodes + 99 * 3 + 32);
    assert_int_equal(row_of(9205, 9204, 0).calls, 100);
    assert_int_equal(row_of(9209, 9208, 0).calls, 100);
    nodes = times_tree_nodes();
    for (int i = 0; i < 2000; i++) /* recursion, deeper than the stack is at first */
        places[i] = enter(b, 9300);
    assert_int_equal(row_of(9300, 9300, 0).open + row_of(9300, TIMES_ROOT, 0).open, 2000);
    for (int i = 2000; i-- > 0;)
        leave(b, places[i]);
    assert_true(times_tree_nodes() <= nodes + 32);
    assert_int_equal(row_of(9300, 9300, 0).calls, 1999);
    assert_int_equal(row_of(9300, 9300, 0).time, 3997 - 2 + 2);
    times_tree_end(4000, now++);
    times_tree_set_window(UINT32_MAX);
}

static void when_memory_is_full_calls_are_counted_for_their_methods(void **state)
{
    struct times_block *b = thread(6);
    uint64_t lost = times_tree_lost();
    int32_t id = 0;
    int64_t outer, inner, place;
    do {
        place = enter(b, id++);
        leave(b, place);
    } while (place > 0 && id < METHODS);
    assert_true(place < 0);
    id = METHODS - 2;
    outer = enter(b, id); /* a call without path calls itself, and another */
    now += 10;
    inner = enter(b, id);
    now += 100;
    leave(b, enter(b, id + 1));
    assert_true(outer < 0 && inner < 0);
    assert_int_equal(row_of(id, TIMES_NONE, 0).open, 2);
    assert_int_equal(row_of(id, TIMES_NONE, 0).open_time, 11 + 102);
    leave(b, inner);
    leave(b, outer);
    assert_int_equal(row_of(id, TIMES_NONE, 0).calls, 2);
    assert_int_equal(row_of(id, TIMES_NONE, 0).time, 12 + 102);
    assert_spread(id, 2, 103 + 115, 103, 115);
    assert_int_equal(row_of(id, TIMES_NONE, 0).made, 2);
    assert_int_equal(row_of(id + 1, TIMES_NONE, 1).calls, 1);
    assert_int_equal(row_of(id + 1, TIMES_NONE, 0).calls, 0);
    place = enter(b, 0); /* a known path, and one without that an exception ends */
    assert_true(place > 0);
    enter(b, id);
    enter(b, id + 1);
    times_tree_unwind(b, place, 0, now++);
    assert_int_equal(place_of_top(b), place);
    assert_int_equal(row_of(id, TIMES_NONE, 0).calls, 1);
    leave(b, place);
    assert_ptr_equal(b->top, b->stack);
    assert_int_equal(times_tree_lost(), lost);
}

/* Calls, returns and exceptions at random, in paths that have nodes and in such that have none. */
static void each_method_has_its_calls_and_time_whatever_room_there_is(void **state)
{
    enum { STEPS = 300000, IDS = 40, FIRST = METHODS - 200, DEEP = 300 };
    static int64_t calls[IDS], self[IDS], places[DEEP];
    static int ids[DEEP];
    struct times_block *b = thread(4711);
    struct times_row *rows;
    uint32_t random = 12345, count;
    int depth = 0;
    rows = read_rows(now, 1, &count);
    free(rows);
    memset(calls, 0, sizeof(calls));
    memset(self, 0, sizeof(self));
    for (int i = 0; i < STEPS || depth > 0; i++) {
        int64_t began = now;
        uint32_t what = (random = random * 1664525 + 1013904223) >> 16;
        int top = depth > 0 ? ids[depth - 1] : -1;
        if (i < STEPS && depth < DEEP && what % 8 < 5) { /* a call */
            ids[depth] = (int)(what / 8 % IDS);
            places[depth] = enter(b, FIRST + ids[depth]);
            assert_true(places[depth] != 0);
            depth++;
        } else if (depth > 0 && what % 8 < 7) { /* a return */
            leave(b, places[--depth]);
            calls[top]++;
        } else if (depth > 0) { /* an exception, which a caller catches */
            int catcher = (int)(what / 8 % (uint32_t)depth);

            times_tree_unwind(b, places[catcher], 0, now++);
            while (depth > catcher + 1)
                calls[ids[--depth]]++;
        }
        if (top >= 0)
            self[top] += now - began;
        now += what % 50;
        if (depth > 0)
            self[ids[depth - 1]] += what % 50;
    }
    rows = read_rows(now, 0, &count);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id >= FIRST && rows[i].id < FIRST + IDS) {
            calls[rows[i].id - FIRST] -= rows[i].calls;
            self[rows[i].id - FIRST] -= rows[i].time;
        }
    free(rows);
    for (int i = 0; i < IDS; i++) {
        assert_int_equal(calls[i], 0);
        assert_int_equal(self[i], 0);
    }
    times_tree_end(4711, now++);
}

/* Threads that come when there is no room for paths: all they do is there, and stays when they end.
 */
static void threads_without_any_room_share_the_nodes_of_methods(void **state)
{
    enum { THREADS = 50, ID = METHODS - 10 };
    int64_t calls = row_of(ID, TIMES_NONE, 1).calls;
    for (int64_t tid = 500000; tid < 500000 + THREADS; tid++) {
        struct times_block *b = thread(tid);
        leave(b, enter(b, ID));
        times_tree_end(tid, now++);
    }
    assert_int_equal(row_of(ID, TIMES_NONE, 0).calls + row_of(ID, TIMES_ROOT, 0).calls,
                     calls + THREADS);
}

/* What a call costs is measured at the end, when all room may be taken. */
static void the_probe_has_a_node_whatever_room_there_is(void **state)
{
    struct times_block *b = thread(7000001);
    struct times_node *n = times_tree_callee(b, TIMES_PROBE);
    assert_int_equal(n->id, TIMES_PROBE);
    int64_t before = n->count, place = enter(b, TIMES_PROBE);
    assert_true(place > 0);
    leave(b, place);
    leave(b, enter(b, TIMES_PROBE));
    assert_int_equal(n->count, before + 2);
    leave(b, enter(b, METHODS - 10));
    assert_int_equal(b->top->node->last->id, TIMES_PROBE); /* there is no room */
}

/* Classes may have probes for a while; those who have a block go on with that. */
static void between_two_runs_threads_that_are_new_have_no_block(void **state)
{
    const struct times_tree_config config = {.bytes = 4 << 20, .methods = METHODS};
    const int64_t known = 9000001, fresh = 9000002;
    struct times_block *b = thread(known);
    times_tree_part(0);
    times_tree_rest();
    assert_null(times_tree_block(fresh));
    assert_ptr_equal(times_tree_find(known), b);
    leave(b, enter(b, 30));

    assert_int_equal(times_tree_init(&config), 0);
    assert_int_equal(times_tree_join(0, now), 0);
    assert_non_null(times_tree_block(fresh));
    assert_ptr_equal(times_tree_block(known), b);
    assert_int_equal(row_of(30, TIMES_ROOT, 0).calls, 0);
}

static _Atomic int stop;

static void *work(void *argument)
{
    struct times_block *b = thread((int64_t)(intptr_t)argument);
    int64_t clock = 1;
    for (int i = 0; !stop; i++) {
        int64_t outer = times_tree_enter(b, times_tree_callee(b, 70 + i % 5), clock++);
        for (int depth = 0; depth < i % 100; depth++)
            times_tree_enter(b, times_tree_callee(b, 80 + depth % 3), clock++);
        times_tree_unwind(b, outer, 1, clock++);
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
        rows = read_rows(now, i % 2, &count);
        for (uint32_t at = 0; at < count; at++)
            assert_true(rows[at].id == TIMES_FREE ||
                        ((rows[at].parent < count || rows[at].parent == TIMES_NO_ROW) &&
                         rows[at].calls >= 0 && rows[at].time >= 0 && rows[at].open_time >= 0));
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
        cmocka_unit_test(the_shortest_and_the_longest_call_of_a_method_are_known),
        cmocka_unit_test(an_exception_closes_what_is_deeper),
        cmocka_unit_test(many_children_are_found_again),
        cmocka_unit_test(what_ended_and_what_goes_on_are_kept_apart),
        cmocka_unit_test(the_time_of_an_open_call_is_its_own),
        cmocka_unit_test(what_the_tracker_spends_is_nobody_s_time),
        cmocka_unit_test(without_a_clock_the_stack_says_what_is_open),
        cmocka_unit_test(a_table_begins_where_the_last_one_ended),
        cmocka_unit_test(the_calls_of_ended_threads_stay_and_their_nodes_come_back),
        cmocka_unit_test(a_thread_runs_on_behind_its_end),
        cmocka_unit_test(trees_of_threads_that_are_gone_come_back),
        cmocka_unit_test(a_thread_without_an_id_has_no_block),
        cmocka_unit_test(it_can_be_read_while_it_is_written),
        cmocka_unit_test(paths_are_told_apart_by_the_window),
        cmocka_unit_test(each_method_has_its_calls_and_time_whatever_room_there_is),
        cmocka_unit_test(when_memory_is_full_calls_are_counted_for_their_methods),
        cmocka_unit_test(each_method_has_its_calls_and_time_whatever_room_there_is),
        cmocka_unit_test(threads_without_any_room_share_the_nodes_of_methods),
        cmocka_unit_test(the_probe_has_a_node_whatever_room_there_is),
        cmocka_unit_test(between_two_runs_threads_that_are_new_have_no_block),
    };

    const struct times_tree_config config = {.bytes = 4 << 20, .methods = METHODS};

    if (times_tree_init(&config) != 0 || times_tree_join(0, now) != 0)
        return 1;
    for (int32_t id = 0; id < METHODS; id++)
        times_tree_add_method(id);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
