/*
 * carry.c - see carry.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/carry.h"
#include "profile/context.h"
#include "profile/process_set.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int carry_init(struct carry *c, struct profile *from, struct profile *to)
{
    *c = (struct carry){
        .from = from,
        .to = to,
        .threads = calloc(profile_thread_count(from) + (size_t)1, sizeof(*c->threads)),
    };
    return c->threads ? 0 : -ENOMEM;
}

void carry_done(struct carry *c)
{
    free(c->frames);
    free(c->threads);
    frame_list_done(&c->stack);
}

string_id carry_string(struct carry *c, string_id id)
{
    const struct profile_string *s = id ? profile_string_at(c->from, id) : NULL;
    return s ? profile_string(c->to, s->bytes, s->len) : 0;
}

class_id carry_class(struct carry *c, class_id id)
{
    string_id name = id ? carry_string(c, profile_class_at(c->from, id)->name) : 0;
    return name ? profile_class_named(c->to, name) : 0;
}

context_id carry_context(struct carry *c, context_id id)
{
    const struct context_set *from = profile_contexts(c->from);
    struct context_set *to = profile_contexts(c->to);
    struct context_row row = {{0}};
    for (uint32_t key = 0; key < from->key_count; key++) {
        int at = context_add_key(to, carry_string(c, from->keys[key].name),
                                 carry_string(c, from->keys[key].about));
        if (at >= 0)
            row.value[at] = carry_string(c, context_value(from, id, (int)key));
    }
    return context_of(to, &row);
}

static frame_id carry_frame(struct carry *c, frame_id id)
{
    const struct profile_frame *frame = profile_frame_at(c->from, id);
    const struct profile_method *m = profile_method_at(c->from, frame->method);
    method_id method = profile_method(c->to, carry_class(c, m->klass), carry_string(c, m->name),
                                      c->names_only ? 0 : carry_string(c, m->descriptor),
                                      carry_string(c, m->source));
    enum frame_kind kind = (enum frame_kind)frame->kind;
    if (!method)
        return 0;
    if (!c->names_only)
        return profile_frame_of(c->to, kind, method, frame->bci, frame->line);
    return profile_frame_of(c->to, frame_kind_plain(kind), method, -1, PROFILE_LINE_NONE);
}

process_id carry_process(struct carry *c, process_id id)
{
    struct process_set_row row;
    if (!id)
        return c->process;
    row = *process_set_at(profile_processes(c->from), id);
    row.name = carry_string(c, row.name);
    return process_set_of(profile_processes(c->to), &row);
}

/* Copies a thread that belongs to a process. `t` NULL: the thread is unknown. */
static thread_id carry_member(struct carry *c, thread_id id, const struct profile_thread *t)
{
    process_id process;
    if (c->threads[id])
        return c->threads[id];
    process = carry_process(c, t ? t->process : 0);
    if (process)
        c->threads[id] =
            profile_thread_in(c->to, process, t ? t->serial : 0, t ? carry_string(c, t->name) : 0);
    return c->threads[id];
}

static thread_id carry_thread(struct carry *c, thread_id id)
{
    const struct profile_thread *t = id ? profile_thread_at(c->from, id) : NULL;
    if (t ? t->process || c->process : c->process)
        return carry_member(c, id, t);
    if (t && !c->threads[id])
        c->threads[id] =
            profile_add_thread(c->to, t->serial, t->object, carry_string(c, t->name),
                               carry_string(c, t->group), carry_string(c, t->parent_group));
    return t ? c->threads[id] : 0;
}

/* Makes room for the map of all frames that exist now, and for a stack of `depth` frames. */
static bool has_room(struct carry *c, uint32_t depth)
{
    uint32_t count = profile_frame_count(c->from);
    if (!c->frames || count > c->frame_count) {
        size_t known = c->frames ? c->frame_count + (size_t)1 : 0;
        uint32_t more = count + count / 2;
        frame_id *frames = realloc(c->frames, (more + (size_t)1) * sizeof(*frames));
        if (!frames)
            return false;
        memset(frames + known, 0, (more + (size_t)1 - known) * sizeof(*frames));
        c->frames = frames;
        c->frame_count = more;
    }
    return frame_list_reserve(&c->stack, depth);
}

trace_id carry_trace(struct carry *c, trace_id id)
{
    const struct profile_trace *t = profile_trace_at(c->from, id);
    if (!has_room(c, t->depth))
        return 0;
    for (uint32_t i = 0; i < t->depth; i++) {
        frame_id frame = t->frames[i];
        if (!c->frames[frame])
            c->frames[frame] = carry_frame(c, frame);
        c->stack.frames[i] = c->frames[frame];
        if (!c->stack.frames[i])
            return 0;
    }
    return profile_trace(c->to, c->names_only ? 0 : carry_thread(c, t->thread), c->stack.frames,
                         t->depth);
}
