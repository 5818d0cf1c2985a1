/*
 * verify_compare.h - compares two stacks frame by frame; pure data, no VM.
 *
 * There is one normalisation: bci -1 (the VM's word for before the first bytecode) and bci 0 are
 * the same place. Native frames have VERIFY_NATIVE_BCI on both sides. Context of everything here:
 * signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum {
    VERIFY_NATIVE_BCI = -3,
    VERIFY_FRAME_SHADOW = 200, /* as a kind: `id` is a number of the tracker */
};

/**
 * A frame of a stack. Two frames are of one method if both have the same known id, or the same
 * known name.
 */
struct verify_frame {
    uint64_t id;   /* jmethodID, 0 unknown */
    uint32_t name; /* index into the handler's names, 0 unknown */
    int32_t bci;
    uint8_t kind, level, trust; /* of a walk: kind, level and flags of the walk_frame */
};

/** How the other stack differs from the walk. */
enum verify_kind {
    VERIFY_SAME,
    VERIFY_TOP_BCI,    /* only the innermost bci differs */
    VERIFY_BCI,        /* only bcis differ, not just the innermost one */
    VERIFY_CUT,        /* the other stack is the innermost part of the walk */
    VERIFY_SKIPS,      /* the other stack lacks frames at other places */
    VERIFY_WALK_CUT,   /* the walk is the innermost part of the other stack */
    VERIFY_WALK_SKIPS, /* the walk lacks frames at other places */
    VERIFY_METHODS,
    VERIFY_KIND_COUNT
};

/** Both stacks begin with the innermost frame; *ret_at is the index of the first difference. */
enum verify_kind verify_compare(const struct verify_frame *ours, uint32_t our_count,
                                const struct verify_frame *theirs, uint32_t their_count,
                                uint32_t *ret_at);

/** How many outermost frames are the same; if `bcis`, their bcis must be the same too. */
uint32_t verify_compare_common(const struct verify_frame *ours, uint32_t our_count,
                               const struct verify_frame *theirs, uint32_t their_count, int bcis);

/**
 * Look for the hashes `wanted` (outermost first) in `frames` (innermost first), in order. Returns
 * how many were found: `count` if all were found, otherwise the index of the first one that is
 * missing.
 */
uint32_t verify_compare_contains(const uint64_t *frames, uint32_t frame_count,
                                 const uint64_t *wanted, uint32_t count);
