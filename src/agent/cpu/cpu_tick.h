/*
 * cpu_tick.h - the memory of the handler of cpu=samples (safe/tick.h), and how deep and how often
 * it takes samples, which can change while it does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cpu_sampler;
struct options;

/** How deep is walked for traces of this depth, which lose no frame to a tracker on top of them. */
uint32_t cpu_tick_depth(uint32_t depth);
/** The ring and the lists of threads. Errors: 0, or negative after a message. Context: any. */
int cpu_tick_make(struct cpu_sampler *c, const struct options *o);
/**
 * The samples that are there keep their depth, those that come have the new one; and timers go on
 * with the new interval, from where they were in the old one. Errors: 0; negative after a message:
 * all is as before. Needs the agent's lock.
 */
int cpu_tick_change(struct cpu_sampler *c, uint32_t shown, uint64_t interval_ns);
/** Whether no handler runs, after waiting a while. After tick_stop(). */
bool cpu_tick_settle(void);
