/*
 * frame_room.h - where the frames of stacks get their names: the one way from what a stack says of
 * a frame to the model's frame.
 *
 * What a stack says is a number and a bytecode index; whose numbers they are says the kind of the
 * frame, and for Java's the walker. For each sort of numbers there is a row, a file frame_NAME.c,
 * in the list in src/agent/meson.build. A row is asked once; what it finds goes into one cache for
 * all, so a frame that was met before costs one look-up.
 * All functions need the agent's lock. Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/frame/frame_cache.h"
#include "safe/walk.h"

struct agent;

struct frame_namer {
    enum walk_names names; /* the numbers that it knows */
    /** The frame of the model; 0: the method is gone, or no memory. */
    frame_id (*name)(struct agent *a, const struct walk_frame *f);
    /**
     * Which of several lives of its number a frame has: what was found for another life does not
     * count. Below FRAME_ROOM_ERAS. NULL: numbers keep their meaning.
     */
    uint32_t (*era)(const struct walk_frame *f);
    /** Whether the name that it gave says only that nobody knows. NULL: it never does. */
    bool (*is_blank)(const struct walk_frame *f);
};

enum { FRAME_ROOM_ERAS = 1 << 24 };

extern const struct frame_namer *const frame_namer_all[];

void frame_room_init(uint64_t mem_bytes);
void frame_room_done(void);
/** Whether frames say from now on how their code ran (enum frame_kind): then one method is several
 * frames. Needs the agent's lock. */
void frame_room_keep_kinds(bool keeps);

/** The model's frame of `f`, whose Java frames have the numbers `names`. */
struct frame_found frame_room_find(struct agent *a, enum walk_names names,
                                   const struct walk_frame *f);
/** The same frame as it is where nobody wants kinds. */
frame_id frame_room_plain(struct agent *a, frame_id frame);
/** The frame that stands for one that could not be found. 0: no memory. */
frame_id frame_room_unknown(struct agent *a);
