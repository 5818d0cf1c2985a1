/*
 * jfr_typed.c - see jfr_typed.h.
 *
 * Names of types and annotations are those of the JDK's metadata.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_typed.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "format/format.h"
#include "format/jfr_keys.h"
#include "format/jfr_stacks.h"
#include "format/jfr_when.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"
#include "profile/profile.h"
#include "profile/typed_events.h"

enum {
    FIELDS = 64, /* of an event; further fields are left out */
    WHOLE = -1,
    TEXT = 1024, /* bytes of a value; a longer value is cut */
    LABEL = 160,
    LABELS = 16 << 10, /* bytes of the names and labels of an event's fields */
};

/* The source of a value: a field of the event, or a field of a structure in the event. */
struct jfr_typed_part {
    uint16_t field;
    int16_t below; /* WHOLE: the value is that of `field` itself */
};

struct jfr_typed_shape {
    struct typed_type *type; /* NULL: events of this type are not kept */
    uint32_t first;          /* index of its first part */
};

/* ---- types */

/* The fields of a type while they are collected. */
struct fields {
    struct custom_field of[FIELDS];
    struct jfr_typed_part parts[FIELDS];
    uint32_t count;
    char texts[LABELS];
    size_t used;
};

/* The type of the value of a field, after each simple type was replaced by the type of its only
 * field. NULL: the value is an array, or its type is unknown. */
static const struct jfr_type *type_of(const struct jfr_field *field)
{
    const struct jfr_type *type = field->type;
    const struct jfr_field *simple;
    for (unsigned i = 0; type && i < JFR_NESTING && (simple = jfr_type_simple_field(type)); i++)
        type = simple->is_array ? NULL : simple->type;
    return field->is_array ? NULL : type;
}

static bool is_text(const struct jfr_type *type)
{
    return type && type->kind == JFR_STRING;
}

/* Whether a structure is kept as a name. */
static bool has_name(const struct jfr_type *type)
{
    int name = jfr_type_find(type, "name");
    return strcmp(type->name, "java.lang.Thread") == 0 ||
           (name >= 0 && is_text(type_of(&type->fields[name])));
}

/* The sort of a field's value; CUSTOM_SORTS: the value cannot be kept. */
static enum custom_sort sort_of(const struct jfr_field *field)
{
    const struct jfr_type *type = type_of(field);
    if (!type)
        return CUSTOM_SORTS;
    switch (type->kind) {
    case JFR_BOOLEAN:
        return CUSTOM_BOOLEAN;
    case JFR_BYTE:
    case JFR_SHORT:
    case JFR_INT:
        return CUSTOM_INT;
    case JFR_LONG:
        return CUSTOM_LONG;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        return CUSTOM_DOUBLE;
    case JFR_CHAR:
    case JFR_STRING:
        return CUSTOM_TEXT;
    case JFR_STRUCT:
        if (strcmp(type->name, "java.lang.Class") == 0)
            return CUSTOM_CLASS;
        return has_name(type) ? CUSTOM_TEXT : CUSTOM_SORTS;
    default:
        return CUSTOM_SORTS;
    }
}

static enum custom_unit unit_of(const struct jfr_field *field)
{
    bool is_rate = field->marks & JFR_FREQUENCY;
    if (field->content == JFR_TICKS_STAMP)
        return CUSTOM_EPOCH_NS;
    if (field->content == JFR_MILLIS_STAMP)
        return CUSTOM_EPOCH_MS;
    if (field->content != JFR_PLAIN)
        return CUSTOM_NS;
    if (field->marks & JFR_BYTES_AMOUNT)
        return is_rate ? CUSTOM_BYTES_PER_S : CUSTOM_BYTES;
    if (field->marks & JFR_BITS_AMOUNT)
        return is_rate ? CUSTOM_BITS_PER_S : CUSTOM_BITS;
    if (field->marks & JFR_PERCENTAGE)
        return CUSTOM_PERCENT;
    if (field->marks & JFR_ADDRESS)
        return CUSTOM_ADDRESS;
    return is_rate ? CUSTOM_HERTZ : CUSTOM_PLAIN;
}

