/*
 * verify_sample.h - what the handler of a verify run does at a random moment.
 *
 * It walks the interrupted thread, asks AsyncGetCallTrace, reads the shadow stack, and compares
 * them on the spot; then it walks from damaged registers as often as was asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/verify/verify_compare.h"
#include "safe/walk.h"

struct hs_memory;
struct verify_example;

enum { VERIFY_SAMPLE_FRAMES = 2048 };

/** For tick.h: gives no frames, everything goes into verify_table.h. Context: signal. */
extern const struct walker verify_sample_walker;

/** `random_walks`: in all. Errors: 0, -ENOMEM. Context: any, before the first signal. */
int verify_sample_prepare(const struct hs_memory *memory, uint64_t random_walks);

/** A sample of one thread, kept for the comparison with what GetStackTrace says after it. */
struct verify_sample_kept {
    uint32_t count, their_count; /* of the walk; of AsyncGetCallTrace, 0 none */
    enum verify_kind kind;       /* of the difference between the two */
    struct verify_frame ours[VERIFY_SAMPLE_FRAMES], theirs[VERIFY_SAMPLE_FRAMES];
};

/** Ask for the next sample of this JavaThread. Context: any, one thread. */
void verify_sample_want(uint64_t java_thread);
/** The sample that was asked for, if it has come within `wait_ms`, else NULL. Valid until the next
 * one is asked for. */
const struct verify_sample_kept *verify_sample_take(int wait_ms);

/** The same against a shadow stack, whose entry `missing` (outermost first) is not in it. After
 * verify_sample_keep(). Context: signal. */
void verify_sample_keep_shadow(struct verify_example *e, uint32_t missing, const uint32_t *numbers,
                               uint32_t depth);

/** Fill an example from two stacks that differ from index `at` on. Context: signal. */
void verify_sample_keep(struct verify_example *e, uint32_t at, const struct verify_frame *ours,
                        uint32_t our_count, const struct verify_frame *theirs, uint32_t count);
