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

/** The address of a 64-bit counter, 0: there is none of that name. `start`: PerfMemory::_start. */
uint64_t perf_counter_find(struct mem *m, uint64_t start, const char *name);
