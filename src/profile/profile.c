/*
 * profile.c - the profile model: tables of interned rows. See profile.h.
 *
 * A table has rows (table.h); if its rows are interned or found by number, it has a lookup too. An
 * add first makes room everywhere and changes rows only after that, so a failed add changes nothing
 * but the count of losses.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/profile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "profile/context.h"
#include "profile/found.h"
#include "profile/lookup.h"
#include "profile/moments.h"
#include "profile/levels.h"
#include "profile/process_set.h"
#include "profile/sums.h"
#include "profile/table.h"
#include "profile/typed_events.h"

struct profile {
    struct arena arena;
    struct lookup_key key;
    struct table strings, classes, methods, frames, traces, threads;
    struct tally *tally; /* in `arena` */
    struct lookup string_index, class_by_name, method_index, frame_index, trace_index,
        thread_by_serial;
    uint64_t lost;
    string_id program;
    struct {
        const char *format; /* NULL: there is none */
        void *at;
    } attachment;
    struct {
        struct context_set contexts;
        struct process_set processes;
        struct found found;
        struct moments moments;
        struct levels levels;
        struct typed_events typed;
    } parts;
    struct { /* the rows with id 0: without a name, a frame or a class */
        struct profile_class klass;
        struct profile_method method;
        struct profile_frame frame;
        struct profile_trace trace;
        struct profile_thread thread;
    } none;
};

struct profile *profile_new(size_t budget)
{
    struct profile *p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    arena_init(&p->arena, budget);
    lookup_key_init(&p->key);
    table_init(&p->strings, sizeof(struct profile_string));
    table_init(&p->classes, sizeof(struct profile_class));
    table_init(&p->methods, sizeof(struct profile_method));
    table_init(&p->frames, sizeof(struct profile_frame));
    table_init(&p->traces, sizeof(struct profile_trace));
    table_init(&p->threads, sizeof(struct profile_thread));
    p->tally = tally_new(&p->key, &p->arena, 0);
    context_init(&p->parts.contexts, &p->arena, &p->key);
    process_set_init(&p->parts.processes, &p->arena, &p->key);
    levels_init(&p->parts.levels, &p->arena);
    typed_events_init(&p->parts.typed, &p->arena, &p->key);
    if (!p->tally || profile_trace(p, 0, NULL, 0) != 1) {
        profile_free(p);
        return NULL;
    }
    return p;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    tally_free(p->tally);
    arena_done(&p->arena);
    free(p);
}

static uint32_t lose(struct profile *p)
{
    p->lost++;
    return 0;
}

string_id profile_string(struct profile *p, const char *bytes, size_t len)
{
    uint32_t hash = lookup_hash(&p->key, bytes, len);
    uint32_t at = hash;
    string_id id;
    while ((id = lookup_next(&p->string_index, hash, &at)) != 0) {
        const struct profile_string *s = table_at(&p->strings, id);
        if (s->len == len && (len == 0 || memcmp(s->bytes, bytes, len) == 0))
            return id;
    }
    if (len >= UINT32_MAX || !lookup_reserve(&p->string_index, &p->arena))
        return lose(p);
    char *copy = arena_alloc(&p->arena, len + 1);
    struct profile_string *s = copy ? table_add(&p->strings, &p->arena) : NULL;
    if (!s)
        return lose(p);
    if (len > 0)
        memcpy(copy, bytes, len);
    s->bytes = copy;
    s->len = (uint32_t)len;
    lookup_add(&p->string_index, hash, p->strings.count);
    return p->strings.count;
}

string_id profile_cstring(struct profile *p, const char *text)
{
    return profile_string(p, text, strlen(text));
}

static class_id class_by_name(const struct profile *p, string_id name, uint32_t hash)
{
    uint32_t at = hash;
    class_id id;
    while ((id = lookup_next(&p->class_by_name, hash, &at)) != 0) {
        if (((const struct profile_class *)table_at(&p->classes, id))->name == name)
            break;
    }
    return id;
}

/* Readers and writers need a name for each class. Returns 0 if there is no room for it. */
static string_id name_of_class(struct profile *p, string_id name)
{
    return name ? name : profile_cstring(p, "unknown");
}

