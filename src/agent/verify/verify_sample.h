/*
 * verify_sample.h - the work of the signal handler of a verify run, at a random moment.
 *
 * The handler walks the interrupted thread, asks AsyncGetCallTrace, reads the shadow stack, and
 * compares the three at once. After that it walks from damaged registers as often as the user asked
 * for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/verify/verify_compare.h"
#include "safe/walk.h"

struct hs_memory;
struct verify_example;

enum { VERIFY_SAMPLE_FRAMES = 2048 };

/**
 * The walker for tick.h. It gives no frames; all results go into verify_table.h. Context: signal.
 */
extern const struct walker verify_sample_walker;

/**
 * Prepare; `random_walks` is the count of walks from damaged registers in all. Errors: 0, -ENOMEM.
 * Context: any, before the first signal.
 */
int verify_sample_prepare(const struct hs_memory *memory, uint64_t random_walks);

/** A sample of one thread, kept to be compared with a GetStackTrace after it. */
struct verify_sample_kept {
    uint32_t count, their_count; /* frames of the walk, and of AsyncGetCallTrace (0: none) */
    enum verify_kind kind;       /* the difference between these two */
    struct verify_frame ours[VERIFY_SAMPLE_FRAMES], theirs[VERIFY_SAMPLE_FRAMES];
};

/** Ask for the next sample of this JavaThread. Context: any, one thread. */
void verify_sample_want(uint64_t java_thread);
/**
 * The requested sample if it has come within `wait_ms`, otherwise NULL. Valid until the next
 * request.
 */
const struct verify_sample_kept *verify_sample_take(int wait_ms);

/**
 * Fill an example with a shadow stack that has an entry which the other stack lacks; `missing` is
 * the index of this entry (outermost first). Call it after verify_sample_keep(). Context: signal.
 */
void verify_sample_keep_shadow(struct verify_example *e, uint32_t missing, const uint32_t *numbers,
                               uint32_t depth);

/** Fill an example from two stacks that differ at index `at` first. Context: signal. */
void verify_sample_keep(struct verify_example *e, uint32_t at, const struct verify_frame *ours,
                        uint32_t our_count, const struct verify_frame *theirs, uint32_t count);
