/*
 * cpu_lost.h - whose samples were lost because the ring was full, told to recordings.
 *
 * Handlers count what they lose, for all and for each thread; here the counts of threads become
 * what outlets hear (recording_lose()). SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cpu_sampler;

/**
 * Tell each recording of samples what its threads have lost since the last time. What was lost by
 * threads that have ended is nobody's. Cheap where nothing was. Needs the agent's lock.
 */
void cpu_lost_tell(struct cpu_sampler *c);
/** The same where that was a second ago or more. */
void cpu_lost_tell_in_time(struct cpu_sampler *c);