class_id profile_add_class(struct profile *p, string_id name)
{
    name = name_of_class(p, name);
    if (!name)
        return lose(p);
    uint32_t hash = lookup_hash(&p->key, &name, sizeof(name));
    int first = class_by_name(p, name, hash) == 0;
    if (first && !lookup_reserve(&p->class_by_name, &p->arena))
        return lose(p);
    struct profile_class *c = table_add(&p->classes, &p->arena);
    if (!c)
        return lose(p);
    c->name = name;
    if (first)
        lookup_add(&p->class_by_name, hash, p->classes.count);
    return p->classes.count;
}

class_id profile_class_named(struct profile *p, string_id name)
{
    name = name_of_class(p, name);
    class_id id = class_by_name(p, name, lookup_hash(&p->key, &name, sizeof(name)));
    return id ? id : profile_add_class(p, name);
}

method_id profile_method(struct profile *p, class_id klass, string_id name, string_id descriptor,
                         string_id source)
{
    const uint32_t key[] = {klass, name, descriptor, source};
    uint32_t hash = lookup_hash(&p->key, key, sizeof(key));
    uint32_t at = hash;
    method_id id;
    while ((id = lookup_next(&p->method_index, hash, &at)) != 0) {
        const struct profile_method *m = table_at(&p->methods, id);
        if (m->klass == klass && m->name == name && m->descriptor == descriptor &&
            m->source == source)
            return id;
    }
    if (!lookup_reserve(&p->method_index, &p->arena))
        return lose(p);
    struct profile_method *m = table_add(&p->methods, &p->arena);
    if (!m)
        return lose(p);
    *m = (struct profile_method){klass, name, descriptor, source};
    lookup_add(&p->method_index, hash, p->methods.count);
    return p->methods.count;
}

frame_id profile_frame(struct profile *p, method_id method, int32_t bci, int32_t line)
{
    return profile_frame_of(p, FRAME_JAVA, method, bci, line);
}

frame_id profile_frame_of(struct profile *p, enum frame_kind kind, method_id method, int32_t bci,
                          int32_t line)
{
    const uint32_t key[] = {method, (uint32_t)bci, (uint32_t)line, kind};
    uint32_t hash = lookup_hash(&p->key, key, sizeof(key));
    uint32_t at = hash;
    frame_id id;
    while ((id = lookup_next(&p->frame_index, hash, &at)) != 0) {
        const struct profile_frame *f = table_at(&p->frames, id);
        if (f->method == method && f->bci == bci && f->line == line && f->kind == kind)
            return id;
    }
    if (!lookup_reserve(&p->frame_index, &p->arena))
        return lose(p);
    struct profile_frame *f = table_add(&p->frames, &p->arena);
    if (!f)
        return lose(p);
    *f = (struct profile_frame){.method = method, .bci = bci, .line = line, .kind = (uint8_t)kind};
    lookup_add(&p->frame_index, hash, p->frames.count);
    return p->frames.count;
}

trace_id profile_add_trace(struct profile *p, thread_id thread, const frame_id *frames,
                           uint32_t depth)
{
    frame_id *copy = NULL;
    if (depth > 0) {
        copy = arena_alloc(&p->arena, (size_t)depth * sizeof(*copy));
        if (!copy)
            return lose(p);
        memcpy(copy, frames, (size_t)depth * sizeof(*copy));
    }
    struct profile_trace *t = table_add(&p->traces, &p->arena);
    if (!t)
        return lose(p);
    *t = (struct profile_trace){.thread = thread, .depth = depth, .frames = copy};
    return p->traces.count;
}

/* Finds a trace. Also returns the hash for adding it. */
static trace_id find_trace(const struct profile *p, thread_id thread, const frame_id *frames,
                           uint32_t depth, uint32_t *ret_hash)
{
    /* The frames are hashed where they lie; the thread is mixed into the result. */
    uint32_t hash = lookup_hash(&p->key, frames, (size_t)depth * sizeof(*frames));
    hash ^= thread * 0x9e3779b9u;
    uint32_t at = *ret_hash = hash;
    trace_id id;
    while ((id = lookup_next(&p->trace_index, hash, &at)) != 0) {
        const struct profile_trace *t = table_at(&p->traces, id);
        if (t->thread == thread && t->depth == depth &&
            (depth == 0 || memcmp(t->frames, frames, (size_t)depth * sizeof(*frames)) == 0))
            return id;
    }
    return 0;
}

