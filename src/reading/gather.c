/*
 * gather.c - see gather.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reading/gather.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reading/load.h"
#include "base/diag.h"
#include "profile/carry.h"
#include "profile/found.h"
#include "profile/frame_list.h"
#include "profile/levels.h"
#include "profile/moments.h"
#include "profile/process_set.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "profile/typed_events.h"

/* One file that is being copied into the profile of all files. */
struct gather {
    struct carry carry;
    frame_id root;    /* the frame of the file; 0: its threads belong to a process */
    trace_id *traces; /* trace in the profile of all, by trace of the file; 0: not there yet */
    struct frame_list stack;
};

/* Copies a trace, and makes the file's frame (if there is one) its outermost frame. 0: no
 * memory. */
static trace_id trace_below(struct gather *g, trace_id id)
{
    trace_id carried = g->traces[id] ? 0 : carry_trace(&g->carry, id);
    const struct profile_trace *t = carried ? profile_trace_at(g->carry.to, carried) : NULL;
    if (!t)
        return g->traces[id];
    if (!g->root)
        return g->traces[id] = carried;
    if (!frame_list_reserve(&g->stack, t->depth + 1))
        return 0;
    memcpy(g->stack.frames, t->frames, t->depth * sizeof(*g->stack.frames));
    g->stack.frames[t->depth] = g->root;
    g->traces[id] = profile_trace(g->carry.to, 0, g->stack.frames, t->depth + 1);
    return g->traces[id];
}

/* Makes an event of a row of the file, without its values. Errors: 0, -ENOMEM. */
static int make_event(struct gather *g, enum kind_id kind, const struct sum *sum, struct event *ret)
{
    *ret = (struct event){.kind = kind, .trace = trace_below(g, sum->trace)};
    ret->klass = carry_class(&g->carry, sum->klass);
    ret->text = carry_string(&g->carry, sum->text);
    ret->context = carry_context(&g->carry, sum->context);
    return ret->trace && !ret->klass == !sum->klass && !ret->text == !sum->text ? 0 : -ENOMEM;
}

static int take_sums(struct gather *g, enum kind_id kind)
{
    const struct sums *sums = profile_sums(g->carry.from, kind);
    struct event event;
    int r = 0;
    for (uint32_t i = 1; i <= sums->rows.count && r == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        r = make_event(g, kind, sum, &event);
        memcpy(event.value, sum->value, kind_value_count(kind) * sizeof(*event.value));
        if (r == 0)
            r = profile_count(g->carry.to, &event);
    }
    return r;
}

static int take_moments(struct gather *g, const struct moments *moments)
{
    struct moments_at at = moments_begin(moments);
    struct moment m;
    struct event event;
    int r = 0;
    while (r == 0 && moments_next(&at, &m)) {
        r = make_event(g, m.kind, sums_at(profile_sums(g->carry.from, m.kind), m.row), &event);
        event.time_ns = m.time_ns;
        memcpy(event.value, m.value, sizeof(event.value));
        if (r == 0)
            r = profile_count_at(g->carry.to, &event);
    }
    if (moments->sample_ns)
        profile_moments(g->carry.to)->sample_ns = moments->sample_ns;
    return r;
}

/* Copies a value. A thread becomes 0, and so do a text and a class for which there is no memory. */
static union custom_value carry_value(struct gather *g, const struct custom_field *field,
                                      union custom_value value)
{
    string_id text;
    switch (field->sort) {
    case CUSTOM_TEXT:
        text = value.text ? profile_cstring(g->carry.to, value.text) : 0;
        value.text = text ? profile_string_at(g->carry.to, text)->bytes : NULL;
        return value;
    case CUSTOM_THREAD:
        return (union custom_value){.thread = 0};
    case CUSTOM_CLASS:
        return (union custom_value){.klass = carry_class(&g->carry, value.klass)};
    default:
        return value;
    }
}

/* Copies the events that the file's reader kept, and adds the number of all others. */
static int take_type(struct gather *g, const struct typed_type *from)
{
    struct typed_events *all = profile_typed(g->carry.to);
    struct typed_type *type = typed_events_type(all, &from->type, from->kinds);
    for (uint32_t i = 1; type && i <= from->kept.count; i++) {
        const struct typed_event *event = typed_events_kept(from, i);
        struct typed_event *to = typed_events_add(all, type, event->time_ns, event->duration_ns);
        if (!to)
            continue;
        to->trace = trace_below(g, event->trace);
        if (!to->trace)
            return -ENOMEM;
        to->context = carry_context(&g->carry, event->context);
        for (uint32_t k = 0; k < type->type.field_count; k++)
            to->values[k] = carry_value(g, &type->type.fields[k], event->values[k]);
    }
    if (type)
        type->count += from->count - from->kept.count;
    return type ? 0 : -ENOMEM;
}

