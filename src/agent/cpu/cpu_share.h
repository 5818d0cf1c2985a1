/*
 * cpu_share.h - which of the common samples each recording gets.
 *
 * Threads are sampled at the finest interval that any recording asks for. A recording with a longer
 * interval adds up the CPU time of each thread, sample by sample. It takes a sample if one or more
 * of its own intervals end with this sample; the weight of the sample is their number. For example,
 * with 1 ms for the sampler and 10 ms for the recording, it takes every tenth sample of a thread.
 * Each recording begins at a random point of an interval. The probability that it takes a sample is
 * therefore the sample's part of the interval: weights are unbiased, and the weights of a thread
 * add up to its CPU time, as if the recording had a timer of its own. All functions need the
 * agent's lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/cpu/cpu_quality.h"

/* Threads whose serials differ by a multiple of this number share a count. In this case only their
 * sum is exact. */
enum { CPU_SHARE_THREADS = 1024 };

enum { CPU_SHARE_TURNED = 256 }; /* threads whose sampling can be switched one by one */

struct cpu_share {
    uint64_t interval_ns;             /* interval of the recording */
    uint64_t rest[CPU_SHARE_THREADS]; /* ns since the last interval ended, indexed by serial */
    bool is_off; /* threads get no samples, except those in `turned`; false: the other way round */
    uint32_t turned_count; /* number of exceptions in `turned`, which are serials */
    uint32_t turned[CPU_SHARE_TURNED];
    struct cpu_quality quality;
    uint64_t lost_ns; /* lost time that was not told yet, less than one interval (cpu_drain.c) */
};

/** Make a share. Returns NULL if there is no memory. Owner: free(). */
struct cpu_share *cpu_share_new(uint64_t interval_ns, uint64_t seed);
/** How many intervals of the recording end with a sample that stands for `ns` of the thread's CPU
 * time. */
uint32_t cpu_share_take(struct cpu_share *s, uint32_t serial, uint64_t ns);
/** Switch the sampling of a thread on or off for this recording; serial 0 switches all threads.
 * Returns false if too many threads were switched one by one. */
bool cpu_share_turn(struct cpu_share *s, uint32_t serial, bool is_on);
/** Whether the recording wants samples of a thread; serial 0 asks for threads that begin later. */
bool cpu_share_is_on(const struct cpu_share *s, uint32_t serial);
