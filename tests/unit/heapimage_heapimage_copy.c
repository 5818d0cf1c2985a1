/*
 * The memory of a heap image, which both members of a pair read: what lies outside of the copy is
 * read by one of them at a time. SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/heapimage_copy.h"
#include "cmocka_all.h"
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_members_read_what_is_outside_of_the_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
