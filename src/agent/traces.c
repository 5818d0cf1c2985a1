/*
 * traces.c - see traces.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/traces.h"

int traces_take(const struct agent *a, jthread thread, int skip, int depth,
                struct traces_stack *ret)
{
    jint max = depth < TRACES_DEPTH_MAX ? (jint)depth : TRACES_DEPTH_MAX;

    ret->count = 0;
    if (max > 0 && (*a->jvmti)->GetStackTrace(a->jvmti, thread, (jint)skip, max, ret->frames,
                                              &ret->count) != JVMTI_ERROR_NONE) {
        ret->count = 0;
        return -1;
    }
    return 0;
}

static uint32_t frames_of(struct agent *a, const struct traces_stack *stack, frame_id *frames)
{
    uint32_t depth = 0;

    for (jint i = 0; i < stack->count; i++) {
        frame_id frame =
            names_frame(a, stack->frames[i].method,
                        stack->frames[i].location < 0 ? -1 : (int32_t)stack->frames[i].location);

        if (!frame)
            frame = names_unknown_frame(a);
        if (frame)
            frames[depth++] = frame;
    }
    return depth;
}

trace_id traces_of(struct agent *a, thread_id thread, const struct traces_stack *stack)
{
    frame_id frames[TRACES_DEPTH_MAX];
    uint32_t depth = frames_of(a, stack, frames);

    return profile_trace(a->profile, a->options.thread ? thread : 0, frames, depth);
}

trace_id traces_find(struct agent *a, thread_id thread, const struct traces_stack *stack)
{
    frame_id frames[TRACES_DEPTH_MAX];
    uint32_t depth = frames_of(a, stack, frames);

    return profile_find_trace(a->profile, a->options.thread ? thread : 0, frames, depth);
}
