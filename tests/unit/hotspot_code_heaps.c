/*
 * hotspot_code_heaps.c - how full a code heap is, and when the VM's own counters are believed. The
 * heap is made here, with the offsets that `field` gives; the functions of target.h are this
 * file's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "hotspot/code_heaps.h"
#include <stdio.h>
#include <string.h>
#include "hotspot/target.h"
#include "safe/mem.h"

enum { SEGMENT = 128, SEGMENTS = 8, COMMITTED = 6, LOG2_SEGMENT = 7 };
enum { NMETHOD = 1, ADAPTER = 3, STUB = 7 };

struct block {
    uint64_t length;
    bool is_used;
    int32_t blob_size;
    uint8_t kind;
};

struct heap {
    uint64_t low, high, low_boundary;
    int32_t log2_segment;
    uint64_t freelist;
    const char *name;
    int32_t type, blobs, nmethods, adapters, full;
};

static struct {
    _Alignas(SEGMENT) unsigned char code[SEGMENTS * SEGMENT];
    uint8_t segmap[SEGMENTS];
    struct heap heap;
    struct hs_layout layout;
    struct target target;
} vm;

/* ---- target.h, for the VM above */

int32_t target_field(const struct target *t, const char *type, const char *name, int32_t otherwise)
{
    static const struct {
        const char *type, *name;
        int32_t offset;
    } fields[] = {
        {"CodeHeap", "_memory", 0},
        {"CodeHeap", "_log2_segment_size", offsetof(struct heap, log2_segment)},
        {"VirtualSpace", "_low", offsetof(struct heap, low)},
        {"VirtualSpace", "_high", offsetof(struct heap, high)},
        {"VirtualSpace", "_low_boundary", offsetof(struct heap, low_boundary)},
        {"HeapBlock::Header", "_length", offsetof(struct block, length)},
    };
    (void)t;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (strcmp(fields[i].type, type) == 0 && strcmp(fields[i].name, name) == 0)
            return fields[i].offset;
    return otherwise;
}

int32_t target_size(const struct target *t, const char *type)
{
    (void)t;
    return strcmp(type, "CodeHeap") == 0 ? (int32_t)sizeof(struct heap) : -1;
}

uint64_t target_static_value(const struct target *t, const char *type, const char *name,
                             size_t size)
{
    (void)t;
    (void)type;
    (void)size;
    return strcmp(name, "_heap") == 0 ? (uint64_t)(uintptr_t)&vm.heap : 0;
}

static bool is_mapped(uint64_t addr)
{
    uint64_t first = (uint64_t)(uintptr_t)&vm;
    return addr >= first && addr < first + sizeof(vm);
}

uint64_t target_u8(const struct target *t, uint64_t addr)
{
    (void)t;
    return is_mapped(addr) ? *(const uint64_t *)(uintptr_t)addr : 0;
}

uint32_t target_u4(const struct target *t, uint64_t addr)
{
    (void)t;
    return is_mapped(addr) ? *(const uint32_t *)(uintptr_t)addr : 0;
}

int target_text(const struct target *t, uint64_t addr, char *dst, size_t size)
{
    (void)t;
    if (addr != (uint64_t)(uintptr_t)vm.heap.name || addr == 0)
        return -1;
    snprintf(dst, size, "%s", vm.heap.name);
    return (int)strlen(dst);
}

static int read_memory(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    (void)m;
    if (!is_mapped(addr))
        return -EFAULT;
    memcpy(dst, (const void *)(uintptr_t)addr, len);
    return 0;
}

/* ---- the heap */

static void put(int segment, int length, bool is_used, uint8_t kind)
{
    struct block *b = (struct block *)(void *)(vm.code + segment * SEGMENT);
    *b = (struct block){.length = (uint64_t)length,
                        .is_used = is_used,
                        .blob_size = length * SEGMENT - (int32_t)offsetof(struct block, blob_size),
                        .kind = kind};
    for (int i = 0; i < length; i++)
        vm.segmap[segment + i] = (uint8_t)i;
}

