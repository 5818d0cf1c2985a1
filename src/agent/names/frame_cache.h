/*
 * frame_cache.h - a cache from the number of a frame in a stack to the frame of the model.
 *
 * The cache is a table that doubles as long as its budget allows. After that, a new row takes the
 * place of another row; a frame whose row was replaced is looked up again by the caller. This file
 * knows no JVM and no names. Context of everything here: any, one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

/** The result of looking up a frame. */
struct frame_found {
    frame_id frame; /* the frame of the model; 0: none */
    bool is_own;    /* a frame of a tracker: this frame and the frames above it are not shown */
    /* the frame only says "unknown"; of several such frames in a row one is enough */
    bool is_blank;
    bool is_lost; /* the frame is 0 because the model's memory is used up */
};

struct frame_cache_row {
    uint64_t method;
    int32_t bci;
    /* the kind of the number `method`: one number may mean a different method in each space */
    uint32_t space;
    struct frame_found found;
};

struct frame_cache {
    struct frame_cache_row *rows; /* a power of two; a row whose found.frame is 0 is free */
    uint32_t mask, used;
    uint32_t rows_max;
};

/** Prepare a cache of at most about `bytes`. Memory is taken when the first frame is kept. */
void frame_cache_init(struct frame_cache *c, uint64_t bytes);
void frame_cache_done(struct frame_cache *c);
/** The result that was kept; all 0 if there is none. */
struct frame_found frame_cache_find(const struct frame_cache *c, uint64_t method, int32_t bci,
                                    uint32_t space);
/** Keep a result. Its frame is not 0 and is not in the cache yet. */
void frame_cache_keep(struct frame_cache *c, struct frame_cache_row row);
