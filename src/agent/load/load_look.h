/*
 * load_look.h - how busy the process and the machine are, and how much memory they have taken.
 *
 * Numbers of the kernel from /proc, and of the VM from its counters (hsperfdata), which it keeps
 * for jstat: nothing is asked of the VM. Source: proc(5), HotSpot threadService.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct mem;

/** What has been used since the process, or the machine, was started; in ns of CPU time. */
struct load_look_cpu {
    uint64_t at_ns;              /* CLOCK_MONOTONIC */
    uint64_t user_ns, system_ns; /* of the process */
    uint64_t machine_ns;         /* of all processors together, busy with whatever; 0 unknown */
    uint32_t processors;         /* that are there */
};

struct load_look_memory {
    uint64_t resident_bytes, peak_bytes; /* 0: unknown */
};

/** Of the VM's Java threads; all 0: unknown. */
struct load_look_threads {
    uint64_t live, daemon, peak, started;
};

/** Where the VM keeps its counters; 0 each: it has none. */
struct load_look_counters {
    struct mem *mem;
    uint64_t live, daemon, peak, started;
};

void load_look_cpu(struct load_look_cpu *ret);
void load_look_memory(struct load_look_memory *ret);
/** `start`: PerfMemory::_start. `mem` is borrowed. */
void load_look_find(struct load_look_counters *c, struct mem *mem, uint64_t start);
void load_look_threads(const struct load_look_counters *c, struct load_look_threads *ret);
