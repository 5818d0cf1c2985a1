/*
 * cpu_drain.h - samples leave the ring and are counted for recordings.
 *
 * Needs the agent's lock. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cpu_sampler;

/** The samples that are in the ring become ticks of traces. */
void cpu_drain(struct cpu_sampler *c);
/** What has become no sample since the last time counts for all that sample now. */
void cpu_drain_outside(struct cpu_sampler *c);
