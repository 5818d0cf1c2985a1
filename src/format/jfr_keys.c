/*
 * jfr_keys.c - see jfr_keys.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_keys.h"
#include <string.h>
#include "base/feed.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"
#include "profile/context.h"
#include "profile/profile.h"

enum { TEXT = 1024 };

/* ---- enclosing events */

/* The path of the wanted field in events of this type; NULL: they do not have it. */
static const char *field_in(const struct jfr_type *type, const char *by)
{
    const char *path = jfr_filter_field(type, by);
    for (uint32_t i = 0; !path && i < type->field_count; i++)
        if (type->fields[i].marks & JFR_CONTEXTUAL && strcmp(type->fields[i].name, by) == 0)
            path = by;
    return path;
}

static bool has_field(const struct jfr_metadata *m, const char *by)
{
    for (uint32_t i = 0; i < m->type_count; i++)
        if (field_in(&m->types[i], by))
            return true;
    return false;
}

static void add_outer(struct jfr_keys_outer *o, const struct jfr_chunk *c,
                      const struct jfr_type *type, const struct jfr_record *record, const char *by)
{
    const struct jfr_value event = jfr_value_event(type, record);
    const char *field = field_in(type, by);
    struct jfr_value value;
    struct jfr_place place;
    char text[TEXT];
    if (!field || !jfr_value_named(c, &event, field, &value) ||
        !jfr_place_of(c, o->jvm, &event, &place))
        return;
    if (!jfr_value_words(c, &value, text, sizeof(text)))
        memcpy(text, "N/A", sizeof("N/A"));
    jfr_around_add(&o->spans, place.thread, place.start_ns, place.end_ns, text, strlen(text));
}

static void read_chunk(struct jfr_keys_outer *o, struct jfr_file *f, const char *by)
{
    struct jfr_record record;
    if (!has_field(&f->chunk.metadata, by))
        return;
    o->is_there = true;
    o->jvm = jfr_place_jvm(&f->chunk);
    while (jfr_file_next_record(f, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        if (type)
            add_outer(o, &f->chunk, type, &record, by);
    }
}

int jfr_keys_outer_read(struct jfr_keys_outer *o, const struct feed *feed, const char *by)
{
    struct feed again;
    struct jfr_file f;
    if (!feed->is_whole || feed->released > 0)
        return 0;
    feed_memory(&again, feed->bytes, feed->len);
    int code = jfr_file_open(&f, &again, &(struct jfr_chunk_reading){.with_constants = true});
    if (code == 0) {
        while (jfr_file_next_chunk(&f) > 0)
            read_chunk(o, &f, by);
        jfr_around_sort(&o->spans);
        o->has_all = true;
        jfr_file_close(&f);
    }
    return o->spans.error;
}

int jfr_keys_outer_begin(struct jfr_keys_outer *o, struct jfr_file *f, const char *by)
{
    if (!o->has_all) {
        read_chunk(o, f, by);
        jfr_file_rewind(f);
        jfr_around_sort(&o->spans);
    }
    o->jvm = o->spans.count > 0 ? jfr_place_jvm(&f->chunk) : 0;
    return o->spans.error;
}

const char *jfr_keys_outer_of(const struct jfr_keys_outer *o, const struct jfr_chunk *c,
                              const struct jfr_value *event)
{
    return o->spans.count > 0 ? jfr_place_around(c, o->jvm, event, &o->spans) : NULL;
}

/* ---- keys */

void jfr_keys_done(struct jfr_keys *c)
{
    idmap_done(&c->known);
}

void jfr_keys_begin(struct jfr_keys *c, struct profile *profile, const struct jfr_chunk *chunk,
                    const char *by, const struct jfr_keys_outer *outer)
{
    *c = (struct jfr_keys){.profile = profile, .chunk = chunk, .by = by, .outer = outer};
    idmap_init(&c->known);
}

static void put_text(struct jfr_keys *c, struct context_row *row, const char *name,
                     const char *text)
{
    string_id id = profile_cstring(c->profile, name);
    int key = id ? context_add_key(profile_contexts(c->profile), id, 0) : -1;
    if (key >= 0)
        row->value[key] = *text ? profile_cstring(c->profile, text) : 0;
}

static void put(struct jfr_keys *c, struct context_row *row, const char *name,
                const struct jfr_value *value)
{
    char text[TEXT];
    (void)jfr_value_words(c->chunk, value, text, sizeof(text));
    put_text(c, row, name, text);
}

/* The context with all keys of the field "context". */
static context_id whole(struct jfr_keys *c, const struct jfr_value *object)
{
    struct context_row row = {{0}};
    context_id id = object->constant ? idmap_get(&c->known, (uintptr_t)object->constant) : 0;
    struct jfr_value value;
    if (id || object->shape != JFR_OBJECT)
        return id;
    for (uint32_t i = 0; i < object->type->field_count; i++) {
        jfr_value_field(c->chunk, object, i, &value);
        put(c, &row, object->type->fields[i].name, &value);
    }
    id = context_of(profile_contexts(c->profile), &row);
    if (id && object->constant)
        idmap_put(&c->known, (uintptr_t)object->constant, id);
    return id;
}

/* The wanted key is not there: adds the keys that are there, so that a message can name them. One
 * place stays free for the wanted key. */
static void note_keys(struct jfr_keys *c, const struct jfr_type *type)
{
    struct context_set *contexts = profile_contexts(c->profile);
    for (uint32_t i = 0; i < type->field_count && contexts->key_count + 1 < CONTEXT_KEYS; i++) {
        string_id name = profile_cstring(c->profile, type->fields[i].name);
        if (name)
            (void)context_add_key(contexts, name, 0);
    }
}

context_id jfr_keys_of(struct jfr_keys *c, const struct jfr_value *event)
{
    struct context_row row = {{0}};
    struct jfr_value context, value;
    bool has_context = jfr_value_named(c->chunk, event, "context", &context);
    if (!c->by)
        return has_context ? whole(c, &context) : 0;
    if (!(has_context && jfr_value_named(c->chunk, &context, c->by, &value)) &&
        !jfr_value_named(c->chunk, event, c->by, &value)) {
        const char *outer = c->outer ? jfr_keys_outer_of(c->outer, c->chunk, event) : NULL;
        if (outer || (c->outer && c->outer->is_there))
            put_text(c, &row, c->by, outer ? outer : "");
        else if (has_context)
            note_keys(c, context.type);
        if (!outer)
            return 0;
    } else {
        put(c, &row, c->by, &value);
    }
    return context_of(profile_contexts(c->profile), &row);
}
