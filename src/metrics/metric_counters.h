/*
 * metric_counters.h - the samples that come from HotSpot's counters, together with the levels of
 * memory that were read in the memory of the VM.
 *
 * The names of pools and collectors are those of the JDK's MemoryPoolMXBean and
 * GarbageCollectorMXBean. Counters that the VM changes only when it has collected stand for the
 * moment of the last collection: such samples have the label hprof.as_of="last_gc".
 * Source: HotSpot generationCounters.hpp, collectorCounters.hpp, metaspaceCounters.cpp,
 * zServiceability.cpp, shenandoahMonitoringSupport.cpp, memoryService.cpp.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct metric_level;
struct metric_set;
struct perfdata;

/** Adds the samples. `has_threads`: the threads were counted in the memory. */
void metric_counters_read(struct metric_set *s, const struct perfdata *p,
                          const struct metric_level *level, bool has_threads);
/** Adds what the memory alone tells of memory, for a JVM without counters. */
void metric_counters_read_none(struct metric_set *s, const struct metric_level *level);
