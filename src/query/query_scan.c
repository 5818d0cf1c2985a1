/*
 * query_scan.c - see query_scan.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_scan.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/jfr_drawn.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"
#include "kind/kind.h"
#include "profile/profile.h"
#include "query/query_jfr.h"
#include "query/query_limit.h"
#include "query/query_state.h"

enum {
    EVENTS_BETWEEN = 1 << 14, /* events between two looks at the clock */
    NAME = 1024,
    FIELDS_MAX = 1 << 16,
};

void query_scan_begin(struct query_scan *s, struct query *q, const struct query_scan_wants *wants)
{
    *s = (struct query_scan){.query = q, .wants = *wants};
    idmap_init(&s->texts);
    idmap_init(&s->threads);
}

/* ---- inputs and chunks */

/* Says what was damaged, once for each input. */
static void tell_damage(struct query_scan *s)
{
    const struct jfr_file *f = &s->file;
    struct query_input *in = &s->query->inputs[s->input - 1];
    if (f->damage_count == 0 || in->is_damage_told)
        return;
    in->is_damage_told = true;
    s->query->is_damaged = true;
    jfr_file_tell_damage(f, in->word, s->query->options.diag);
}

static void forget_chunk(struct query_scan *s)
{
    if (s->has_stacks)
        jfr_stacks_done(&s->stacks);
    s->has_stacks = false;
    idmap_done(&s->texts);
    idmap_done(&s->threads);
    idmap_init(&s->texts);
    idmap_init(&s->threads);
}

static void close_input(struct query_scan *s)
{
    forget_chunk(s);
    if (s->is_open) {
        jfr_file_close(&s->file);
        feed_done(&s->feed);
    }
    s->is_open = false;
}

/* Opens the next JFR input. Returns 1; 0: there are no more; negative. */
static int open_input(struct query_scan *s)
{
    const struct jfr_chunk_reading how = {.with_constants = s->wants.with_constants};
    while (s->input < s->query->input_count) {
        const struct query_input *in = &s->query->inputs[s->input++];
        if (!in->is_jfr)
            continue;
        int error = feed_open(&s->feed, in->fd);
        if (error < 0)
            return error;
        s->is_open = true;
        error = jfr_file_open(&s->file, &s->feed, &how);
        return error < 0 ? error : 1;
    }
    return 0;
}

static int32_t first_of(const struct jfr_type *type, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int at = jfr_type_find(type, names[i]);
        if (at >= 0)
            return at;
    }
    return -1;
}

/* The field that says how many bytes an event is about: that of the kind of the event, or else the
 * first that is marked as an amount of bytes. */
static int32_t bytes_field(const struct jfr_type *type)
{
    enum kind_id id;
    const struct kind_jfr *row = kind_jfr_named(type->known_as, &id);
    for (uint32_t i = 0; row && row->of == KIND_JFR_OF_NAME && i < KIND_JFR_VALUES; i++)
        if (row->values[i] && row->skipped + i < KIND_VALUES &&
            kind_all[id]->values[row->skipped + i].words &&
            kind_all[id]->values[row->skipped + i].unit == KIND_UNIT_BYTES &&
            jfr_type_find(type, row->values[i]) >= 0)
            return jfr_type_find(type, row->values[i]);
    const char *name = jfr_drawn_bytes(type);
    return name ? jfr_type_find(type, name) : -1;
}

static void bind(struct query_scan *s, const struct jfr_type *type)
{
    static const char *const threads[] = {"eventThread", "sampledThread"};
    struct query_scan_bind *b = &s->binds[type->number];
    const struct query_jfr_type *known = query_jfr_find(s->query->jfr, type->name);
    if (!known || (s->wants.only && s->wants.only != known) ||
        (s->wants.types && !s->wants.types[known->number]))
        return;
    *b = (struct query_scan_bind){
        .type = type,
        .known = known,
        .start = jfr_type_find(type, "startTime"),
        .duration = jfr_type_find(type, "duration"),
        .thread = first_of(type, threads, sizeof(threads) / sizeof(threads[0])),
        .stack = jfr_type_find(type, "stackTrace"),
        .bytes = bytes_field(type),
    };
}

