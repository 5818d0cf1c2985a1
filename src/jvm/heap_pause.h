/*
 * heap_pause.h - estimates how long a JVM will stand still while its heap is dumped or counted.
 *
 * The estimate is made before the JVM is asked: the used bytes of its counters, times a measured
 * time for each byte (docs/measurements/heap-dump.md, "What a stop is reckoned with"). A busy
 * machine or a slow disk takes longer. Since JDK 25 the counters hold the used bytes after the last
 * collection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct perfdata;

/** The work that is done with the heap. */
enum heap_pause_work {
    HEAP_PAUSE_HISTO,
    HEAP_PAUSE_DUMP,
    HEAP_PAUSE_PACKED, /* the JVM writes a packed dump */
    HEAP_PAUSE_FORK,   /* a frozen child writes the dump */
    HEAP_PAUSE_WORKS
};

/**
 * Whether `who` may be asked. Returns 0; if the pause is expected to be longer than a second, says
 * so before. Returns CMD_FAILED, after saying why, if the pause would be longer than `most_ns` (0:
 * no bound). `instead` names what else the command can do: " --fork or"; "" for nothing.
 */
int heap_pause_check(const struct perfdata *p, const char *who, enum heap_pause_work work,
                     bool is_live, uint64_t most_ns, const char *instead);