static int set_up(void **state)
{
    static const struct mem_ops ops = {.read = read_memory};
    static struct mem memory = {.ops = &ops};
    uint64_t low = (uint64_t)(uintptr_t)vm.code;
    (void)state;
    memset(&vm, 0, sizeof(vm));
    memset(vm.segmap, 0xff, sizeof(vm.segmap));
    vm.heap = (struct heap){.low = low,
                            .high = low + COMMITTED * SEGMENT,
                            .low_boundary = low,
                            .log2_segment = LOG2_SEGMENT,
                            .name = "CodeHeap 'profiled nmethods'",
                            .blobs = 3,
                            .nmethods = 1,
                            .adapters = 1,
                            .full = 7};
    vm.layout.heaps[0] = (struct hs_heap){.low = low,
                                          .high = low + SEGMENTS * SEGMENT,
                                          .segmap = (uint64_t)(uintptr_t)vm.segmap,
                                          .log2_segment = LOG2_SEGMENT};
    vm.layout.heap_count = 1;
    vm.layout.block_used = offsetof(struct block, is_used);
    vm.layout.block_size = offsetof(struct block, blob_size);
    vm.layout.blob_size = 0;
    vm.layout.blob_kind = offsetof(struct block, kind) - offsetof(struct block, blob_size);
    vm.layout.blob_kinds[NMETHOD] = HS_BLOB_NMETHOD;
    vm.layout.blob_kinds[ADAPTER] = HS_BLOB_ADAPTER;
    vm.layout.blob_kinds[STUB] = HS_BLOB_DEOPT;
    vm.layout.blob_code_begin = HS_NONE;
    vm.layout.blob_code_offset = (int32_t)sizeof(struct block);
    vm.layout.blob_frame_size = vm.layout.blob_frame_complete = (int32_t)sizeof(struct block);
    vm.target = (struct target){.mem = &memory, .layout = &vm.layout};
    put(0, 2, true, NMETHOD);
    put(2, 1, true, ADAPTER);
    put(3, 1, false, NMETHOD);
    put(4, 1, true, STUB);
    return 0;
}

static void blocks_in_use_are_added_up(void **state)
{
    struct code_heaps h;
    struct code_heaps_row rows[HS_HEAP_MAX];
    (void)state;
    assert_int_equal(code_heaps_init(&h, &vm.target), 1);
    assert_int_equal(code_heaps_look(&h, rows), 1);
    assert_string_equal(rows[0].name, "CodeHeap 'profiled nmethods'");
    assert_true(rows[0].start == vm.heap.low && rows[0].committed_top == vm.heap.high &&
                rows[0].reserved_top == vm.layout.heaps[0].high);
    assert_int_equal(rows[0].sum.bytes, 4 * SEGMENT);
    assert_int_equal(rows[0].sum.entries, 3);
    assert_int_equal(rows[0].sum.methods, 1);
    assert_int_equal(rows[0].sum.adapters, 1);
}

static void counters_that_agree_tell_how_often_the_heap_was_full(void **state)
{
    struct code_heaps h;
    struct code_heaps_row rows[HS_HEAP_MAX];
    (void)state;
    code_heaps_init(&h, &vm.target);
    assert_int_equal(code_heaps_full(&h, 0), -1);
    vm.heap.blobs--; /* the end of the interpreter's block was given back */
    code_heaps_look(&h, rows);
    assert_true(rows[0].knows_full && rows[0].full_count == 7);
    vm.heap.full++;
    vm.heap.blobs++; /* a block that comes meanwhile does not matter any more */
    assert_int_equal(code_heaps_full(&h, 0), 8);
}

static void counters_that_never_agree_are_not_believed(void **state)
{
    struct code_heaps h;
    struct code_heaps_row rows[HS_HEAP_MAX];
    (void)state;
    vm.heap.adapters++;
    code_heaps_init(&h, &vm.target);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(code_heaps_look(&h, rows), 1);
        assert_false(rows[0].knows_full);
        assert_int_equal(code_heaps_full(&h, 0), -1);
    }
    vm.heap.adapters--;
    vm.heap.blobs++;
    code_heaps_look(&h, rows);
    assert_false(rows[0].knows_full);
    vm.heap.blobs--;
    code_heaps_look(&h, rows);
    assert_true(rows[0].knows_full);
}

static void a_heap_without_a_known_name_has_no_counters(void **state)
{
    struct code_heaps h;
    struct code_heaps_row rows[HS_HEAP_MAX];
    (void)state;
    vm.heap.name = "Metaspace";
    code_heaps_init(&h, &vm.target);
    assert_int_equal(code_heaps_look(&h, rows), 1);
    assert_string_equal(rows[0].name, "CodeCache");
    assert_false(rows[0].knows_full);
}

static void a_heap_that_makes_no_sense_has_no_row(void **state)
{
    struct code_heaps h;
    struct code_heaps_row rows[HS_HEAP_MAX];
    (void)state;
    code_heaps_init(&h, &vm.target);
    vm.heap.high = vm.layout.heaps[0].high + 1;
    assert_int_equal(code_heaps_look(&h, rows), 0);
    vm.heap.low_boundary = 1;
    assert_int_equal(code_heaps_init(&h, &vm.target), 0);
    assert_int_equal(code_heaps_look(&h, rows), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(blocks_in_use_are_added_up, set_up),
        cmocka_unit_test_setup(counters_that_agree_tell_how_often_the_heap_was_full, set_up),
        cmocka_unit_test_setup(counters_that_never_agree_are_not_believed, set_up),
        cmocka_unit_test_setup(a_heap_without_a_known_name_has_no_counters, set_up),
        cmocka_unit_test_setup(a_heap_that_makes_no_sense_has_no_row, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
