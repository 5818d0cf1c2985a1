/*
 * cpu_choose.h - chooses the signal and the timer of cpu=samples: those that the options name,
 * otherwise the best ones on this machine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cpu_sampler;
struct options_cpu;

/** Set c->tick.signal and c->source. Errors: 0; E_UNSUPPORTED after a message: this machine does
 * not have what the options ask for. Context: any. */
int cpu_choose(struct cpu_sampler *c, const struct options_cpu *own);