trace_id profile_find_trace(const struct profile *p, thread_id thread, const frame_id *frames,
                            uint32_t depth)
{
    uint32_t hash;
    return find_trace(p, thread, frames, depth, &hash);
}

trace_id profile_trace(struct profile *p, thread_id thread, const frame_id *frames, uint32_t depth)
{
    uint32_t hash;
    trace_id id = find_trace(p, thread, frames, depth, &hash);
    if (id != 0)
        return id;
    if (!lookup_reserve(&p->trace_index, &p->arena))
        return lose(p);
    id = profile_add_trace(p, thread, frames, depth);
    if (id != 0)
        lookup_add(&p->trace_index, hash, id);
    return id;
}

thread_id profile_thread_by_serial(const struct profile *p, uint32_t serial)
{
    uint32_t hash = lookup_hash(&p->key, &serial, sizeof(serial));
    uint32_t at = hash;
    thread_id id;
    while ((id = lookup_next(&p->thread_by_serial, hash, &at)) != 0) {
        if (((const struct profile_thread *)table_at(&p->threads, id))->serial == serial)
            break;
    }
    return id;
}

thread_id profile_add_thread(struct profile *p, uint32_t serial, uint32_t object, string_id name,
                             string_id group, string_id parent_group)
{
    if (!lookup_reserve(&p->thread_by_serial, &p->arena))
        return lose(p);
    struct profile_thread *t = table_add(&p->threads, &p->arena);
    if (!t)
        return lose(p);
    *t = (struct profile_thread){.serial = serial,
                                 .object = object,
                                 .name = name,
                                 .group = group,
                                 .parent_group = parent_group};
    if (profile_thread_by_serial(p, serial) == 0)
        lookup_add(&p->thread_by_serial, lookup_hash(&p->key, &serial, sizeof(serial)),
                   p->threads.count);
    return p->threads.count;
}

thread_id profile_thread_in(struct profile *p, process_id process, uint32_t serial, string_id name)
{
    struct process_set *set = &p->parts.processes;
    thread_id id = process_set_thread(set, process, serial);
    if (id)
        return id;
    id = profile_add_thread(p, serial, 0, name, 0, 0);
    if (!id)
        return 0;
    profile_thread_at(p, id)->process = process;
    return process_set_add_thread(set, process, serial, id) == 0 ? id : lose(p);
}

bool profile_thread_is_rest(const struct profile *p, thread_id thread)
{
    const struct profile_thread *row = thread ? table_at(&p->threads, thread) : NULL;
    return row && row->process && row->serial == 0;
}

struct process_set *profile_processes(struct profile *p)
{
    return &p->parts.processes;
}

process_id profile_process_of(struct profile *p, thread_id thread)
{
    process_id process = thread ? profile_thread_at(p, thread)->process : 0;
    return process || process_set_count(&p->parts.processes) != 1 ? process : 1;
}

void profile_end_thread(struct profile *p, thread_id thread)
{
    profile_thread_at(p, thread)->ended = true;
}

/* Gives objects the class "unknown" if the file does not tell their class. */
static int complete(struct profile *p, struct event *event)
{
    bool has_class = kind_all[event->kind]->is_of_class;
    if (has_class && !event->klass)
        event->klass = profile_class_named(p, 0);
    return has_class && !event->klass ? -ENOMEM : 0;
}

int profile_count(struct profile *p, const struct event *event)
{
    struct event whole = *event;
    int r = complete(p, &whole);
    return r < 0 ? r : profile_count_in(p, p->tally, &whole);
}

int profile_count_at(struct profile *p, const struct event *event)
{
    struct event whole = *event;
    int r = complete(p, &whole);
    struct moment m = {.kind = event->kind, .time_ns = event->time_ns};
    if (r == 0)
        r = profile_count_in(p, p->tally, &whole);
    if (r < 0)
        return r;
    m.row = sums_row(profile_sums(p, event->kind), &p->key, &whole);
    memcpy(m.value, event->value, sizeof(m.value));
    (void)moments_add(&p->parts.moments, &p->arena, &m);
    return 0;
}

