/*
 * safe_hs_calls_order.c - hs_calls.c in all orders that the memory model of C allows: who reads an
 * entry while it is replaced has the old one, the new one or none, and no mixture.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "litmus.h"
#include "cmocka_all.h"
#include "litmus/stdatomic.h"
#include "safe/hs_calls.c"
#include <errno.h>
#include <string.h>

enum { HEAP = 0x10000000, SEGMAP = 0x20000000, BLOCK = 128, ID = 12 };

static struct hs_calls calls;
static unsigned char heap[4096], segmap[sizeof(heap) / BLOCK];

static int read_region(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    const unsigned char *from = addr >= SEGMAP ? segmap + (addr - SEGMAP) : heap + (addr - HEAP);
    (void)m;
    if (addr - HEAP + len > sizeof(heap) && addr - SEGMAP + len > sizeof(segmap))
        return -EFAULT;
    memcpy(dst, from, len);
    return 0;
}

static const struct mem_ops region_ops = {.read = read_region};
static struct mem memory = {.ops = &region_ops};
static struct hs_layout layout;
static const uint64_t pc = HEAP + 7 * BLOCK;

/* The same place in code, as two walks found it. */
static struct hs_call call_of(int number)
{
    return (struct hs_call){.pc = pc,
                            .blob = HEAP + 4 * BLOCK + 16,
                            .frame_size = 10 + number,
                            .count = 1,
                            .generation = 20u + (uint32_t)number,
                            .bci = {(int16_t)(30 + number)},
                            .method = {(uint64_t)(0x400 + number)}};
}

static void add_call(int number)
{
    struct mem_view v = {.mem = &memory};
    struct hs_call call = call_of(number);
    hs_calls_add(&calls, &v, &layout, &call);
}

static void make(void)
{
    layout = (struct hs_layout){.block_size = 16, .block_used = 8, .nmethod_compile_id = ID};
    layout.heaps[0] = (struct hs_heap){HEAP, HEAP + sizeof(heap), SEGMAP, 7};
    layout.heap_count = 1;
    memset(&calls, 0, sizeof(calls));
    memset(segmap, 0xff, sizeof(segmap));
    for (unsigned i = 0; i < 6; i++)
        segmap[4 + i] = (unsigned char)i;
    heap[4 * BLOCK + 8] = 1;
    heap[4 * BLOCK + 16 + ID] = 33;
    add_call(0);
}

static void writer_1(void)
{
    add_call(1);
}

static void writer_2(void)
{
    add_call(2);
}

static void reader(void)
{
    struct mem_view v = {.mem = &memory};
    struct hs_call found;
    if (!hs_calls_find(&calls, &v, &layout, pc, &found))
        return;
    int number = found.frame_size - 10;
    litmus_require(number >= 0 && number <= 2 && found.generation == 20u + (uint32_t)number &&
                       found.bci[0] == 30 + number && found.method[0] == 0x400u + (uint32_t)number,
                   "an entry that is a mixture");
}

static void the_last_is_there(void)
{
    struct mem_view v = {.mem = &memory};
    struct hs_call found;
    litmus_require(hs_calls_find(&calls, &v, &layout, pc, &found),
                   "an entry that stays unreadable");
}

static const struct litmus replaced = {make, {writer_1, reader}, the_last_is_there, 2};
static const struct litmus twice = {make, {writer_1, writer_2, reader}, the_last_is_there, 1};

static void an_entry_is_read_whole_or_not_at_all(void **state)
{
    (void)state;
    const struct litmus *all[] = {&replaced, &twice};
    for (int i = 0; i < 2; i++) {
        uint64_t executions = litmus_run(all[i]);
        if (executions == 0)
            fail_msg("%s", litmus_wrong());
        print_message("%lu executions\n", (unsigned long)executions);
        assert_true(executions > 1000);
    }
}

/* Three of four: the exchange by which a writer takes the entry must see all of the writer before
 * it, whose stores its own follow; litmus.c has no stores that overtake each other in one word. */
static void each_order_but_that_of_the_exchange_is_needed(void **state)
{
    int lines[64], count = litmus_lines(lines, 64), needed = 0;
    (void)state;
    assert_int_equal(count, 4);
    for (int i = 0; i < count; i++) {
        litmus_weaken(lines[i]);
        bool is_wrong = litmus_run(&replaced) == 0 || litmus_run(&twice) == 0;
        needed += is_wrong;
        print_message("line %d relaxed: %s\n", lines[i], is_wrong ? litmus_wrong() : "no harm");
    }
    litmus_weaken(0);
    assert_int_equal(needed, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_read_whole_or_not_at_all),
        cmocka_unit_test(each_order_but_that_of_the_exchange_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