/* Binds the types of the chunk. Returns whether any is wanted; negative: no memory. */
static int bind_chunk(struct query_scan *s)
{
    const struct jfr_metadata *m = &s->file.chunk.metadata;
    bool has_any = false;
    if (!s->file.chunk.has_types)
        return 0;
    if (m->type_count > s->bind_room) {
        free(s->binds);
        s->binds = malloc(m->type_count * sizeof(*s->binds));
        s->bind_room = s->binds ? m->type_count : 0;
        if (!s->binds)
            return -ENOMEM;
    }
    memset(s->binds, 0, m->type_count * sizeof(*s->binds));
    for (uint32_t i = 0; i < m->type_count; i++)
        if (jfr_chunk_type(&s->file.chunk, m->types[i].id) == &m->types[i]) {
            bind(s, &m->types[i]);
            has_any |= s->binds[i].known != NULL;
        }
    return has_any;
}

/* Whether events of the chunk may begin in the wanted time. An event that began before its chunk is
 * written into the chunk in which it ends. */
static bool may_have_time(const struct query_scan *s)
{
    const struct jfr_chunk *c = &s->file.chunk;
    int64_t end;
    return !c->is_finished ||
           __builtin_add_overflow(c->header.start_ns, c->header.duration_ns, &end) ||
           __builtin_add_overflow(end, JFR_CHUNK_MOVED_NS, &end) || end >= s->wants.from_ns;
}

/* Goes to the next chunk that may have wanted events. Returns 1; 0: there are no more; negative. */
static int next_chunk(struct query_scan *s)
{
    for (;;) {
        int got = s->is_open ? jfr_file_next_chunk(&s->file) : 0;
        if (got < 0 && got != E_UNSUPPORTED)
            return got;
        forget_chunk(s);
        if (got <= 0) {
            if (s->is_open)
                tell_damage(s);
            close_input(s);
            got = open_input(s);
            if (got <= 0)
                return got;
            continue;
        }
        s->chunk++;
        got = bind_chunk(s);
        if (got < 0)
            return got;
        if (got == 0 || !may_have_time(s))
            continue;
        s->jvm = s->wants.with_constants ? jfr_place_jvm(&s->file.chunk) : 0;
        return 1;
    }
}

/* ---- events */

static bool is_in_time(struct query_scan *s)
{
    if (s->wants.from_ns == INT64_MIN && s->wants.to_ns == INT64_MAX)
        return true;
    int64_t start = query_scan_start_ns(s);
    return start >= s->wants.from_ns && start <= s->wants.to_ns;
}

static bool grow_fits(struct query_scan *s, uint32_t id)
{
    uint32_t room = id + 1 > s->thread_room * 2 ? id + 256 : s->thread_room * 2;
    uint8_t *more = realloc(s->thread_fits, room);
    if (!more)
        return false;
    memset(more + s->thread_room, 0, room - s->thread_room);
    s->thread_fits = more;
    s->thread_room = room;
    return true;
}

static bool is_of_thread(struct query_scan *s)
{
    struct jfr_value thread;
    if (!s->wants.thread)
        return true;
    query_scan_field(s, s->bind->thread, &thread);
    uint32_t id = query_scan_thread(s, &thread);
    if (id == 0 || (id >= s->thread_room && !grow_fits(s, id)))
        return id != 0;
    if (s->thread_fits[id] == 0) {
        string_id name = query_threads_at(s->query->threads, id)->name;
        bool fits =
            name && strcmp(profile_string_at(s->query->model, name)->bytes, s->wants.thread) == 0;
        s->thread_fits[id] = fits ? 1 : 2;
    }
    return s->thread_fits[id] == 1;
}

int query_scan_next(struct query_scan *s)
{
    for (uint32_t seen = 1;; seen++) {
        int got = s->is_open ? jfr_file_next_record(&s->file, &s->record) : 0;
        if (got <= 0) {
            got = next_chunk(s);
            if (got <= 0)
                return got;
            continue;
        }
        if (seen % EVENTS_BETWEEN == 0 && query_limit_is_over(s->query))
            return -EINTR;
        const struct jfr_type *type = jfr_chunk_type(&s->file.chunk, s->record.type_id);
        s->bind = type ? &s->binds[type->number] : NULL;
        if (!s->bind || !s->bind->known)
            continue;
        s->places.known = 0;
        if (is_in_time(s) && is_of_thread(s))
            return 1;
    }
}

