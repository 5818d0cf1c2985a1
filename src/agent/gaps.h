/*
 * gaps.h - CPU time of which no signal tells: found, counted, and nobody's.
 *
 * Some timers stand still from their signal until the handler has run. A signal that is lost
 * (classic signals do not queue: another profiler's was pending) would stop those for ever; one
 * that the thread blocks tells nothing for as long. Meanwhile the thread's CPU clock goes on, and
 * the first stack seen after that has nothing to do with where the time went. Context: any, not
 * signal; the lock of slots.h is held. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

struct tick;
struct tick_slot;

/**
 * Look at some of the first `count` slots, from place `at` on, each of them at every so many calls:
 * where a thread has run without a signal its time is counted as missed, and its timer started
 * again unless the thread itself blocks the signal. Returns the place to go on from.
 */
uint32_t gaps_look(struct tick *t, uint32_t count, uint32_t at);
/** The handler did not work for a while: what is due is missed, and the timer goes on. */
void gaps_end(struct tick *t, struct tick_slot *slot);