/* Keeps a text behind the earlier ones; NULL: no room. */
static const char *keep_text(struct fields *f, const char *before, const char *between,
                             const char *text)
{
    char *to = f->texts + f->used;
    size_t room = sizeof(f->texts) - f->used;
    int len = snprintf(to, room < LABEL ? room : LABEL, "%s%s%s", before, between, text);
    if (len < 0 || room < LABEL)
        return NULL;
    f->used += strlen(to) + 1;
    return to;
}

static const char *label_of(const struct jfr_field *field)
{
    return field->label ? field->label : field->name;
}

static void add_field(struct fields *f, const struct jfr_field *outer,
                      const struct jfr_field *field, struct jfr_typed_part part)
{
    bool is_below = outer != field;
    enum custom_sort sort = sort_of(field);
    if (sort == CUSTOM_SORTS || f->count == FIELDS)
        return;
    const char *name = keep_text(f, is_below ? outer->name : "", is_below ? "." : "", field->name);
    const char *label =
        keep_text(f, is_below ? label_of(outer) : "", is_below ? ": " : "", label_of(field));
    if (!name || !label)
        return;
    f->parts[f->count] = part;
    f->of[f->count++] =
        (struct custom_field){.name = name,
                              .label = label,
                              .sort = (uint8_t)sort,
                              .unit = (uint8_t)unit_of(field),
                              .is_unsigned = sort == CUSTOM_LONG && field->marks & JFR_UNSIGNED};
}

/* Whether this is a field that every event may have, like startTime. Such a field is not kept as a
 * field of the type. */
static bool is_common(const struct jfr_field *field)
{
    static const char *const names[] = {"startTime", "duration", "eventThread", "stackTrace",
                                        "context"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(field->name, names[i]) == 0)
            return strcmp(field->name, "context") != 0 || sort_of(field) == CUSTOM_SORTS;
    return field->type && strcmp(field->type->known_as, "jdk.types.StackTrace") == 0;
}

static void find_fields(struct fields *f, const struct jfr_type *type)
{
    for (uint32_t i = 0; i < type->field_count && i < UINT16_MAX; i++) {
        const struct jfr_field *field = &type->fields[i];
        const struct jfr_type *below = type_of(field);
        if (is_common(field) || !below)
            continue;
        if (sort_of(field) != CUSTOM_SORTS || below->kind != JFR_STRUCT) {
            add_field(f, field, field, (struct jfr_typed_part){(uint16_t)i, WHOLE});
            continue;
        }
        for (uint32_t k = 0; k < below->field_count && k < INT16_MAX; k++)
            add_field(f, field, &below->fields[k],
                      (struct jfr_typed_part){(uint16_t)i, (int16_t)k});
    }
}

static bool keep_parts(struct jfr_typed *t, const struct fields *f)
{
    if (t->part_room - t->part_count < f->count) {
        uint32_t room = t->part_room * 2 + FIELDS;
        void *grown = realloc(t->parts, room * sizeof(*t->parts));
        if (!grown)
            return false;
        t->parts = grown;
        t->part_room = room;
    }
    if (f->count > 0)
        memcpy(t->parts + t->part_count, f->parts, f->count * sizeof(*f->parts));
    t->part_count += f->count;
    return true;
}

static const char *annotation(const struct jfr_type *type, const char *name)
{
    const char *value = jfr_type_annotation(&type->annotations, name, "value");
    return value ? value : "";
}

