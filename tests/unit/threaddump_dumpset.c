/*
 * threaddump_dumpset.c - thread dumps of each form, alone and among other lines, over time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpset.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "threaddump/dumpseries.h"

#define BEGIN(version) "Full thread dump OpenJDK 64-Bit Server VM (" version " mixed mode):\n\n"
#define HOLDER(state)                                                                              \
    "\"holder\" #12 prio=5 os_prio=0 cpu=10.00ms elapsed=1.00s tid=0x10 nid=0x1 waiting\n"         \
    "   java.lang.Thread.State: " state "\n\tat A.hold(A.java:1)\n\t- locked <0x20> (a A)\n\n"
#define WANTS                                                                                      \
    "\"wants\" #13 prio=5 os_prio=0 tid=0x11 nid=0x2 waiting for monitor entry\n"                  \
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat A.want(A.java:2)\n"              \
    "\t- waiting to lock <0x20> (a A)\n\n"

static struct dumpset found(const char *text, uint32_t count)
{
    struct dumpset set = {0};
    assert_int_equal(dumpset_read_text(&set, "file", text, strlen(text)), count);
    assert_int_equal(set.count, count);
    return set;
}

static bool is(struct threaddump_text t, const char *text)
{
    return t.len == strlen(text) && memcmp(t.at, text, t.len) == 0;
}

static void lines_of_a_log_and_stacks_of_exceptions_are_no_part_of_a_dump(void **state)
{
    (void)state;
    struct dumpset set = found(
        "a line\n2026-11-29 10:00:00\n" BEGIN(
            "17") "\"a\" #1 prio=5 tid=0x1 nid=0x1 runnable\n"
                  "   java.lang.Thread.State: RUNNABLE\n\tat A.a(A.java:1)\n2026 INFO a line\n"
                  "java.io.IOException: text\n\tat X.x(X.java:1)\n\tat X.y(X.java:2)\n\n"
                  "\"b\" #2 prio=5 tid=0x2 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n"
                  "\tat B.b(B.java:1)\n\nJNI global refs: 5\n\tat Z.z(Z.java:1)\nHeap\n",
        1);
    assert_string_equal(set.dumps[0].about.when, "2026-11-29 10:00:00");
    assert_string_equal(set.dumps[0].about.vm, "OpenJDK 64-Bit Server VM (17 mixed mode)");
    assert_int_equal(set.dumps[0].about.line, 2);
    assert_int_equal(set.dumps[0].threads.count, 2);
    assert_int_equal(set.dumps[0].threads.line_count, 2);
    assert_int_equal(set.dumps[0].about.foreign, 4);
    dumpset_done(&set);
}

static void a_prefix_of_a_logger_is_taken_away(void **state)
{
    (void)state;
    struct dumpset set = found(
        "10:00:01.001Z host | " BEGIN(
            "21") "10:00:01.002Z host | \"a b\" #1 prio=5 tid=0x1 "
                  "nid=0x1 runnable\n10:00:01.002Z host |    java.lang.Thread.State: RUNNABLE\n"
                  "10:00:02.002Z other | a line\n10:00:01.003Z host | \tat A.a(A.java:1)\n",
        1);
    assert_int_equal(set.dumps[0].threads.count, 1);
    assert_true(is(set.dumps[0].threads.threads[0].name, "a b"));
    assert_int_equal(set.dumps[0].threads.line_count, 1);
    assert_true(set.dumps[0].about.foreign > 0);
    dumpset_done(&set);
}

static void a_prefix_may_stand_in_front_of_the_first_line_alone(void **state)
{
    (void)state;
    struct dumpset set = found("INFO: " BEGIN("21") HOLDER("RUNNABLE") WANTS, 1);
    assert_int_equal(set.dumps[0].threads.count, 2);
    dumpset_done(&set);
}

static void jdk_5_has_the_state_in_the_first_line(void **state)
{
    (void)state;
    struct dumpset set = found("Full thread dump Java HotSpot(TM) Server VM (1.5.0_22-b03):\n\n"
                               "\"t\" prio=1 tid=0x1 nid=0x2 waiting for monitor entry [0x1]\n"
                               "\tat A.a(A.java:1)\n\t- waiting to lock <0x20> (a A)\n\n"
                               "\"w\" daemon prio=1 tid=0x2 nid=0x3 in Object.wait() [0x2]\n"
                               "\tat java.lang.Object.wait(Native Method)\n\n"
                               "\"VM Thread\" prio=1 tid=0x3 nid=0x4 runnable\n",
                               1);
    const struct threaddump *d = &set.dumps[0].threads;
    assert_int_equal(d->count, 3);
    assert_true(is(threaddump_state(&d->threads[0]), "BLOCKED"));
    assert_true(is(threaddump_state(&d->threads[1]), "WAITING"));
    assert_int_equal(d->threads[2].state.len, 0);
    assert_false(set.dumps[0].about.has_states);
    dumpset_done(&set);
}

static void a_file_of_jdk_21_has_neither_states_nor_locks(void **state)
{
    (void)state;
    struct dumpset set =
        found("4711\n2026-11-29T10:00:00.5Z\n21.0.1+12\n\n#1 \"main\"\n"
              "      A.main(A.java:1)\n\n#22 \"\" virtual\n"
              "      java.base/java.lang.VirtualThread.park(VirtualThread.java:1)\n"
              "      A.lambda$main$0(A.java:3)\n\n",
              1);
    const struct threaddump *d = &set.dumps[0].threads;
    assert_string_equal(set.dumps[0].about.pid, "4711");
    assert_string_equal(set.dumps[0].about.vm, "21.0.1+12");
    assert_int_equal(d->count, 2);
    assert_int_equal(d->threads[1].id, 22);
    assert_true(is(d->threads[1].head, "#22 virtual"));
    assert_true(is(d->threads[1].state, "WAITING"));
    assert_int_equal(d->threads[1].count, 2);
    dumpset_done(&set);
}

#define THREAD_JSON(tid, name, more)                                                               \
    "{\"tid\": " tid ", \"name\": \"" name "\", \"state\": \"WAITING\", " more                     \
    ", \"stack\": [\"A.a(A.java:1)\", \"A.b(A.java:2)\"]}"
#define DUMP_JSON(threads)                                                                         \
    "{\"threadDump\": {\"processId\": 7, \"time\": \"2026-11-29T10:00:00Z\", "                     \
    "\"runtimeVersion\": \"27\", \"threadContainers\": [{\"container\": \"<root>\", "              \
    "\"threads\": [" threads "], \"threadCount\": \"2\"}]}}\n"

static void a_circle_in_a_file_of_json_is_a_deadlock(void **state)
{
    (void)state;
    struct dumpset set = found(
        DUMP_JSON(
            THREAD_JSON("5", "a \\\"x\\\"", "\"parkBlocker\": {\"object\": \"L@1\", \"owner\": 6}") "," THREAD_JSON(
                "6", "b",
                "\"blockedOn\": \"M@2\"") "," THREAD_JSON("5", "c",
                                                          "\"monitorsOwned\": [{\"depth\": 1, "
                                                          "\"locks\": [null]}]")),
        1);
    assert_int_equal(set.dumps[0].threads.deadlocks, 0); /* nobody has M@2 */
    dumpset_done(&set);
    set = found(
        DUMP_JSON(THREAD_JSON(
            "5", "a \\\"x\\\"",
            "\"monitorsOwned\": [{\"depth\": 1, \"locks\": [\"M@2\"]}], "
            "\"parkBlocker\": {\"object\": \"L@1\", \"owner\": 6}") "," THREAD_JSON("6", "b",
                                                                                    "\"state\": "
                                                                                    "\"BLOCKED\", "
                                                                                    "\"blockedOn\":"
                                                                                    " \"M@2\"")),
        1);
    const struct threaddump *d = &set.dumps[0].threads;
    assert_int_equal(d->deadlocks, 1);
    assert_int_equal(d->dead_count, 2);
    assert_true(is(d->threads[0].name, "a 'x'"));
    assert_true(is(d->lines[d->threads[0].first + 1].class_name, "L"));
    dumpset_done(&set);
}

