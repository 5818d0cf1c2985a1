/*
 * footprint_vm.c - the heap and the code cache of the VM, as its tables describe them.
 * Source: HotSpot collectedHeap.hpp, heap.hpp (CodeHeap), virtualspace.hpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "footprint/footprint.h"

enum { WORD = 8 };

/* The heap of collectors that heapwalk does not read: CMS, Epsilon. Single-generation ZGC has an
 * empty range there; its heap is found by the name of its file. */
static void claim_reserved(struct footprint *f)
{
    const struct target *t = &f->vm.target;
    uint64_t heap = target_static_value(t, "Universe", "_collectedHeap", WORD);
    int32_t reserved = target_field(t, "CollectedHeap", "_reserved", -1);
    int32_t start = target_field(t, "MemRegion", "_start", -1);
    int32_t words = target_field(t, "MemRegion", "_word_size", -1);
    if (heap == 0 || reserved < 0 || start < 0 || words < 0)
        return;
    uint64_t low = target_u8(t, heap + (uint64_t)(reserved + start));
    uint64_t count = target_u8(t, heap + (uint64_t)(reserved + words));
    if (low != 0 && count < ((UINT64_MAX - low) / WORD))
        footprint_claim(f, low, low + count * WORD, FOOTPRINT_HEAP);
}

/* A VirtualSpace within a structure. */
static void claim_space(struct footprint *f, uint64_t at, enum footprint_row row)
{
    const struct target *t = &f->vm.target;
    int32_t low = target_field(t, "VirtualSpace", "_low_boundary", -1);
    int32_t high = target_field(t, "VirtualSpace", "_high_boundary", -1);
    if (low >= 0 && high >= 0)
        footprint_claim(f, target_u8(t, at + (uint64_t)low), target_u8(t, at + (uint64_t)high),
                        row);
}

static void claim_code_heap(struct footprint *f, uint64_t heap)
{
    int32_t memory = target_field(&f->vm.target, "CodeHeap", "_memory", -1);
    int32_t segments = target_field(&f->vm.target, "CodeHeap", "_segmap", -1);
    if (heap == 0 || memory < 0 || segments < 0)
        return;
    claim_space(f, heap + (uint64_t)memory, FOOTPRINT_CODE);
    claim_space(f, heap + (uint64_t)segments, FOOTPRINT_CODE);
}

/* JDK 8 has one code heap, later JDKs have an array of them. */
static void claim_code(struct footprint *f)
{
    const struct target *t = &f->vm.target;
    claim_code_heap(f, target_static_value(t, "CodeCache", "_heap", WORD));
    uint64_t array = target_static_value(t, "CodeCache", "_heaps", WORD);
    int32_t data = target_field(t, "GrowableArray<int>", "_data", -1);
    if (array == 0 || data < 0)
        return;
    uint64_t heaps = target_u8(t, array + (uint64_t)data);
    for (uint32_t i = 0; i < t->layout->heap_count; i++)
        claim_code_heap(f, target_u8(t, heaps + (uint64_t)i * WORD));
}

void footprint_vm(struct footprint *f)
{
    if (f->vm.has_heap)
        footprint_claim(f, f->vm.heap.low, f->vm.heap.high, FOOTPRINT_HEAP);
    else
        claim_reserved(f);
    claim_code(f);
    footprint_settle(f);
}