void query_scan_end(struct query_scan *s)
{
    if (!s->query)
        return;
    close_input(s);
    idmap_done(&s->texts);
    idmap_done(&s->threads);
    free(s->wants.types);
    free(s->wants.thread);
    free(s->places.at);
    free(s->binds);
    free(s->thread_fits);
    *s = (struct query_scan){0};
}

/* ---- fields */

/* Finds the place of a field. NULL: the event is malformed, or there is no memory. */
static const uint8_t *place_of(struct query_scan *s, uint32_t number)
{
    struct query_scan_places *p = &s->places;
    const struct jfr_type *type = s->bind->type;
    if (number >= p->room) {
        uint32_t room = type->field_count < FIELDS_MAX ? type->field_count + 16 : FIELDS_MAX;
        const uint8_t **more = number < room ? realloc(p->at, room * sizeof(*more)) : NULL;
        if (!more)
            return NULL;
        p->at = more;
        p->room = room;
    }
    if (p->known == 0) {
        p->at[0] = s->record.payload.at;
        p->known = 1;
    }
    for (; p->known <= number; p->known++) {
        struct leb l = {.at = p->at[p->known - 1], .end = s->record.payload.end};
        if (l.at)
            jfr_type_skip(&type->fields[p->known - 1], &l);
        p->at[p->known] = l.at && !l.is_bad ? l.at : NULL;
    }
    return p->at[number];
}

void query_scan_field(struct query_scan *s, int32_t number, struct jfr_value *ret_value)
{
    const struct jfr_type *type = s->bind->type;
    *ret_value = (struct jfr_value){0};
    if (number < 0 || (uint32_t)number >= type->field_count)
        return;
    struct leb l = {.at = place_of(s, (uint32_t)number), .end = s->record.payload.end};
    if (!l.at)
        return;
    jfr_value_read(&s->file.chunk, &type->fields[number], &l, ret_value);
    if (l.is_bad)
        ret_value->shape = JFR_NULL;
}

int64_t query_scan_start_ns(struct query_scan *s)
{
    struct jfr_value v;
    int64_t ns;
    query_scan_field(s, s->bind->start, &v);
    return jfr_value_ns(&s->file.chunk, &v, &ns) ? ns : INT64_MIN;
}

int64_t query_scan_duration_ns(struct query_scan *s)
{
    struct jfr_value v;
    int64_t ns;
    if (s->bind->duration < 0)
        return 0;
    query_scan_field(s, s->bind->duration, &v);
    return jfr_value_ns(&s->file.chunk, &v, &ns) ? ns : 0;
}

struct jfr_stacks *query_scan_stacks(struct query_scan *s)
{
    if (!s->has_stacks) {
        jfr_stacks_begin(&s->stacks, s->query->model, &s->file.chunk);
        s->has_stacks = true;
    }
    return &s->stacks;
}

static string_id text_in(struct query_scan *s, const struct jfr_value *object, const char *path)
{
    struct jfr_value v;
    char text[NAME];
    if (!jfr_value_named(&s->file.chunk, object, path, &v) || v.shape != JFR_TEXT)
        return 0;
    size_t len = jfr_value_utf8(&v, text, sizeof(text));
    return len > 0 ? profile_string(s->query->model, text, len) : 0;
}

static uint64_t number_in(struct query_scan *s, const struct jfr_value *object, const char *path)
{
    struct jfr_value v;
    jfr_value_named(&s->file.chunk, object, path, &v);
    int64_t number = jfr_value_number(&v);
    return number > 0 ? (uint64_t)number : 0;
}

uint32_t query_scan_thread(struct query_scan *s, const struct jfr_value *v)
{
    uint32_t id = v->key ? idmap_get(&s->threads, v->key) : 0;
    if (id || v->shape != JFR_OBJECT)
        return id;
    struct query_threads_row row = {
        .java_id = number_in(s, v, "javaThreadId"),
        .os_id = number_in(s, v, "osThreadId"),
        .name = text_in(s, v, "javaName"),
        .group = text_in(s, v, "group.name"),
        .input = s->input,
        .is_virtual = number_in(s, v, "virtual") != 0,
    };
    if (!row.name)
        row.name = text_in(s, v, "osName");
    id = query_threads_add(s->query->threads, &row);
    if (id && v->key)
        idmap_put(&s->threads, v->key, id);
    return id;
}
