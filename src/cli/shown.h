/*
 * shown.h - stacks as people read them: without hidden frames, C++ names demangled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/profile.h"

/** Frames as they are shown, by the frames of the profile. */
struct shown {
    struct profile *profile; /* borrowed; gets the frames that are made here */
    bool with_hidden;
    frame_id *frames;
    frame_id *stack;
    uint32_t stack_room;
};

/** Errors: 0, -ENOMEM. Only traces that there are now can be shown. Owner: shown_done(). */
int shown_init(struct shown *s, struct profile *profile, bool with_hidden);
void shown_done(struct shown *s);
/** Of nothing but hidden frames the outermost is shown. 0: no memory. */
trace_id shown_trace(struct shown *s, trace_id id);
