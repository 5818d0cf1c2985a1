/*
 * traces.c - see traces.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/traces.h"
#include <string.h>
#include "agent/names/frame_room.h"
#include "agent/names/names.h"

static void cut(struct traces_stack *stack)
{
    if (stack->count <= stack->depth)
        return;
    stack->count = stack->depth;
    stack->is_cut = true;
}

int traces_take(const struct agent *a, jthread thread, int skip, int depth,
                struct traces_stack *ret)
{
    jint own = thread ? OWN_CLASS_FRAMES : 0;
    ret->depth = depth < TRACES_DEPTH_MAX ? (jint)depth : TRACES_DEPTH_MAX;
    ret->count = ret->own = 0;
    ret->is_cut = false;
    /* Ask for one more frame than wanted, to know whether there are more. */
    if (ret->depth > 0 &&
        (*a->vm.main)
                ->GetStackTrace(a->vm.main, thread, (jint)skip, ret->depth + own + 1, ret->frames,
                                &ret->count) != JVMTI_ERROR_NONE) {
        ret->count = 0;
        return -1;
    }
    if (!thread)
        cut(ret);
    return 0;
}

void traces_again(const struct agent *a, const jvmtiFrameInfo *frames, uint32_t bytes, bool is_cut,
                  struct traces_stack *ret)
{
    int depth = a->options.depth;
    memcpy(ret->frames, frames, bytes);
    ret->count = (jint)(bytes / sizeof(*frames));
    ret->depth = depth < TRACES_DEPTH_MAX ? (jint)depth : TRACES_DEPTH_MAX;
    ret->own = 0;
    ret->is_cut = is_cut;
}

/* Take the `own` innermost frames away; they belong to a tracker. */
static void drop(struct traces_stack *stack, jint own)
{
    stack->own += own;
    stack->count -= own;
    if (own > 0)
        memmove(stack->frames, stack->frames + own, (size_t)stack->count * sizeof(*stack->frames));
    cut(stack);
}

/* `frames` has TRACES_ROOM. Returns how many of them are the stack. */
static uint32_t frames_of(struct agent *a, struct traces_stack *stack, frame_id *frames)
{
    jint own = 0;
    uint32_t depth = 0;
    for (jint i = 0; i < stack->count; i++) {
        const struct walk_frame f = {
            .method = (uint64_t)(uintptr_t)stack->frames[i].method,
            .bci = stack->frames[i].location < 0 ? -1 : (int32_t)stack->frames[i].location};
        struct frame_found found = frame_room_find(a, WALK_NAMES_JMETHODID, &f);
        if (!found.frame)
            found.frame = frame_room_unknown(a);
        if (found.is_own) {
            own = i + 1;
            depth = 0;
        } else if (found.frame) {
            frames[depth++] = found.frame;
        }
    }
    drop(stack, own);
    return depth < (uint32_t)stack->depth ? depth : (uint32_t)stack->depth;
}

trace_id traces_of_thread(struct agent *a, thread_id thread, struct traces_stack *stack)
{
    frame_id frames[TRACES_ROOM];
    uint32_t depth = frames_of(a, stack, frames);
    return profile_trace(a->profile, thread, frames, depth);
}

trace_id traces_of(struct agent *a, thread_id thread, struct traces_stack *stack)
{
    return traces_of_thread(a, a->options.thread ? thread : 0, stack);
}

trace_id traces_find(struct agent *a, thread_id thread, struct traces_stack *stack)
{
    frame_id frames[TRACES_ROOM];
    uint32_t depth = frames_of(a, stack, frames);
    return profile_find_trace(a->profile, a->options.thread ? thread : 0, frames, depth);
}
