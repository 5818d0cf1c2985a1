/*
 * pace.h - how long a timer waits, so that its thread gets somewhere in between.
 *
 * A timer of some microseconds may take as long to raise its signal as it waits: on a slow or
 * crowded machine the thread then goes from signal to signal and runs no instruction. Signals that
 * find all registers as they were before are a sign of that: the timer waits twice as long after
 * some of them, up to PACE_LONGEST_NS, and half as long after many that found others. A loop that
 * waits for memory to change looks the same, and is sampled less often, which loses no time: the
 * weight of a sample is counted on the thread's clock.
 *
 * A longer timer goes on while the handler runs: it waits twice as long where the handler takes
 * more than a quarter of that, and half as long after many that were quick. Context: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/clock.h"
#include "safe/regs.h"

enum {
    PACE_LONGEST_NS =
        NS_PER_MS,     /* of the first kind; intervals as long as that are of the second */
    PACE_SLOW_PART = 4 /* of the period; a handler that takes longer is slow */
};

/** Of one thread; all 0 at first. */
struct pace {
    uint64_t registers; /* what was made of them */
    uint16_t stuck, calm;
    uint8_t doublings; /* of the interval */
};

/** A signal found these registers. Returns whether pace_period() has another answer now. */
int pace_found(struct pace *p, uint64_t interval_ns, const struct regs *regs);
/** The handler of such a longer interval took `took_ns` of its thread's CPU time. Returns as above.
 */
int pace_took(struct pace *p, uint64_t interval_ns, uint64_t took_ns);
/** How long the timer waits. */
uint64_t pace_period(const struct pace *p, uint64_t interval_ns);
