/*
 * times_clock.h - the clock of cpu=times, and what reading it costs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_cpu;

enum times_clock {
    TIMES_CLOCK_TSC,  /* the processor's counter */
    TIMES_CLOCK_NANO, /* System.nanoTime() */
    TIMES_CLOCK_TICK, /* a word that a thread of ours sets every 100 microseconds */
    TIMES_CLOCK_CPU,  /* what the thread has used of the processors: times_cpu.h */
    TIMES_CLOCK_NONE, /* calls are counted, not timed */
};

/**
 * The clock of that name; "" takes tsc where the kernel trusts it, else nano. Errors: 0;
 * E_NOT_FOUND, E_UNSUPPORTED after a message.
 */
int times_clock_choose(const char *name, enum times_clock *ret);
const char *times_clock_name(enum times_clock clock);
/** Begin. Errors: 0, or negative when its thread cannot be started. */
int times_clock_start(enum times_clock clock);
/** End what times_clock_start() has begun; the clock stands where it does. Context: any. */
void times_clock_stop(void);
/** Now, in the clock's units, greater than 0; 0 with TIMES_CLOCK_NONE. `cpu` is the clock of the
 * calling Java thread, NULL if it has none. Context: any. */
int64_t times_clock_now(struct times_cpu *cpu);
/** The same for a thread that may run elsewhere. */
int64_t times_clock_now_of(const struct times_cpu *cpu);
/** The word that holds the time of TIMES_CLOCK_TICK. */
const int64_t *times_clock_tick(void);
/** The length of a unit, measured from times_clock_start() until now. */
double times_clock_unit_ns(void);
