/*
 * cpu_tick.h - the memory of the signal handler of cpu=samples (safe/tick.h).
 *
 * The depth of the stacks and the interval can change while samples are taken.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cpu_sampler;
struct options;

/** How many frames are walked for traces of `depth` frames. It is more than `depth`, so that a
 * tracker on top of the stack costs the trace no frame. */
uint32_t cpu_tick_depth(uint32_t depth);
/** Make the ring and the lists of threads. Errors: 0, or negative after a message. Context: any. */
int cpu_tick_make(struct cpu_sampler *c, const struct options *o);
/**
 * Change the depth (`shown` frames in traces) and the interval. Samples in the ring keep their
 * depth. Timers go on with the new interval from the point where they were in the old one.
 * Errors: 0; negative after a message: nothing has changed. Needs the agent's lock.
 */
int cpu_tick_change(struct cpu_sampler *c, uint32_t shown, uint64_t interval_ns);
/** Wait a while for handlers that still run. Returns whether no handler runs any more. Call this
 * after tick_stop(). */
bool cpu_tick_settle(void);
