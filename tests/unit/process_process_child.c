/*
 * process_process_child.c - children of this program: their bounds and their ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_child.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cmocka_all.h"

static const struct process_child_how plain = {.in = -1, .out = -1, .said = -1, .dies_by = SIGKILL};

static void wait_for_end(struct process_child *c)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    while (process_child_runs(c))
        nanosleep(&pause, NULL);
}

static void a_child_ends_with_its_status(void **state)
{
    (void)state;
    struct process_child c;
    if (process_child_start(&c, &plain) == 0)
        _exit(7);
    assert_true(c.pid > 0);
    assert_int_equal(process_child_status(&c), -1);
    wait_for_end(&c);
    assert_int_equal(process_child_status(&c), 7);
    assert_int_equal(c.pid, 0);
    assert_false(process_child_runs(&c));
}

static void its_input_is_empty_and_its_output_goes_where_it_was_told(void **state)
{
    (void)state;
    struct process_child c;
    int ends[2];
    char text[8] = "";
    assert_int_equal(pipe(ends), 0);
    struct process_child_how how = plain;
    how.out = ends[1];
    if (process_child_start(&c, &how) == 0) {
        char byte;
        _exit(read(STDIN_FILENO, &byte, 1) == 0 && write(STDOUT_FILENO, "said", 4) == 4 ? 0 : 1);
    }
    close(ends[1]);
    process_child_wait(&c);
    assert_int_equal(process_child_status(&c), 0);
    assert_int_equal(read(ends[0], text, sizeof(text)), 4);
    assert_string_equal(text, "said");
    close(ends[0]);
}

static void a_child_whose_time_is_over_is_told_and_then_killed(void **state)
{
    (void)state;
    struct process_child c;
    struct process_child_how how = plain;
    how.limit_ns = 1;
    how.leads_group = true;
    if (process_child_start(&c, &how) == 0)
        for (;;)
            pause();
    wait_for_end(&c);
    assert_int_equal(process_child_status(&c), 128 + SIGTERM);
    assert_int_equal(c.asked, 1);
    how.limit_ns = 0;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    if (process_child_start(&c, &how) == 0) {
        signal(SIGTERM, SIG_IGN);
        if (write(ready[1], "x", 1) == 1)
            for (;;)
                pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(process_child_runs(&c));
    process_child_end(&c);
    assert_true(process_child_runs(&c));
    process_child_end(&c);
    process_child_wait(&c);
    assert_int_equal(process_child_status(&c), 128 + SIGKILL);
    close(ready[0]);
    close(ready[1]);
}

static void a_file_of_a_child_has_a_bound(void **state)
{
    (void)state;
    struct process_child c;
    struct process_child_how how = plain;
    how.file_bytes = 10;
    if (process_child_start(&c, &how) == 0) {
        char name[] = "/tmp/hprof-child.XXXXXX";
        int fd = mkstemp(name);
        unlink(name);
        signal(SIGXFSZ, SIG_IGN);
        _exit(write(fd, "0123456789abc", 13) == 10 ? 0 : 1);
    }
    process_child_wait(&c);
    assert_int_equal(process_child_status(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_ends_with_its_status),
        cmocka_unit_test(its_input_is_empty_and_its_output_goes_where_it_was_told),
        cmocka_unit_test(a_child_whose_time_is_over_is_told_and_then_killed),
        cmocka_unit_test(a_file_of_a_child_has_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
