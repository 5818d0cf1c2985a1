/*
 * agent_frozen_track.c - the pages that the kernel says were written are those that were, through
 * two views of one memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_track.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cmocka_all.h"

enum { PAGE = 4096, PAGES = 3000, ROUNDS = 20, WRITES = 200 };

static uint64_t seed = 1;
static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

static unsigned char *views[2];
static bool told[PAGES];

static void see(void *arg, uint64_t low, uint64_t high)
{
    uint64_t base = (uint64_t)(uintptr_t)arg;
    assert_true(low >= base && low < high && high <= base + (uint64_t)PAGES * PAGE);
    for (uint64_t at = low; at < high; at += PAGE)
        told[(at - base) / PAGE] = true;
}

static void ask(const struct frozen_track *t)
{
    memset(told, 0, sizeof(told));
    for (int i = 0; i < 2; i++) {
        uint64_t low = (uint64_t)(uintptr_t)views[i];
        frozen_track_written(t, low, low + (uint64_t)PAGES * PAGE, see, views[i]);
    }
}

static void clear(const struct frozen_track *t)
{
    for (int i = 0; i < 2; i++) {
        uint64_t low = (uint64_t)(uintptr_t)views[i];
        assert_int_equal(frozen_track_watch(t, low, low + (uint64_t)PAGES * PAGE), 0);
        assert_int_equal(frozen_track_clear(t, low, low + (uint64_t)PAGES * PAGE), 0);
    }
}

static void make_views(void)
{
    int fd = memfd_create("views", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, (off_t)PAGES * PAGE) == 0);
    for (int i = 0; i < 2; i++) {
        views[i] = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(views[i], MAP_FAILED);
    }
    memset(views[0], 1, (size_t)PAGES / 2 * PAGE); /* the rest has no memory yet */
    close(fd);
}

static void writes_are_told(void **state)
{
    struct frozen_track t;
    const char *why = frozen_track_open(&t);
    (void)state;
    if (why) {
        print_message("%s\n", why);
        skip();
    }
    make_views();
    for (int round = 0; round < ROUNDS; round++) {
        bool written[PAGES] = {false};
        clear(&t);
        ask(&t);
        for (int i = 0; i < PAGES; i++)
            assert_false(told[i]);
        for (int i = 0; i < WRITES; i++) {
            uint64_t page = next_random() % PAGES;
            views[next_random() % 2][page * PAGE + next_random() % PAGE]++;
            written[page] = true;
        }
        ask(&t);
        assert_memory_equal(told, written, sizeof(told));
    }
    frozen_track_leave(&t, (uint64_t)(uintptr_t)views[0],
                       (uint64_t)(uintptr_t)(views[0] + (size_t)PAGES * PAGE));
    ask(&t);
    for (int i = 0; i < PAGES; i++)
        assert_true(told[i]); /* what is not watched may have been written */
    frozen_track_close(&t);
}

/* A page of a memory that is given back and taken again, at the same place. */
static void what_is_mapped_anew_is_told(void **state)
{
    struct frozen_track t;
    (void)state;
    if (frozen_track_open(&t))
        skip();
    make_views();
    clear(&t);
    assert_ptr_not_equal(mmap(views[1] + (size_t)7 * PAGE, (size_t)5 * PAGE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                         MAP_FAILED);
    ask(&t);
    for (int i = 0; i < PAGES; i++)
        assert_int_equal(told[i], i >= 7 && i < 12);
    frozen_track_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_told),
        cmocka_unit_test(what_is_mapped_anew_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
