/*
 * safe_hs_calls.c - what was kept of a place in compiled code comes back whole, and is forgotten
 * when its nmethod goes, wherever what comes instead begins. A made-up code heap, no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "safe/hs_calls.h"
#include <errno.h>
#include <string.h>

enum {
    HEAP = 0x10000000,
    SEGMAP = 0x20000000,
    BLOCK = 128,
    ID = 12, /* offset of the compile id in the nmethod */
};

static struct hs_calls calls;
static unsigned char heap[4096], segmap[sizeof(heap) / BLOCK];

static int read_region(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    const unsigned char *from = addr >= SEGMAP ? segmap + (addr - SEGMAP) : heap + (addr - HEAP);
    if (addr - HEAP + len > sizeof(heap) && addr - SEGMAP + len > sizeof(segmap))
        return -EFAULT;
    memcpy(dst, from, len);
    return 0;
}

static const struct mem_ops region_ops = {.read = read_region};
static struct mem memory = {.ops = &region_ops};

/* A block of `segments` from that segment on, in use. */
static void put_block(unsigned first, unsigned segments)
{
    for (unsigned i = 0; i < segments; i++)
        segmap[first + i] = (unsigned char)i;
    heap[(size_t)first * BLOCK + 8] = 1;
}

static struct hs_layout make_vm(void)
{
    struct hs_layout l = {.block_size = 16, .block_used = 8, .nmethod_compile_id = ID};
    l.heaps[0] = (struct hs_heap){HEAP, HEAP + sizeof(heap), SEGMAP, 7};
    l.heap_count = 1;
    memset(heap, 0, sizeof(heap));
    memset(segmap, 0xff, sizeof(segmap));
    put_block(4, 6);
    heap[4 * BLOCK + 16 + ID] = 33;
    return l;
}

static void a_call_site_lives_as_long_as_its_nmethod(void **state)
{
    struct hs_layout l = make_vm();
    struct mem_view v = {.mem = &memory};
    const uint64_t pc = HEAP + 7 * BLOCK;
    struct hs_call call = {.pc = pc,
                           .blob = HEAP + 4 * BLOCK + 16,
                           .frame_size = 6,
                           .count = 2,
                           .level = 4,
                           .exact = 1,
                           .bci = {5, 7},
                           .method = {0x111, 0x222}},
                   found;
    hs_calls_add(&calls, &v, &l, &call);
    assert_true(hs_calls_find(&calls, &v, &l, pc, &found));
    assert_int_equal(found.frame_size, 6);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.bci[1], 7);
    assert_int_equal(found.method[1], 0x222);
    assert_false(hs_calls_find(&calls, &v, &l, pc + 8, &found));
    heap[4 * BLOCK + 16 + ID] = 34; /* another one in its place */
    assert_false(hs_calls_find(&calls, &v, &l, pc, &found));
    heap[4 * BLOCK + 16 + ID] = 33;
    put_block(3, 9); /* another one around it: the old id still lies there */
    assert_false(hs_calls_find(&calls, &v, &l, pc, &found));
    put_block(4, 6);
    assert_true(hs_calls_find(&calls, &v, &l, pc, &found));
    heap[4 * BLOCK + 8] = 0; /* freed */
    assert_false(hs_calls_find(&calls, &v, &l, pc, &found));
}

static void an_interrupted_instruction_is_no_call_site(void **state)
{
    struct hs_layout l = make_vm();
    struct mem_view v = {.mem = &memory};
    struct hs_call call = {.pc = HEAP + 8 * BLOCK,
                           .blob = HEAP + 4 * BLOCK + 16,
                           .frame_size = 6,
                           .count = 1,
                           .level = 4,
                           .bci = {-1},
                           .method = {0x111}},
                   found;
    hs_calls_forget(&calls);
    hs_calls_add_top(&calls, &v, &l, &call);
    assert_false(hs_calls_find(&calls, &v, &l, call.pc, &found));
    assert_true(hs_calls_find_top(&calls, &v, &l, call.pc, &found));
    assert_int_equal(found.bci[0], -1);
    assert_int_equal(found.method[0], 0x111);
    heap[4 * BLOCK + 16 + ID] = 34; /* another nmethod in its place */
    assert_false(hs_calls_find_top(&calls, &v, &l, call.pc, &found));
    heap[4 * BLOCK + 16 + ID] = 33;
    assert_true(hs_calls_find_top(&calls, &v, &l, call.pc, &found));
    hs_calls_forget(&calls);
    assert_false(hs_calls_find_top(&calls, &v, &l, call.pc, &found));
}

static void all_levels_of_inlining_are_kept(void **state)
{
    struct hs_layout l = make_vm();
    struct mem_view v = {.mem = &memory};
    struct hs_call call = {.pc = HEAP + 8 * BLOCK,
                           .blob = HEAP + 4 * BLOCK + 16,
                           .frame_size = 6,
                           .count = HS_CALLS_LEVELS,
                           .exact = 1},
                   found;
    for (int i = 0; i < HS_CALLS_LEVELS; i++) {
        call.method[i] = 0x7f0000000000 + (uint64_t)i * 8;
        call.bci[i] = i == 3 ? 65534 : i - 1;
        call.name[i] = 100u + (uint32_t)i;
    }
    hs_calls_add(&calls, &v, &l, &call);
    assert_true(hs_calls_find(&calls, &v, &l, call.pc, &found));
    assert_int_equal(found.count, HS_CALLS_LEVELS);
    assert_memory_equal(found.method, call.method, sizeof(call.method));
    assert_memory_equal(found.bci, call.bci, sizeof(call.bci));
    assert_memory_equal(found.name, call.name, sizeof(call.name));
    hs_calls_forget(&calls);
    call.count = HS_CALLS_LEVELS + 1; /* more than there is room for */
    hs_calls_add(&calls, &v, &l, &call);
    assert_false(hs_calls_find(&calls, &v, &l, call.pc, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_site_lives_as_long_as_its_nmethod),
        cmocka_unit_test(an_interrupted_instruction_is_no_call_site),
        cmocka_unit_test(all_levels_of_inlining_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
