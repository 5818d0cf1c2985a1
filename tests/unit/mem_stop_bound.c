/* mem_stop_bound.c - how long a process may be stopped, and what is read meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mem/mem_stop.h"
#include "cmocka_all.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mem/mem_live.h"

enum { PAGES = 1000, PAGE_BYTES = 4096 };

static void a_stop_is_over_when_its_time_is(void **state)
{
    struct mem_stop_bound b = {.most_ns = 100};
    (void)state;
    mem_stop_bound_begin(&b, 1000);
    assert_false(mem_stop_bound_is_over(&b, 1000));
    assert_false(mem_stop_bound_is_over(&b, 1099));
    assert_false(b.was_over);
    assert_true(mem_stop_bound_is_over(&b, 1100));
    assert_true(b.was_over);
}

static void a_stop_that_was_over_stays_so_until_the_next(void **state)
{
    struct mem_stop_bound b = {.most_ns = 100};
    (void)state;
    mem_stop_bound_begin(&b, 1000);
    assert_true(mem_stop_bound_is_over(&b, 2000));
    assert_true(mem_stop_bound_is_over(&b, 1000));
    mem_stop_bound_begin(&b, 3000);
    assert_false(b.was_over);
    assert_false(mem_stop_bound_is_over(&b, 3050));
}

static void without_a_bound_no_stop_is_over(void **state)
{
    struct mem_stop_bound b = {.most_ns = 0};
    (void)state;
    mem_stop_bound_begin(&b, 1000);
    assert_false(mem_stop_bound_is_over(&b, UINT64_MAX));
}

/* A process whose pages each begin with *value. */
static unsigned char *area;

static pid_t start(void)
{
    area = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(area, MAP_FAILED);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    munmap(area, (size_t)PAGES * PAGE_BYTES);
}

static void fill(unsigned char value)
{
    for (int i = 0; i < PAGES; i++)
        area[(size_t)i * PAGE_BYTES] = value;
}

/* How many pages have this value; the others are not read. */
static int count(struct mem_live *live, unsigned char value)
{
    int found = 0;
    for (int i = 0; i < PAGES; i++) {
        unsigned char byte;
        if (mem_read(&live->mem, (uint64_t)(area + (size_t)i * PAGE_BYTES), &byte, 1) < 0)
            continue;
        assert_int_equal(byte, value);
        found++;
    }
    return found;
}

static bool after_some(void *with)
{
    int *left = with;
    return --*left <= 0;
}

static void a_cache_that_is_sealed_has_what_was_read_and_counts_the_rest(void **state)
{
    struct mem_live live;
    int left = 2;
    (void)state;
    pid_t pid = start();
    fill(1);
    assert_int_equal(mem_live_open(pid, &live), 0);
    if (count(&live, 1) == 0)
        skip(); /* some sandboxes forbid to read other processes */
    fill(2);
    live.is_over = after_some;
    live.is_over_with = &left;
    mem_live_age(&live);
    mem_live_refresh(&live, 0);
    assert_true(live.is_sealed);
    fill(3);
    int found = count(&live, 2); /* neither the old ones nor what came later */
    assert_in_range(found, 1, PAGES - 1);
    assert_int_equal(live.missing, PAGES - found);
    mem_live_unseal(&live);
    fill(2);
    assert_int_equal(count(&live, 2), PAGES);
    mem_live_close(&live);
    end(pid);
}

static void pages_of_the_first_rank_are_read_first(void **state)
{
    struct mem_live live;
    unsigned char byte;
    int left = 1;
    uint64_t last;
    (void)state;
    pid_t pid = start();
    last = (uint64_t)(area + (size_t)(PAGES - 1) * PAGE_BYTES);
    fill(1);
    assert_int_equal(mem_live_open(pid, &live), 0);
    if (mem_read(&live.mem, last, &byte, 1) < 0)
        skip();
    live.rank = 1;
    assert_int_equal(count(&live, 1), PAGES);
    fill(2);
    mem_live_age(&live);
    mem_live_refresh(&live, 0);
    live.is_over = after_some;
    live.is_over_with = &left;
    mem_live_refresh(&live, 1);
    assert_true(live.is_sealed);
    assert_int_equal(mem_read(&live.mem, last, &byte, 1), 0);
    assert_int_equal(byte, 2);
    assert_in_range(count(&live, 2), 2, PAGES - 1);
    mem_live_close(&live);
    end(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_is_over_when_its_time_is),
        cmocka_unit_test(a_stop_that_was_over_stays_so_until_the_next),
        cmocka_unit_test(without_a_bound_no_stop_is_over),
        cmocka_unit_test(a_cache_that_is_sealed_has_what_was_read_and_counts_the_rest),
        cmocka_unit_test(pages_of_the_first_rank_are_read_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