struct context_set *profile_contexts(struct profile *p)
{
    return &p->parts.contexts;
}

struct levels *profile_levels(struct profile *p)
{
    return &p->parts.levels;
}

struct typed_events *profile_typed(struct profile *p)
{
    return &p->parts.typed;
}

struct moments *profile_moments(struct profile *p)
{
    return &p->parts.moments;
}

int profile_count_in(struct profile *p, struct tally *t, const struct event *event)
{
    int r = tally_add(t, event);
    if (r == -ENOMEM)
        lose(p);
    return r;
}

struct tally *profile_tally(struct profile *p)
{
    return p->tally;
}

struct tally *profile_tally_new(struct profile *p, size_t budget)
{
    return tally_new(&p->key, NULL, budget);
}

struct sums *profile_sums(struct profile *p, enum kind_id kind)
{
    return tally_sums(p->tally, kind);
}

const struct sum *profile_sum_of(const struct profile *p, enum kind_id kind, trace_id trace)
{
    return sums_of_trace(tally_sums(p->tally, kind), &p->key, trace);
}

void profile_set_quality(struct profile *p, const char *name, uint64_t count)
{
    if (tally_set_quality(p->tally, name, count) != 0)
        lose(p);
}

const struct profile_quality *profile_quality(const struct profile *p, uint32_t *ret_count)
{
    return tally_quality(p->tally, ret_count);
}

uint64_t profile_lost(const struct profile *p)
{
    return p->lost;
}

void profile_set_program(struct profile *p, string_id name)
{
    p->program = name;
}

string_id profile_program(const struct profile *p)
{
    return p->program;
}

struct found *profile_found(struct profile *p)
{
    return &p->parts.found;
}

void profile_attach(struct profile *p, const char *format, void *attachment)
{
    p->attachment.format = format;
    p->attachment.at = attachment;
}

void *profile_attachment(const struct profile *p, const char *format)
{
    const char *has = p->attachment.format;
    return has && strcmp(has, format) == 0 ? p->attachment.at : NULL;
}

struct arena *profile_arena(struct profile *p)
{
    return &p->arena;
}

void profile_lose(struct profile *p)
{
    p->lost++;
}

uint64_t profile_bytes(const struct profile *p)
{
    return p->arena.taken;
}

bool profile_is_crowded(const struct profile *p)
{
    return p->arena.taken > p->arena.budget / 4 * 3;
}

const struct profile_string *profile_string_at(struct profile *p, string_id id)
{
    static const struct profile_string none = {.bytes = "", .len = 0};
    return id ? table_at(&p->strings, id) : &none;
}

struct profile_class *profile_class_at(struct profile *p, class_id id)
{
    return id ? table_at(&p->classes, id) : &p->none.klass;
}

struct profile_method *profile_method_at(struct profile *p, method_id id)
{
    return id ? table_at(&p->methods, id) : &p->none.method;
}

struct profile_frame *profile_frame_at(struct profile *p, frame_id id)
{
    return id ? table_at(&p->frames, id) : &p->none.frame;
}

struct profile_trace *profile_trace_at(struct profile *p, trace_id id)
{
    return id ? table_at(&p->traces, id) : &p->none.trace;
}

struct profile_thread *profile_thread_at(struct profile *p, thread_id id)
{
    return id ? table_at(&p->threads, id) : &p->none.thread;
}

uint32_t profile_string_count(const struct profile *p)
{
    return p->strings.count;
}

uint32_t profile_method_count(const struct profile *p)
{
    return p->methods.count;
}

uint32_t profile_frame_count(const struct profile *p)
{
    return p->frames.count;
}

uint32_t profile_class_count(const struct profile *p)
{
    return p->classes.count;
}

uint32_t profile_trace_count(const struct profile *p)
{
    return p->traces.count;
}

uint32_t profile_thread_count(const struct profile *p)
{
    return p->threads.count;
}