bool jfr_typed_add(struct jfr_typed *t, const struct jfr_type *type, uint32_t kinds)
{
    struct jfr_typed_shape *shape = &t->shapes[type->number];
    struct fields f = {.count = 0};
    find_fields(&f, type);
    const struct custom_type custom = {.name = type->name,
                                       .label = annotation(type, "jdk.jfr.Label"),
                                       .about = annotation(type, "jdk.jfr.Description"),
                                       .category = jfr_filter_category(type, 0),
                                       .has_stack = jfr_type_find(type, "stackTrace") >= 0,
                                       .field_count = f.count,
                                       .fields = f.of};
    shape->first = t->part_count;
    shape->type =
        keep_parts(t, &f) ? typed_events_type(profile_typed(t->in->profile), &custom, kinds) : NULL;
    return shape->type != NULL;
}

int jfr_typed_begin(struct jfr_typed *t, const struct reader_in *in, const struct jfr_chunk *chunk,
                    struct jfr_stacks *stacks, struct jfr_keys *contexts)
{
    *t = (struct jfr_typed){.in = in, .chunk = chunk, .stacks = stacks, .contexts = contexts};
    t->shapes = calloc(chunk->metadata.type_count + (size_t)1, sizeof(*t->shapes));
    return t->shapes ? 0 : -ENOMEM;
}

void jfr_typed_done(struct jfr_typed *t)
{
    free(t->shapes);
    free(t->parts);
    *t = (struct jfr_typed){0};
}

/* ---- events */

static int64_t number_of(const struct jfr_chunk *c, const struct jfr_value *v)
{
    if (v->shape != JFR_NUMBER)
        return CUSTOM_NO_NUMBER;
    if (v->field->content == JFR_PLAIN || v->field->content == JFR_MILLIS_STAMP)
        return jfr_value_widened(v);
    int64_t ns;
    return jfr_value_ns(c, v, &ns) ? ns : CUSTOM_NO_NUMBER;
}

/* Writes a text in one line. A text that is too long ends with "...". */
static size_t put_utf8(const struct jfr_value *v, char *to, size_t room)
{
    static const char cut[] = "...";
    size_t len = jfr_value_utf8(v, to, room);
    if (len + 1 == room && room > sizeof(cut)) {
        memcpy(to + len + 1 - sizeof(cut), cut, sizeof(cut));
        len = strlen(to);
    }
    for (size_t i = 0; i < len; i++)
        if (to[i] == '\n' || to[i] == '\r' || to[i] == '\t')
            to[i] = ' ';
    return len;
}

/* Writes the name of a structure: for a method its class and name, otherwise its name. A class
 * loader without a name gets the name of its class. */
static size_t put_name(const struct jfr_typed *t, const struct jfr_value *v, char *to, size_t room)
{
    static const char *const names[] = {"javaName", "osName", "name"};
    struct jfr_value part;
    size_t len = 0;

    class_id klass = jfr_value_named(t->chunk, v, "type", &part) && part.shape == JFR_OBJECT
                         ? jfr_stacks_class(t->stacks, &part)
                         : 0;
    const char *of =
        klass ? profile_string_at(t->in->profile, profile_class_at(t->in->profile, klass)->name)
                    ->bytes
              : "";
    if (klass && strcmp(v->type->known_as, "jdk.types.Method") == 0)
        len = (size_t)snprintf(to, room, "%s.", of);
    if (len >= room)
        return room - 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (jfr_value_named(t->chunk, v, names[i], &part) && part.shape == JFR_TEXT) {
            size_t more = put_utf8(&part, to + len, room - len);
            if (more > 0)
                return len + more;
        }
    if (len == 0 && klass)
        len = (size_t)snprintf(to, room, "%s", of);
    return len < room ? len : room - 1;
}

/* The text of a value; NULL: it has none. */
static const char *text_of(const struct jfr_typed *t, const struct jfr_value *v)
{
    char text[TEXT] = "";
    size_t len = 0;
    if (v->shape == JFR_NUMBER) {
        const uint16_t unit = (uint16_t)v->number;
        const uint8_t bytes[] = {unit | 0x80, unit >> 7 | 0x80, unit >> 14};
        const struct jfr_text one = {
            .encoding = JFR_LAYOUT_STRING_CHARS, .bytes = bytes, .len = sizeof(bytes)};
        len = jfr_text_utf8(&one, text);
    } else if (v->shape == JFR_TEXT) {
        len = put_utf8(v, text, sizeof(text));
    } else if (v->shape == JFR_OBJECT) {
        len = put_name(t, v, text, sizeof(text));
    }
    string_id id = len > 0 ? profile_string(t->in->profile, text, len) : 0;
    return id ? profile_string_at(t->in->profile, id)->bytes : NULL;
}

