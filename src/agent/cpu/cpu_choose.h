/*
 * cpu_choose.h - chooses the signal and the timer of cpu=samples: those that the options name,
 * otherwise the best ones on this machine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct cpu_sampler;
struct options_cpu;
struct timer_source;

/** Set c->tick.signal and c->source. Errors: 0; E_UNSUPPORTED after a message: this machine does
 * not have what the options ask for. Context: any. */
int cpu_choose(struct cpu_sampler *c, const struct options_cpu *own);
/**
 * kernel=y: whether threads timed by `source` can have frames of the kernel. If not, one line says
 * why and what the user can do. Context: any, not signal.
 */
bool cpu_choose_kernel(const struct timer_source *source);
