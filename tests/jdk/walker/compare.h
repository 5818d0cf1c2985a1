/*
 * compare.h - two stacks of the same moment, compared frame by frame and counted by kind of
 * difference.
 *
 * One side is AsyncGetCallTrace's or JVM TI's (jmethodIDs), the other the walker's (Method*).
 * The one normalisation: bci -1 (method entry, synchronisation) and 0 are the same place.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"
#include "safe/mem.h"
#include "safe/walk.h"

struct compare_frame {
    uint64_t id; /* jmethodID */
    int64_t bci;
};

enum compare_result {
    COMPARE_SAME,
    COMPARE_TOP_BCI, /* only the bci of the innermost frame differs */
    COMPARE_BCI,     /* the bci of another frame differs */
    COMPARE_LENGTH,  /* one is the other's end: innermost or outermost frames are missing */
    COMPARE_METHOD,  /* other methods */
    COMPARE_COUNT,
};

extern const char *const compare_words[COMPARE_COUNT];

/** The jmethodID of a Method*, 0 if it has none yet. Context: signal. */
uint64_t compare_id_of(struct mem_view *v, const struct hs_layout *l, uint64_t method);

/** `ret_at`: index of the first difference. Context: signal. */
enum compare_result compare_stacks(struct mem_view *v, const struct hs_layout *l,
                                   const struct walk_frame *ours, int our_count,
                                   const struct compare_frame *theirs, int their_count,
                                   int *ret_at);
