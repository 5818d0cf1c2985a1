/*
 * attach_threaddump.c - the text of a thread dump as threads with frames and locks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/threaddump.h"
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

#define HEAD                                                                                       \
    "2026-11-29 14:00:00\nFull thread dump OpenJDK 64-Bit Server VM (11.0.33+8 mixed mode):\n\n"
#define WAITER                                                                                     \
    "\"waiter\" #13 daemon prio=10 os_prio=0 tid=0x00007fbc582a5000 nid=0x3e74 in Object.wait()\n"
#define WAIT_FRAMES                                                                                \
    "\tat java.lang.Object.wait(java.base@11.0.33/Native Method)\n"                                \
    "\t- waiting on <0x000000069ed51040> (a java.lang.Object)\n"                                   \
    "\tat StackDemo.await(StackDemo.java:32)\n"                                                    \
    "\t- waiting to re-lock in wait() <0x000000069ed51040> (a java.lang.Object)\n"

static struct threaddump parsed(const char *text)
{
    struct threaddump d = {0};
    assert_int_equal(threaddump_parse(&d, text, strlen(text)), 0);
    return d;
}

static bool is(struct threaddump_text t, const char *text)
{
    return t.len == strlen(text) && memcmp(t.at, text, t.len) == 0;
}

static void a_thread_in_wait_waits_for_no_lock(void **state)
{
    (void)state;
    struct threaddump d = parsed(HEAD WAITER "   java.lang.Thread.State: WAITING (on object "
                                             "monitor)\n" WAIT_FRAMES "\n");
    assert_int_equal(d.count, 1);
    assert_true(is(d.threads[0].name, "waiter"));
    assert_int_equal(d.threads[0].id, 13);
    assert_int_equal(d.threads[0].count, 4);
    const struct threaddump_line *l = &d.lines[d.threads[0].first];
    assert_int_equal(l[0].lock, THREADDUMP_NO_LOCK);
    assert_int_equal(l[1].lock, THREADDUMP_IN_WAIT);
    assert_int_equal(l[3].lock, THREADDUMP_IN_WAIT);
    assert_true(is(l[3].object, "0x000000069ed51040"));
    assert_true(is(l[3].class_name, "java.lang.Object"));
    threaddump_done(&d);
}

static void a_thread_that_was_notified_waits_for_the_lock(void **state)
{
    (void)state;
    struct threaddump d = parsed(HEAD WAITER "   java.lang.Thread.State: BLOCKED (on object "
                                             "monitor)\n" WAIT_FRAMES "\n");
    assert_int_equal(d.lines[3].lock, THREADDUMP_WAITING);
    threaddump_done(&d);
}

static void synchronizers_behind_an_empty_line_belong_to_the_thread(void **state)
{
    (void)state;
    struct threaddump d =
        parsed(HEAD "\"holder\" #12 prio=7\n   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
                    "\tat A.b(A.java:1)\n\t- locked <0x10> (a A)\n\n"
                    "   Locked ownable synchronizers:\n"
                    "\t- <0x20> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)\n\n"
                    "\"VM Thread\" os_prio=0 tid=0x1 nid=0x2 runnable\n\nJNI global refs: 1\n");
    assert_int_equal(d.count, 2);
    assert_int_equal(d.threads[0].count, 3);
    assert_int_equal(d.lines[1].lock, THREADDUMP_LOCKED);
    assert_int_equal(d.lines[2].lock, THREADDUMP_OWNED);
    assert_int_equal(d.threads[1].count, 0);
    assert_int_equal(d.threads[1].id, -1);
    threaddump_done(&d);
}

static void a_cut_dump_has_what_came_before(void **state)
{
    (void)state;
    static const char text[] = HEAD WAITER WAIT_FRAMES;
    for (size_t len = 0; len < sizeof(text); len++) {
        struct threaddump d = {0};
        char *copy = malloc(len + 1);
        assert_non_null(copy);
        memcpy(copy, text, len);
        assert_int_equal(threaddump_parse(&d, copy, len), 0);
        assert_true(d.count <= 1 && d.line_count <= 4);
        threaddump_done(&d);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_in_wait_waits_for_no_lock),
        cmocka_unit_test(a_thread_that_was_notified_waits_for_the_lock),
        cmocka_unit_test(synchronizers_behind_an_empty_line_belong_to_the_thread),
        cmocka_unit_test(a_cut_dump_has_what_came_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
