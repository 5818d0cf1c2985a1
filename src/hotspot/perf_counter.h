/*
 * perf_counter.h - the counters that HotSpot keeps for jstat, found by their names.
 *
 * They lie in memory of the VM (shared with a file, or not) and are there if it runs with
 * -XX:+UsePerfData, which is its default. Source: HotSpot perfMemory.hpp, perfData.hpp.
 * Context: any, not signal; what is found may be read anywhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

/** The address of a text, which the VM may change and which ends with 0; 0: there is none of that
 * name. `start`: as below. */
uint64_t perf_counter_find_text(struct mem *m, uint64_t start, const char *name);

/** The address of a 64-bit counter, 0: there is none of that name. `start`: PerfMemory::_start. */
uint64_t perf_counter_find(struct mem *m, uint64_t start, const char *name);
