/*
 * jfr_outer.c - see jfr_outer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_outer.h"
#include <string.h>
#include "base/feed.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"

enum { TEXT = 1024 };

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

static void add(struct jfr_outer *o, const struct jfr_chunk *c, const struct jfr_type *type,
                const struct jfr_record *record, const char *by)
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

static void read_chunk(struct jfr_outer *o, struct jfr_file *f, const char *by)
{
    struct jfr_record record;
    if (!has_field(&f->chunk.metadata, by))
        return;
    o->is_there = true;
    o->jvm = jfr_place_jvm(&f->chunk);
    while (jfr_file_next_record(f, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        if (type)
            add(o, &f->chunk, type, &record, by);
    }
}

int jfr_outer_read(struct jfr_outer *o, const struct feed *feed, const char *by)
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

int jfr_outer_begin(struct jfr_outer *o, struct jfr_file *f, const char *by)
{
    if (!o->has_all) {
        read_chunk(o, f, by);
        jfr_file_rewind(f);
        jfr_around_sort(&o->spans);
    }
    o->jvm = o->spans.count > 0 ? jfr_place_jvm(&f->chunk) : 0;
    return o->spans.error;
}

const char *jfr_outer_of(const struct jfr_outer *o, const struct jfr_chunk *c,
                         const struct jfr_value *event)
{
    return o->spans.count > 0 ? jfr_place_around(c, o->jvm, event, &o->spans) : NULL;
}
