/*
 * frame_list.h - a stack that is being put together, before it becomes a trace.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

/** All zero: empty. Who fills it knows how many frames it has. */
struct frame_list {
    frame_id *frames;
    uint32_t room; /* for so many */
};

void frame_list_done(struct frame_list *l);
/** Makes room for `depth` frames and a quarter more, and keeps those that are there. Returns
 * whether there was memory; then `frames` is not NULL. */
bool frame_list_reserve(struct frame_list *l, uint32_t depth);
