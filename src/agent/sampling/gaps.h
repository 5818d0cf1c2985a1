/*
 * gaps.h - finds CPU time for which no signal came, and counts it as missed.
 *
 * Some timers stand still from their signal until the handler has run. If the signal is lost, such
 * a timer would stop for ever. A signal is lost if another profiler's signal of the same number was
 * pending, because classic signals do not queue. If the thread blocks the signal, no sample comes
 * for as long. Meanwhile the thread's CPU clock goes on, and the first stack seen after the gap has
 * nothing to do with where the time went, so the time is given to no stack.
 * Context: any, not signal; the lock of slots.h is held. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

struct tick;
struct tick_slot;

/**
 * Look at some of the first `count` slots, from place `at` on; later calls look at the others. If a
 * thread has run without a signal, count its time as missed, and start its timer again unless the
 * thread itself blocks the signal. Returns the place to go on from.
 */
uint32_t gaps_look(struct tick *t, uint32_t count, uint32_t at);
/**
 * The handler did not work for a while: count the time that was due as missed, and start the timer
 * again.
 */
void gaps_end(struct tick *t, struct tick_slot *slot);
