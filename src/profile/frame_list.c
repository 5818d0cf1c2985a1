/*
 * frame_list.c - see frame_list.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/frame_list.h"
#include <stddef.h>
#include <stdlib.h>

enum { FRAMES_LEAST = 64 };

void frame_list_done(struct frame_list *l)
{
    free(l->frames);
    *l = (struct frame_list){0};
}

bool frame_list_reserve(struct frame_list *l, uint32_t depth)
{
    size_t room = (size_t)depth + depth / 4 + FRAMES_LEAST;
    if (l->frames && depth <= l->room)
        return true;
    if (room > UINT32_MAX)
        return false;
    frame_id *frames = realloc(l->frames, room * sizeof(*frames));
    if (!frames)
        return false;
    l->frames = frames;
    l->room = (uint32_t)room;
    return true;
}
