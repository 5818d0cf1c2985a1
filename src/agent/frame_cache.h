/*
 * frame_cache.h - the model's frames by what the samples call them: a number for the method, and a
 * bytecode index.
 *
 * A cache: when its memory is full it forgets all and begins again. Needs the agent's lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"

struct frame_cache {
    struct arena arena;
    struct lookup_key key;
    struct table rows;
    struct lookup index;
};

void frame_cache_init(struct frame_cache *c, uint64_t bytes);
/** The frame remembered for (method, bci), 0 none. */
frame_id frame_cache_find(const struct frame_cache *c, uint64_t method, int32_t bci);
/** Remember `frame`, if it is one and there is room; returns it. */
frame_id frame_cache_add(struct frame_cache *c, uint64_t method, int32_t bci, frame_id frame);
/** Forget all. */
void frame_cache_forget(struct frame_cache *c);
/** Give its memory back. */
void frame_cache_done(struct frame_cache *c);