static void what_comes_before_damage_is_kept(void **state)
{
    (void)state;
    struct dumpset set = {0};
    static const char text[] =
        DUMP_JSON(THREAD_JSON("5", "a", "\"virtual\": true")) "{\"threadDump\": [1, 2";
    assert_int_equal(dumpset_read_text(&set, "file", text, strlen(text)), E_FORMAT);
    assert_int_equal(set.count, 1);
    dumpset_done(&set);
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        struct dumpset cut = {0};
        dumpset_read_text(&cut, "file", text, len);
        assert_true(cut.count <= 1);
        dumpset_done(&cut);
    }
}

static void a_thread_that_waits_in_all_dumps_is_blocked(void **state)
{
    (void)state;
    struct dumpset set =
        found(BEGIN("17") HOLDER("RUNNABLE") WANTS BEGIN("17") HOLDER("TIMED_WAITING (sleeping)")
                  WANTS "\"new\" #14 prio=5 tid=0x12 nid=0x3 runnable\n"
                        "   java.lang.Thread.State: RUNNABLE\n\tat A.n(A.java:3)\n",
              2);
    struct dumpseries s;
    assert_int_equal(dumpseries_make(&set, &s), 0);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.begun, 1);
    assert_int_equal(s.ended, 0);
    assert_false(s.threads[0].is_same_stack); /* its state is another one */
    assert_true(s.threads[1].is_blocked && s.threads[1].is_same_stack);
    assert_int_equal(dumplocks_blocker(&s.locks[0], 1), 0);
    dumpseries_done(&s);
    dumpset_done(&set);
}

