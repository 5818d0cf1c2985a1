/*
 * agent_fd_room.c - how many descriptors may be taken, with a limit of this process's own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/fd_room.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cmocka_all.h"

enum { LIMIT = 256, ALL = LIMIT };

static int opened[ALL], count;

/* Opens files until `left` more can be opened. */
static void leave(long left)
{
    while (fd_room_free() > left) {
        opened[count] = open("/dev/null", O_RDONLY);
        assert_true(opened[count++] >= 0);
    }
    assert_int_equal(fd_room_free(), left);
}

static int set_up(void **state)
{
    struct rlimit limit = {LIMIT, LIMIT};
    (void)state;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

static int close_all(void **state)
{
    (void)state;
    while (count > 0)
        close(opened[--count]);
    return 0;
}

static void each_open_file_takes_one(void **state)
{
    long before = fd_room_free();
    (void)state;
    assert_int_equal(fd_room_limit(), LIMIT);
    assert_true(before > 0 && before < LIMIT);
    leave(before - 10);
    assert_int_equal(count, 10);
    close_all(NULL);
    assert_int_equal(fd_room_free(), before);
}

static void none_is_free_when_no_file_can_be_opened(void **state)
{
    (void)state;
    leave(0);
    assert_int_equal(open("/dev/null", O_RDONLY), -1);
}

static void a_32nd_of_the_limit_is_granted(void **state)
{
    (void)state;
    assert_true(fd_room_grants(0));
    assert_true(fd_room_grants(LIMIT / 32 - 1));
    assert_false(fd_room_grants(LIMIT / 32));
}

static void nothing_is_granted_unless_a_quarter_is_free(void **state)
{
    (void)state;
    leave(LIMIT / 4);
    assert_true(fd_room_grants(0));
    leave(LIMIT / 4 - 1);
    assert_false(fd_room_grants(0));
}

static void below_an_eighth_all_is_given_back(void **state)
{
    (void)state;
    leave(LIMIT / 8);
    assert_false(fd_room_is_short());
    leave(LIMIT / 8 - 1);
    assert_true(fd_room_is_short());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_open_file_takes_one, close_all),
        cmocka_unit_test_teardown(none_is_free_when_no_file_can_be_opened, close_all),
        cmocka_unit_test(a_32nd_of_the_limit_is_granted),
        cmocka_unit_test_teardown(nothing_is_granted_unless_a_quarter_is_free, close_all),
        cmocka_unit_test_teardown(below_an_eighth_all_is_given_back, close_all),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
