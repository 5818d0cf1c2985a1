/*
 * The memory of a heap image, which both members of a pair read: what lies outside of the copy is
 * read by one of them at a time. SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/heapimage_copy.h"
#include "cmocka_all.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mem/mem_core.h"

enum { LOW = 1 << 20, HIGH = 2 << 20, READS = 2000000 };

/* It counts as only one thread at a time may. */
struct rest {
    struct mem mem;
    volatile uint64_t count;
};

static int read_rest(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct rest *r = (struct rest *)m;
    (void)addr;
    memset(dst, 7, len);
    r->count = r->count + 1;
    return 0;
}

static void read_outside(void *arg, int member)
{
    struct heapimage_copy *c = arg;
    unsigned char byte;
    for (int i = 0; i < READS; i++)
        (void)mem_read(&c->mem, HIGH + (uint64_t)member, &byte, 1);
}

static void both_members_read_what_is_outside_of_the_copy(void **state)
{
    (void)state;
    static const struct mem_ops ops = {.read = read_rest};
    struct rest rest = {.mem.ops = &ops};
    struct heap heap = {.low = LOW, .high = HIGH};
    struct heapimage_copy copy;
    assert_int_equal(heapimage_copy_open(&copy, &heap, &rest.mem), 0);
    pair_run(read_outside, &copy);
    assert_int_equal(rest.count, 2 * READS);
    heapimage_copy_close(&copy);
}

/* A core of some pages, all of whose bytes are 0x55, in a file of the same bytes. */
static void what_lies_behind_the_top_of_a_piece_is_not_taken(void **state)
{
    enum { PAGE = 4096, PAGES = 6 };
    static unsigned char bytes[PAGES * PAGE];
    struct heap heap = {.low = LOW, .high = LOW + sizeof(bytes)};
    /* the second piece begins in the last page of the first */
    const struct heap_range ranges[] = {{LOW, LOW + PAGE + 40, LOW + PAGE + 48},
                                        {LOW + PAGE + 48, LOW + 3 * PAGE + 8, LOW + 4 * PAGE},
                                        {LOW + 4 * PAGE, LOW + 5 * PAGE, LOW + 6 * PAGE}};
    struct mem_core_piece piece = {
        .start = LOW, .end = LOW + sizeof(bytes), .present = sizeof(bytes)};
    struct mem_core core = {.elf.bytes = bytes, .pieces = &piece, .piece_count = 1};
    struct heapimage_copy copy;
    const char *temp = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof(path), "%s/heapimage_copy_XXXXXX", temp ? temp : P_tmpdir);
    int fd = mkstemp(path);
    (void)state;
    memset(bytes, 0x55, sizeof(bytes));
    assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
    close(fd);
    assert_int_equal(heapimage_copy_open(&copy, &heap, &core.mem), 0);
    assert_int_equal(heapimage_copy_core(&copy, &core, path, ranges, 3), 0);
    unlink(path);
    for (uint64_t i = 0; i < sizeof(bytes); i++) {
        bool is_used = i < PAGE + 40 || (i >= PAGE + 48 && i < 3 * PAGE + 8) ||
                       (i >= 4 * PAGE && i < 5 * PAGE);
        assert_int_equal(copy.base[LOW + i - copy.page], is_used ? 0x55 : 0);
    }
    heapimage_copy_close(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_behind_the_top_of_a_piece_is_not_taken),
        cmocka_unit_test(both_members_read_what_is_outside_of_the_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
