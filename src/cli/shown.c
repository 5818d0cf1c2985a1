/*
 * shown.c - see shown.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/shown.h"
#include <errno.h>
#include <stdlib.h>
#include "cli/demangle.h"
#include "cli/summary.h"

enum { FRAME_OPEN = 0, FRAME_NONE = UINT32_MAX }; /* not looked at yet; left out */

int shown_init(struct shown *s, struct profile *profile, bool with_hidden)
{
    *s = (struct shown){
        .profile = profile,
        .with_hidden = with_hidden,
        .frames = calloc(profile_frame_count(profile) + (size_t)1, sizeof(*s->frames)),
    };
    return s->frames ? 0 : -ENOMEM;
}

void shown_done(struct shown *s)
{
    free(s->frames);
    free(s->stack);
}

/* A C++ function without its parameters. */
static frame_id demangled(struct profile *p, frame_id id)
{
    const struct profile_frame frame = *profile_frame_at(p, id);
    const struct profile_method method = *profile_method_at(p, frame.method);
    char *owned = NULL;
    const char *name =
        method.name != 0 ? demangle(profile_string_at(p, method.name)->bytes, &owned) : "";

    if (owned) {
        string_id text = profile_string(p, name, demangle_without_parameters(name));
        method_id clean = profile_method(p, method.klass, text, method.descriptor, method.source);

        if (clean != 0)
            id = profile_frame_of(p, frame.kind, clean, frame.bci, frame.line);
    }
    free(owned);
    return id;
}

static frame_id show_frame(struct shown *s, frame_id id)
{
    if (s->frames[id] == FRAME_OPEN) {
        if (!s->with_hidden && summary_is_hidden(s->profile, id))
            s->frames[id] = FRAME_NONE;
        else
            s->frames[id] = profile_frame_at(s->profile, id)->kind == FRAME_NATIVE
                                ? demangled(s->profile, id)
                                : id;
    }
    return s->frames[id];
}

trace_id shown_trace(struct shown *s, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(s->profile, id);
    uint32_t depth = 0;

    if (trace->depth > s->stack_room) {
        frame_id *stack = realloc(s->stack, trace->depth * sizeof(*stack));

        if (!stack)
            return 0;
        s->stack = stack;
        s->stack_room = trace->depth;
    }
    for (uint32_t i = 0; i < trace->depth; i++) {
        frame_id frame = show_frame(s, trace->frames[i]);

        if (frame != FRAME_NONE)
            s->stack[depth++] = frame;
        else if (i + 1 == trace->depth && depth == 0)
            s->stack[depth++] = trace->frames[i];
    }
    return profile_trace(s->profile, trace->thread, s->stack, depth);
}
