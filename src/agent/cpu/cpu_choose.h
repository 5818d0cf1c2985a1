/*
 * cpu_choose.h - the signal and the timer of cpu=samples: what the options say, or the best here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cpu_sampler;
struct options_cpu;

/** Errors: 0; E_UNSUPPORTED after a message: what is asked for cannot be had here. Context: any. */
int cpu_choose(struct cpu_sampler *c, const struct options_cpu *own);