static union custom_value value_of(const struct jfr_typed *t, const struct custom_field *field,
                                   const struct jfr_value *v)
{
    switch (field->sort) {
    case CUSTOM_DOUBLE:
        return (union custom_value){.real = v->shape == JFR_REAL ? v->real : (double)NAN};
    case CUSTOM_TEXT:
        return (union custom_value){.text = text_of(t, v)};
    case CUSTOM_CLASS:
        return (union custom_value){.klass = jfr_stacks_class(t->stacks, v)};
    default:
        return (union custom_value){.number = number_of(t->chunk, v)};
    }
}

/* Reads the fields of an event in the order of the file. */
static void read_values(const struct jfr_typed *t, const struct jfr_typed_shape *shape,
                        const struct jfr_value *object, struct typed_event *event)
{
    const struct custom_type *type = &shape->type->type;
    const struct jfr_typed_part *parts = t->parts + shape->first;
    struct leb l = object->at;
    struct jfr_value value = {0}, below = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < object->type->field_count && at < type->field_count; i++) {
        const struct jfr_field *field = &object->type->fields[i];
        if (parts[at].field != i) {
            jfr_type_skip(field, &l);
            continue;
        }
        jfr_value_read(t->chunk, field, &l, &value);
        if (l.is_bad)
            value.shape = JFR_NULL;
        for (; at < type->field_count && parts[at].field == i; at++) {
            if (parts[at].below != WHOLE)
                jfr_value_field(t->chunk, &value, (uint32_t)parts[at].below, &below);
            event->values[at] =
                value_of(t, &type->fields[at], parts[at].below == WHOLE ? &value : &below);
        }
    }
}

/* The trace of an event, with its thread. 0: no memory. */
static trace_id trace_of(const struct jfr_typed *t, const struct jfr_value *object)
{
    struct jfr_value stack, thread;
    trace_id trace = PROFILE_TRACE_EMPTY;
    if (jfr_value_named(t->chunk, object, "stackTrace", &stack) && stack.shape != JFR_NULL)
        trace = jfr_stacks_trace(t->stacks, &stack);
    bool has_thread =
        t->in->want.with_threads && (jfr_value_named(t->chunk, object, "eventThread", &thread) ||
                                     jfr_value_named(t->chunk, object, "sampledThread", &thread));
    if (trace && (has_thread || t->stacks->process))
        trace = jfr_stacks_of_thread(t->stacks, trace, has_thread ? &thread : NULL);
    return trace;
}

int jfr_typed_take(struct jfr_typed *t, const struct jfr_type *type,
                   const struct jfr_record *record)
{
    const struct jfr_typed_shape *shape = &t->shapes[type->number];
    const struct jfr_value object = jfr_value_event(type, record);
    struct jfr_value duration = {0};
    uint64_t time_ns;
    int64_t ns = 0;
    if (!shape->type || !jfr_when_has(t->in, t->chunk, &object, &time_ns) || !time_ns)
        return 0;
    if (jfr_value_named(t->chunk, &object, "duration", &duration))
        ns = number_of(t->chunk, &duration);
    struct typed_event *event = typed_events_add(profile_typed(t->in->profile), shape->type,
                                                 time_ns, ns > 0 ? (uint64_t)ns : 0);
    if (!event)
        return 0;
    read_values(t, shape, &object, event);
    trace_id trace = trace_of(t, &object);
    if (trace)
        event->trace = trace;
    if (t->in->want.with_contexts)
        event->context = jfr_keys_of(t->contexts, &object);
    return trace ? 0 : t->stacks->error;
}