static void dumps_of_two_jvms_are_not_compared(void **state)
{
    (void)state;
    struct dumpset set = found(BEGIN("17") "\"Finalizer\" #3 prio=5 tid=0x12 nid=0x3 x\n" BEGIN(
                                   "17") "\"Finalizer\" #3 prio=5 tid=0x13 nid=0x3 x\n",
                               2);
    struct dumpseries s;
    assert_int_equal(dumpseries_make(&set, &s), 0);
    assert_true(s.is_mixed);
    dumpseries_done(&s);
    dumpset_done(&set);
}

static void a_chain_of_threads_is_counted_at_its_front(void **state)
{
    (void)state;
    struct dumpset set = found(
        BEGIN("17") HOLDER(
            "RUNNABLE") "\"middle\" #13 prio=5 tid=0x11 nid=0x2 x\n"
                        "   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat "
                        "A.m(A.java:2)\n"
                        "\t- waiting to lock <0x20> (a A)\n\t- locked <0x30> (a B)\n\n"
                        "\"last\" #14 prio=5 tid=0x12 nid=0x3 x\n   java.lang.Thread.State: "
                        "BLOCKED (on "
                        "object monitor)\n\tat A.l(A.java:4)\n\t- waiting to lock <0x30> (a B)\n",
        1);
    struct dumplocks l;
    assert_int_equal(dumplocks_make(&set.dumps[0].threads, &l), 0);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.locks[0].waiting, 1);
    assert_int_equal(l.locks[0].blocked, 2);
    assert_int_equal(l.locks[0].holder, 0);
    assert_int_equal(l.locks[1].holder, 1);
    dumplocks_done(&l);
    dumpset_done(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_log_and_stacks_of_exceptions_are_no_part_of_a_dump),
        cmocka_unit_test(a_prefix_of_a_logger_is_taken_away),
        cmocka_unit_test(a_prefix_may_stand_in_front_of_the_first_line_alone),
        cmocka_unit_test(jdk_5_has_the_state_in_the_first_line),
        cmocka_unit_test(a_file_of_jdk_21_has_neither_states_nor_locks),
        cmocka_unit_test(a_circle_in_a_file_of_json_is_a_deadlock),
        cmocka_unit_test(what_comes_before_damage_is_kept),
        cmocka_unit_test(a_thread_that_waits_in_all_dumps_is_blocked),
        cmocka_unit_test(dumps_of_two_jvms_are_not_compared),
        cmocka_unit_test(a_chain_of_threads_is_counted_at_its_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
