/*
 * load_look.h - how busy the process and the machine are, and how much memory they use.
 *
 * The numbers come from the kernel (/proc) and from the counters that the VM keeps for jstat
 * (hsperfdata), so nothing is asked of the VM. Source: proc(5), HotSpot threadService.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct mem;

/** CPU time that was used since the process, or the machine, was started. */
struct load_look_cpu {
    uint64_t at_ns;              /* CLOCK_MONOTONIC */
    uint64_t user_ns, system_ns; /* of the process */
    /* busy time of all processors together, by all processes; 0 unknown */
    uint64_t machine_ns;
    uint32_t processors; /* count of processors that are online */
};

struct load_look_memory {
    uint64_t resident_bytes, peak_bytes; /* 0: unknown */
};

/** Counts of the VM's Java threads; all 0: unknown. */
struct load_look_threads {
    uint64_t live, daemon, peak, started;
};

/** The addresses of the VM's counters; 0: the VM has no such counter. */
struct load_look_counters {
    struct mem *mem;
    uint64_t live, daemon, peak, started;
};

void load_look_cpu(struct load_look_cpu *ret);
void load_look_memory(struct load_look_memory *ret);
/** `start`: PerfMemory::_start. `mem` is borrowed. */
void load_look_find(struct load_look_counters *c, struct mem *mem, uint64_t start);
void load_look_threads(const struct load_look_counters *c, struct load_look_threads *ret);
