/*
 * verify_compare.h - two stacks, compared frame by frame; pure data, no VM.
 *
 * The one normalisation: bci -1 (the VM's word for before the first bytecode) and 0 are the same
 * place. Native frames have VERIFY_NATIVE_BCI on both sides. Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum {
    VERIFY_NATIVE_BCI = -3,
    VERIFY_FRAME_SHADOW = 200, /* as a kind: `id` is a number of the tracker */
};

/** Frames are of the same method if one of the two names is known on both sides and the same. */
struct verify_frame {
    uint64_t id;   /* jmethodID, 0 unknown */
    uint32_t name; /* index into the handler's names, 0 unknown */
    int32_t bci;
    uint8_t kind, level, trust; /* of a walk: walk_frame's kind, level and flags */
};

/** How the other stack differs from the walk. */
enum verify_kind {
    VERIFY_SAME,
    VERIFY_TOP_BCI,    /* only the innermost bci */
    VERIFY_BCI,        /* only bcis, another one */
    VERIFY_CUT,        /* it is the innermost part of the walk */
    VERIFY_SKIPS,      /* it lacks frames in other places */
    VERIFY_WALK_CUT,   /* the walk is its innermost part */
    VERIFY_WALK_SKIPS, /* the walk lacks frames in other places */
    VERIFY_METHODS,
    VERIFY_KIND_COUNT
};

/** Innermost frame first on both sides; *ret_at: index of the first difference. */
enum verify_kind verify_compare(const struct verify_frame *ours, uint32_t our_count,
                                const struct verify_frame *theirs, uint32_t their_count,
                                uint32_t *ret_at);

/** How many outermost frames are the same; with `bcis` their bcis too. */
uint32_t verify_compare_common(const struct verify_frame *ours, uint32_t our_count,
                               const struct verify_frame *theirs, uint32_t their_count, int bcis);

/**
 * Look for `wanted` (outermost first) in `frames` (innermost first), in order, as hashes of names.
 * Returns how many were found: `count` if all, else the index of the first that is missing.
 */
uint32_t verify_compare_contains(const uint64_t *frames, uint32_t frame_count,
                                 const uint64_t *wanted, uint32_t count);
