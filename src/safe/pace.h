/*
 * pace.h - how long a timer waits, so that its thread makes progress between two signals.
 *
 * Raising the signal may take as long as a timer of some microseconds waits. On a slow or crowded
 * machine the thread then goes from signal to signal and runs no instruction. Signals that find all
 * registers unchanged are a sign of this. After some of them the timer waits twice as long, up to
 * PACE_LONGEST_NS; after many signals that found other registers it waits half as long. A loop that
 * waits for memory to change looks the same and is sampled less often. This loses no time, because
 * the weight of a sample is counted on the thread's clock.
 *
 * A longer timer (from PACE_LONGEST_NS on) keeps running while the handler runs. Such a timer waits
 * twice as long if the handler takes more than a quarter of the period, and half as long after many
 * handlers that were quick.
 * Context: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/clock.h"
#include "safe/regs.h"

enum {
    PACE_LONGEST_NS =
        NS_PER_MS, /* the longest period of a short timer; from here on a timer is a longer one */
    PACE_SLOW_PART = 4 /* a handler that takes more than this part of the period is slow */
};

/** The pace of one thread; all 0 at first. */
struct pace {
    uint64_t registers; /* checksum of the registers that the last signal found */
    uint16_t stuck, calm;
    uint8_t doublings; /* how many times the interval was doubled */
};

/** Tell that a signal found these registers. Returns whether pace_period() has changed. */
int pace_found(struct pace *p, uint64_t interval_ns, const struct regs *regs);
/** Tell that the handler of a longer timer took `took_ns` of its thread's CPU time. Returns whether
 * pace_period() has changed. */
int pace_took(struct pace *p, uint64_t interval_ns, uint64_t took_ns);
/** The present period of the timer. */
uint64_t pace_period(const struct pace *p, uint64_t interval_ns);
