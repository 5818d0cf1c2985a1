/*
 * cpu_lost.h - tells the recordings which threads have lost samples because the ring was full.
 *
 * Handlers count the samples that they lose, for all threads together and for each thread. This
 * file passes the counts of the threads on to the writer (recording_lose()).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cpu_sampler;

/**
 * Tell each recording that samples what its threads have lost since the last call. Samples of
 * threads that have ended are told without a thread. Cheap if no sample was lost. Needs the agent's
 * lock.
 */
void cpu_lost_tell(struct cpu_sampler *c);
/** Call cpu_lost_tell() if samples were lost and the last call was at least a second ago. */
void cpu_lost_tell_in_time(struct cpu_sampler *c);
