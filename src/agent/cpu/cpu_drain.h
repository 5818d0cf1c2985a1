/*
 * cpu_drain.h - takes samples out of the ring and counts them for the recordings.
 *
 * All functions need the agent's lock. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cpu_sampler;

/** Count the samples that are in the ring. */
void cpu_drain(struct cpu_sampler *c);
/** Add the CPU time that has become no sample since the last call, and the counts of signals, to
 * all recordings that sample now. */
void cpu_drain_outside(struct cpu_sampler *c);
