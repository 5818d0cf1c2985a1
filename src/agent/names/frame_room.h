/*
 * frame_room.h - turns a frame of a stack into a frame of the model, which has a name.
 *
 * A stack gives a number and a bytecode index for each frame. The kind of the frame says what the
 * number means; for a Java frame the walker says it (enum walk_names). For each meaning there is
 * one namer: a file frame_NAME.c, in the list in src/agent/meson.build. The namer is asked once for
 * a frame. The result goes into one cache for all namers, so a frame that was met before costs one
 * look-up. All functions need the agent's lock.
 * Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/names/frame_cache.h"
#include "safe/walk.h"

struct agent;

struct frame_namer {
    enum walk_names names; /* the meaning of the numbers that the namer knows */
    /** Find the frame of the model; 0: the method is gone, or no memory. */
    frame_id (*name)(struct agent *a, const struct walk_frame *f);
    /**
     * The era of the frame's number. A number may change its meaning, for example when a library is
     * removed; a new era begins then, and results of other eras are not used. Eras are counted
     * modulo FRAME_ROOM_ERAS. NULL: numbers keep their meaning.
     */
    uint32_t (*era)(const struct walk_frame *f);
    /** Whether the name of the frame only says "unknown". NULL: it never does. */
    bool (*is_blank)(const struct walk_frame *f);
};

enum { FRAME_ROOM_ERAS = 1 << 24 };

extern const struct frame_namer *const frame_namer_all[];

void frame_room_init(uint64_t mem_bytes);
void frame_room_done(void);
/** Whether from now on frames also say how their code ran (enum frame_kind). If so, one method may
 * have several frames. Needs the agent's lock. */
void frame_room_keep_kinds(bool keeps);

/** The model's frame for `f`. If `f` is a Java frame, `names` says what its number means. */
struct frame_found frame_room_find(struct agent *a, enum walk_names names,
                                   const struct walk_frame *f);
/** The frame with the same method and line, but without a kind. */
frame_id frame_room_plain(struct agent *a, frame_id frame);
/** The frame that stands for a frame that could not be found. 0: no memory. */
frame_id frame_room_unknown(struct agent *a);
