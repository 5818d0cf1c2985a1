/*
 * cpu_share.h - what each recording gets of the samples that are taken for all of them.
 *
 * Threads are sampled at the finest interval that any recording asks for. A recording with a longer
 * one counts the CPU time of each thread as samples bring it in, and takes those samples with which
 * one or more of its own intervals are over: their weight is how many. It begins in the middle of
 * an interval, at random, so a sample is taken with a probability that is the part of its own
 * interval that the sample stands for: weights are unbiased, and those of a thread add up to its
 * CPU time, as if it had a timer of its own.
 * All functions need the agent's lock. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/cpu/cpu_quality.h"

/* Threads whose serials differ by this share a count: then it is their sum that is exact. */
enum { CPU_SHARE_THREADS = 1024 };

enum { CPU_SHARE_TURNED = 256 }; /* threads whose sampling is switched one by one */

struct cpu_share {
    uint64_t interval_ns;             /* the recording's */
    uint64_t rest[CPU_SHARE_THREADS]; /* ns since the last interval was over, by serial */
    bool is_off;                      /* threads get no samples, */
    uint32_t turned_count;            /* but for these, by serial, with which it is the other way */
    uint32_t turned[CPU_SHARE_TURNED];
    struct cpu_quality quality;
    uint64_t lost_ns; /* less than an interval: what it was not told of yet (cpu_lost.h) */
};

/** NULL without memory. Owner: free(). */
struct cpu_share *cpu_share_new(uint64_t interval_ns, uint64_t seed);
/** How many of its own intervals are over with a sample that stands for `ns` of the thread's CPU
 * time. */
uint32_t cpu_share_take(struct cpu_share *s, uint32_t serial, uint64_t ns);
/** Switch the sampling of a thread on or off for this recording, of all with serial 0. Returns
 * false: there are too many threads that were switched one by one. */
bool cpu_share_turn(struct cpu_share *s, uint32_t serial, bool is_on);
/** Whether the recording wants samples of a thread; serial 0: of one that comes. */
bool cpu_share_is_on(const struct cpu_share *s, uint32_t serial);
