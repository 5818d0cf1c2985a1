/*
 * code_heaps.h - how full the code heaps of a VM are: the parts of its code cache, or the whole
 * cache if it is not parted.
 *
 * Addresses, committed memory and the blocks of a heap are read through the tables that the VM
 * exports. The tables do not have the name of a heap and the VM's own counters. The name is the
 * pointer in the CodeHeap that leads to a text with one of HotSpot's names. The counters of blobs,
 * nmethods, adapters and of the times when the heap was full are the numbers behind it (JDK 9 on).
 * They are used only after the first three of each heap were once what a walk over its blocks has
 * counted. The number of blobs may be a little less: the VM subtracts one when the interpreter
 * gives the unused end of its block back. A VM for which this is never so does not tell when a heap
 * is full.
 * The process may run meanwhile: a block that comes or goes during a look may be counted or not.
 * Source: HotSpot heap.hpp (CodeHeap), codeCache.cpp (get_code_heap_name, report_codemem_full),
 * CodeHeap::add_to_freelist. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "hotspot/code_cache.h"
#include "safe/hs_layout.h"

struct target;

enum { CODE_HEAPS_NAME = 48 };

/** One heap at one moment. The addresses are the target's. */
struct code_heaps_row {
    uint32_t heap;    /* index in layout->heaps */
    const char *name; /* "CodeHeap 'profiled nmethods'", "CodeCache"; owner: struct code_heaps */
    uint64_t start, committed_top, reserved_top;
    struct code_cache_sum sum;
    bool knows_full;     /* full_count can be believed */
    uint32_t full_count; /* how often the VM has found the heap full */
};

struct code_heaps {
    const struct target *target;
    uint32_t count;
    struct {
        uint64_t address;     /* of the CodeHeap; 0: it cannot be read */
        uint64_t counters_at; /* address of the number of blobs; 0: none was found */
        char name[CODE_HEAPS_NAME];
    } of[HS_HEAP_MAX];                       /* as layout->heaps */
    int32_t memory, low, high, low_boundary; /* offsets in CodeHeap and VirtualSpace */
    bool are_counters_known;                 /* the counters were equal to what was counted */
};

/** Find the heaps. Returns how many there are; 0 if the VM's tables do not say where they are.
 * `t` is borrowed. */
uint32_t code_heaps_init(struct code_heaps *h, const struct target *t);
/** Look at all heaps. Returns how many rows were filled: those of heaps that could be read. */
uint32_t code_heaps_look(struct code_heaps *h, struct code_heaps_row ret[HS_HEAP_MAX]);
/** The number of times that the VM has found heap `i` full; cheap. -1: not known. */
int64_t code_heaps_full(const struct code_heaps *h, uint32_t i);