static int take_types(struct gather *g)
{
    const struct typed_events *from = profile_typed(g->carry.from);
    int r = 0;
    for (uint32_t i = 1; i <= typed_events_count(from) && r == 0; i++)
        r = take_type(g, typed_events_at(from, i));
    return r;
}

/* If the file has the times of a kind's events, they are all events of that kind. All other kinds
 * are copied as sums. */
static int take_all(struct gather *g)
{
    const struct moments *moments = profile_moments(g->carry.from);
    uint32_t timed = moments->is_broken ? 0 : moments->kinds;
    int r = timed ? take_moments(g, moments) : 0;
    for (int kind = 0; kind < KIND_COUNT && r == 0; kind++)
        if (!(timed >> kind & 1))
            r = take_sums(g, (enum kind_id)kind);
    return r == 0 ? take_types(g) : r;
}

/* The name of the file's frame: "[app.Main pid=4711]", as frames of threads are named, or the
 * path. */
static string_id name_of(struct profile *from, struct profile *to, const struct gather_file *file)
{
    string_id program = profile_program(from), name = 0;
    const char *last = strrchr(file->path, '/');
    char *text = NULL;
    if (!file->pid)
        return profile_cstring(to, file->path);
    if (asprintf(&text, "[%s pid=%u]",
                 program ? profile_string_at(from, program)->bytes
                 : last  ? last + 1
                         : file->path,
                 file->pid) >= 0)
        name = profile_cstring(to, text);
    free(text);
    return name;
}

static frame_id root_frame(struct profile *p, string_id name)
{
    method_id method = name ? profile_method(p, 0, name, 0, 0) : 0;
    return method ? profile_frame_of(p, FRAME_NATIVE, method, -1, PROFILE_LINE_NONE) : 0;
}

/* The process for a file that does not name its JVM. */
static process_id process_for(struct profile *from, struct profile *to,
                              const struct gather_file *file)
{
    string_id program = profile_program(from);
    const struct process_set_row row = {
        .pid = file->pid,
        .name = profile_cstring(to, program ? profile_string_at(from, program)->bytes : file->path),
    };
    return file->pid ? process_set_of(profile_processes(to), &row)
                     : process_set_named(profile_processes(to), profile_cstring(to, file->path));
}

/* Copies facts. Levels belong to processes, so they are only copied if processes are kept. Other
 * facts come from the first file that has them. */
static void take_levels(struct gather *g)
{
    const struct found *from = profile_found(g->carry.from);
    struct found *to = profile_found(g->carry.to);
    const struct levels *levels = profile_levels(g->carry.from);
    for (uint32_t i = 1; !g->root && i <= levels_count(levels); i++) {
        struct level level = *levels_at(levels, i);
        level.process = carry_process(&g->carry, level.process);
        levels_add(profile_levels(g->carry.to), &level);
    }
    if (!to->processors) {
        to->processors = from->processors;
        to->processor = carry_string(&g->carry, from->processor);
    }
    if (!to->arguments)
        to->arguments = carry_string(&g->carry, from->arguments);
}

static int take_file(struct profile *from, struct profile *to, const struct gather_file *file,
                     bool with_processes)
{
    struct gather g = {.traces = calloc(profile_trace_count(from) + (size_t)1, sizeof(*g.traces))};
    int r = carry_init(&g.carry, from, to);

    bool has_own = with_processes && process_set_count(profile_processes(from)) > 0;

    if (!with_processes)
        g.root = root_frame(to, name_of(from, to, file));
    else if (!has_own)
        g.carry.process = process_for(from, to, file);
    take_levels(&g);
    found_add_time(profile_found(to), profile_found(from)->from_ns, profile_found(from)->to_ns);
    if (r == 0)
        r = g.traces && (g.root || has_own || g.carry.process) ? take_all(&g) : -ENOMEM;
    carry_done(&g.carry);
    free(g.traces);
    frame_list_done(&g.stack);
    return r;
}

int gather_open(const struct gather_file *files, size_t count, const struct load_how *how,
                struct diag *diag, struct load *ret_load)
{
    struct load_how apart = *how;
    int r = 0;
    *ret_load = (struct load){.profile = profile_new(SIZE_MAX)};
    if (!ret_load->profile) {
        diag_tell(diag, -ENOMEM, files[0].path, "%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    apart.want.with_threads = how->want.with_processes;
    for (size_t i = 0; i < count && r == 0; i++) {
        struct load load;
        r = load_open(files[i].path, &apart, diag, &load);
        if (r == 0) {
            ret_load->format = load.format;
            ret_load->damaged |= load.damaged;
            r = take_file(load.profile, ret_load->profile, &files[i], how->want.with_processes);
            if (r < 0)
                diag_tell(diag, r, files[i].path, "%s", strerror(ENOMEM));
        }
        load_close(&load);
    }
    return r;
}
