/*
 * hotspot_java_locks.c - circles of threads that wait for each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "hotspot/java_locks.h"
#include "hotspot/java_threads.h"
#include <stdlib.h>

#define WAIT(thread_, holder_)                                                                     \
    {                                                                                              \
        .thread = (thread_), .kind = JAVA_LOCK_ENTERING, .holder = (holder_), .next = -1           \
    }

static void find(struct java_lock *rows, uint32_t count, uint32_t thread_count,
                 struct java_locks *l)
{
    static struct java_threads threads;
    threads = (struct java_threads){.count = thread_count};
    *l = (struct java_locks){.threads = &threads, .rows = rows, .count = count};
    java_locks_find_deadlocks(l);
    assert_false(l->out_of_memory);
}

static void done(struct java_locks *l)
{
    for (uint32_t i = 0; i < l->deadlock_count; i++)
        free(l->deadlocks[i].locks);
    free(l->deadlocks);
}

static void a_circle_is_found_once_in_the_order_of_waiting(void **state)
{
    struct java_lock rows[] = {WAIT(3, 1), WAIT(1, 2), WAIT(2, 3), WAIT(0, 3)};
    struct java_locks l;
    (void)state;
    find(rows, 4, 5, &l);
    assert_int_equal(l.deadlock_count, 1);
    assert_int_equal(l.deadlocks[0].count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct java_lock *lock = &rows[l.deadlocks[0].locks[i]];
        assert_int_equal(lock->holder, rows[l.deadlocks[0].locks[(i + 1) % 3]].thread);
    }
    done(&l);
}

static void two_circles_are_two(void **state)
{
    struct java_lock rows[] = {WAIT(0, 1), WAIT(1, 0), WAIT(2, 3), WAIT(3, 2), WAIT(4, 0)};
    struct java_locks l;
    (void)state;
    find(rows, 5, 5, &l);
    assert_int_equal(l.deadlock_count, 2);
    assert_int_equal(l.deadlocks[0].count, 2);
    assert_int_equal(l.deadlocks[1].count, 2);
    done(&l);
}

static void waiting_alone_is_no_deadlock(void **state)
{
    struct java_lock rows[] = {
        WAIT(0, 1),
        WAIT(1, 2),
        WAIT(2, -1), /* nobody is known to hold that lock */
        WAIT(3, 3),  /* a lock of one's own: the owner is just being set */
        {.thread = 4, .kind = JAVA_LOCK_WAITING, .holder = 5},
        {.thread = 5, .kind = JAVA_LOCK_HELD, .holder = 4},
    };
    struct java_locks l;
    (void)state;
    find(rows, 6, 6, &l);
    assert_int_equal(l.deadlock_count, 0);
    done(&l);
}

static void without_threads_there_is_none(void **state)
{
    struct java_locks l;
    (void)state;
    find(NULL, 0, 0, &l);
    assert_int_equal(l.deadlock_count, 0);
    done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_found_once_in_the_order_of_waiting),
        cmocka_unit_test(two_circles_are_two),
        cmocka_unit_test(waiting_alone_is_no_deadlock),
        cmocka_unit_test(without_threads_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
