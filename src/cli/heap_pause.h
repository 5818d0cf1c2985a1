/*
 * heap_pause.h - how long a JVM will stand still while its heap is dumped or counted.
 *
 * Reckoned from its counters before it is asked: so many bytes in use, and what a byte has taken
 * where it was measured (docs/measurements/heap-dump.md, "What a stop is reckoned with"). A busy
 * machine or a slow disk takes longer. Since JDK 25 the counters know what was in use when the VM
 * last collected. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct perfdata;

/** What is made of the heap. */
enum heap_pause_work {
    HEAP_PAUSE_HISTO,
    HEAP_PAUSE_DUMP,
    HEAP_PAUSE_PACKED, /* a dump that the JVM packs */
    HEAP_PAUSE_FORK,   /* a dump by a frozen child */
    HEAP_PAUSE_WORKS
};

/**
 * Whether `who` may be asked: 0, after saying how long it will stand if that is longer than a
 * second; CMD_FAILED where that would be longer than `most_ns` (0: no bound), after saying so.
 * `instead` is what else the command can do: " --fork or", or "": nothing.
 */
int heap_pause_check(const struct perfdata *p, const char *who, enum heap_pause_work work,
                     bool is_live, uint64_t most_ns, const char *instead);
