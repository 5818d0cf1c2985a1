/*
 * times_clock.h - the clock of cpu=times.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_cpu;

enum times_clock {
    TIMES_CLOCK_TSC,  /* the processor's counter */
    TIMES_CLOCK_NANO, /* System.nanoTime() */
    TIMES_CLOCK_TICK, /* a word that a thread of the agent sets every 100 microseconds */
    TIMES_CLOCK_CPU,  /* the CPU time of the thread: times_cpu.h */
    TIMES_CLOCK_NONE, /* calls are counted, not timed */
};

/**
 * Choose the clock of that name. "" chooses tsc if the kernel trusts it, otherwise nano.
 * Errors: 0; E_NOT_FOUND, E_UNSUPPORTED after a message.
 */
int times_clock_choose(const char *name, enum times_clock *ret);
const char *times_clock_name(enum times_clock clock);
/** Start the clock. Errors: 0; negative if its thread cannot be started. */
int times_clock_start(enum times_clock clock);
/** Stop the clock; it keeps its last value. Context: any. */
void times_clock_stop(void);
/**
 * The time now in the clock's units, greater than 0; 0 with TIMES_CLOCK_NONE. `cpu` is the clock of
 * the calling Java thread, NULL if it has none. Context: any.
 */
int64_t times_clock_now(struct times_cpu *cpu);
/** The time now for a thread that may run on another OS thread. */
int64_t times_clock_now_of(const struct times_cpu *cpu);
/** The word with the time of TIMES_CLOCK_TICK. */
const int64_t *times_clock_tick(void);
/** The length of a unit, measured over the time since times_clock_start(). */
double times_clock_unit_ns(void);
