/*
 * frame_list.h - a stack that is being built before it becomes a trace.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

/** All zero: empty. The user of the list counts the frames. */
struct frame_list {
    frame_id *frames;
    uint32_t room; /* number of frames that fit */
};

void frame_list_done(struct frame_list *l);
/** Make room for at least `depth` frames (a quarter more); the frames in the list stay. Returns
 * false if there is no memory; after true `frames` is not NULL. */
bool frame_list_reserve(struct frame_list *l, uint32_t depth);
