/*
 * perf_counter.h - the counters that HotSpot keeps for jstat, found by their names.
 *
 * The counters lie in memory of the VM (shared with a file, or not). They exist if the VM runs with
 * -XX:+UsePerfData, which is the default. Source: HotSpot perfMemory.hpp, perfData.hpp.
 * Context: any, not signal; a counter that was found may be read in any context.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

/** The address of a text with this name; 0: there is none. The text ends with 0, and the VM may
 * change it. `start` is PerfMemory::_start. */
uint64_t perf_counter_find_text(struct mem *m, uint64_t start, const char *name);

/** The address of a 64-bit counter with this name; 0: there is none. `start` is
 * PerfMemory::_start. */
uint64_t perf_counter_find(struct mem *m, uint64_t start, const char *name);
