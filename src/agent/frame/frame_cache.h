/*
 * frame_cache.h - what frames were found to be, by what stacks call them.
 *
 * A table of fixed rows that doubles while its budget allows. Past that a row takes the place of
 * another one: it is a cache, and whoever misses a row finds it once more. Knows no JVM and no
 * names. Context of everything here: any, one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

/** What became of a frame. */
struct frame_found {
    frame_id frame; /* of the model; 0: there is none */
    bool is_own;    /* a tracker's: neither it nor what stands above it is to be seen */
    bool is_blank;  /* says only that nobody knows: one of a row of them is enough */
    bool is_lost;   /* there is none because the model's memory is used up */
};

struct frame_cache_row {
    uint64_t method;
    int32_t bci;
    uint32_t space; /* whose numbers these are: the same number may mean two methods */
    struct frame_found found;
};

struct frame_cache {
    struct frame_cache_row *rows; /* a power of two of them; found.frame 0: free */
    uint32_t mask, used;
    uint32_t rows_max;
};

/** No memory is taken before the first frame is kept. */
void frame_cache_init(struct frame_cache *c, uint64_t bytes);
void frame_cache_done(struct frame_cache *c);
/** What was kept, or all 0. */
struct frame_found frame_cache_find(const struct frame_cache *c, uint64_t method, int32_t bci,
                                    uint32_t space);
/** Keep it: a frame that is one, and not kept yet. */
void frame_cache_keep(struct frame_cache *c, struct frame_cache_row row);
