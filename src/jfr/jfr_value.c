/*
 * jfr_value.c - see jfr_value.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_value.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "safe/clock.h"

/* How many texts or simple types in a row may stand for each other. */
enum { FOLLOWED_MAX = 8 };

static void read_one(const struct jfr_chunk *c, const struct jfr_field *f, struct leb *l,
                     unsigned followed, struct jfr_value *v);

bool jfr_value_follow_text(const struct jfr_chunk *c, const struct jfr_type *type,
                           struct jfr_text *text)
{
    for (unsigned i = 0; text->encoding == JFR_LAYOUT_STRING_POOL; i++) {
        const uint8_t *at = i < FOLLOWED_MAX ? jfr_pool_find(&c->pools, type, text->key) : NULL;
        if (!at)
            return false;
        struct leb l = leb_over(at, (size_t)(c->bytes + c->len - at));
        *text = jfr_text_read(&l);
    }
    return text->encoding != JFR_LAYOUT_STRING_NULL;
}

static int64_t read_number(enum jfr_kind kind, struct leb *l)
{
    switch (kind) {
    case JFR_BOOLEAN:
        return leb_byte(l) != 0;
    case JFR_BYTE:
        return (int8_t)leb_byte(l);
    case JFR_CHAR:
        return (uint16_t)leb_number(l);
    case JFR_SHORT:
        return (int16_t)(uint16_t)leb_number(l);
    case JFR_INT:
        return leb_int(l);
    default:
        return (int64_t)leb_number(l);
    }
}

static void read_struct(const struct jfr_chunk *c, struct leb *l, unsigned followed,
                        struct jfr_value *v)
{
    const struct jfr_field *simple = jfr_type_simple_field(v->type);
    if (simple && !simple->is_array && followed < FOLLOWED_MAX) {
        const struct jfr_field *field = v->field;
        read_one(c, simple, l, followed + 1, v);
        v->field = field;
        return;
    }
    v->shape = JFR_OBJECT;
    v->at = *l;
    jfr_type_skip_fields(v->type, v->type->field_count, l);
}

static void read_plain(const struct jfr_chunk *c, struct leb *l, unsigned followed,
                       struct jfr_value *v)
{
    switch (v->type->kind) {
    case JFR_UNKNOWN:
        leb_fail(l);
        return;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        v->shape = JFR_REAL;
        v->real = v->type->kind == JFR_FLOAT ? (double)leb_float(l) : leb_double(l);
        return;
    case JFR_STRING:
        v->shape = JFR_TEXT;
        v->text = jfr_text_read(l);
        if (!jfr_value_follow_text(c, v->type, &v->text))
            v->shape = JFR_NULL;
        return;
    case JFR_STRUCT:
        read_struct(c, l, followed, v);
        return;
    default:
        v->shape = JFR_NUMBER;
        v->number = read_number(v->type->kind, l);
    }
}

/* Reads a constant through its key. The constant is not skipped, because nothing needs its end. */
static void read_pooled(const struct jfr_chunk *c, struct leb *l, unsigned followed,
                        struct jfr_value *v)
{
    uint64_t key = leb_number(l);
    const uint8_t *at = v->type ? jfr_pool_find(&c->pools, v->type, key) : NULL;
    if (!at || followed >= FOLLOWED_MAX)
        return;
    struct leb constant = leb_over(at, (size_t)(c->bytes + c->len - at));
    v->key = key;
    v->constant = at;
    v->is_shared = true;
    if (v->type->kind == JFR_STRUCT && !v->type->is_simple) {
        v->shape = JFR_OBJECT;
        v->at = constant;
    } else {
        read_plain(c, &constant, followed + 1, v);
    }
}

static void read_one(const struct jfr_chunk *c, const struct jfr_field *f, struct leb *l,
                     unsigned followed, struct jfr_value *v)
{
    *v = (struct jfr_value){.field = f, .type = f->type};
    if (f->is_pooled)
        read_pooled(c, l, followed, v);
    else
        read_plain(c, l, followed, v);
}

/* The array that begins at `l`. It is whole if `end`, the reader after the array, is not bad. */
static struct jfr_value array_of(const struct jfr_field *field, struct leb l, const struct leb *end)
{
    uint64_t count = leb_number(&l);
    return (struct jfr_value){.shape = end->is_bad ? JFR_NULL : JFR_ARRAY,
                              .field = field,
                              .type = field->type,
                              .at = l,
                              .count = count};
}

void jfr_value_read(const struct jfr_chunk *c, const struct jfr_field *field, struct leb *l,
                    struct jfr_value *ret_value)
{
    if (!field->is_array) {
        read_one(c, field, l, 0, ret_value);
        return;
    }
    struct leb first = *l;

    jfr_type_skip(field, l);
    *ret_value = array_of(field, first, l);
}

void jfr_value_element(const struct jfr_chunk *c, const struct jfr_value *array, struct leb *l,
                       struct jfr_value *ret_value)
{
    read_one(c, array->field, l, 0, ret_value);
    ret_value->is_shared |= array->is_shared;
}

struct jfr_value jfr_value_event(const struct jfr_type *type, const struct jfr_record *record)
{
    return (struct jfr_value){.shape = JFR_OBJECT, .type = type, .at = record->payload};
}

/* Moves `l` to field `number`. A long array may lie in front of the field, and many events may lead
 * to one constant, so a far place is noted. */
static void skip(const struct jfr_chunk *c, const struct jfr_value *object, uint32_t number,
                 struct leb *l)
{
    const uint8_t *from = l->at;
    jfr_type_skip_fields(object->type, number, l);
    if (object->is_shared && !l->is_bad && l->at - from > JFR_POOL_FAR)
        jfr_pool_note(&c->pools, object->type, number, from, l->at);
}

/* Reads an array in a constant. The end of the array is where the next field begins; it is searched
 * for once and noted. */
static void read_shared_array(const struct jfr_chunk *c, const struct jfr_value *object,
                              uint32_t number, struct leb *l, struct jfr_value *ret_value)
{
    const struct jfr_field *field = &object->type->fields[number];
    struct leb end = object->at, first = *l;
    if (!l->is_bad && jfr_pool_again(&c->pools, object->type, number + 1, &end)) {
        *ret_value = array_of(field, first, &end);
        return;
    }
    jfr_type_skip(field, l);
    *ret_value = array_of(field, first, l);
    if (!l->is_bad && l->at - object->at.at > JFR_POOL_FAR)
        jfr_pool_note(&c->pools, object->type, number + 1, object->at.at, l->at);
}

void jfr_value_field(const struct jfr_chunk *c, const struct jfr_value *object, uint32_t number,
                     struct jfr_value *ret_value)
{
    *ret_value = (struct jfr_value){.field = &object->type->fields[number],
                                    .type = object->type->fields[number].type};
    if (object->shape != JFR_OBJECT)
        return;
    struct leb l = object->at;
    if (!object->is_shared || !jfr_pool_again(&c->pools, object->type, number, &l))
        skip(c, object, number, &l);
    if (object->is_shared && ret_value->field->is_array)
        read_shared_array(c, object, number, &l, ret_value);
    else
        jfr_value_read(c, &object->type->fields[number], &l, ret_value);
    ret_value->is_shared |= object->is_shared;
    if (l.is_bad)
        ret_value->shape = JFR_NULL;
}

/* The field whose name is the whole path, which may have dots ("http.route"), or else its first
 * word. -1: there is none. *ret_len is the length of the name. */
static int find_first(const struct jfr_value *at, const char *path, size_t *ret_len)
{
    size_t all = strlen(path);
    int i = -1;
    *ret_len = strcspn(path, ".");
    if (!at->type || at->shape == JFR_ARRAY)
        return -1;
    if (*ret_len < all)
        i = jfr_type_find_part(at->type, path, all);
    if (i >= 0)
        *ret_len = all;
    return i >= 0 ? i : jfr_type_find_part(at->type, path, *ret_len);
}

bool jfr_value_named(const struct jfr_chunk *c, const struct jfr_value *object, const char *path,
                     struct jfr_value *ret_value)
{
    struct jfr_value at = *object, next;
    for (const char *name = path; *name != '\0';) {
        size_t len;
        int i = find_first(&at, name, &len);
        if (i < 0) {
            *ret_value = (struct jfr_value){0};
            return false;
        }
        jfr_value_field(c, &at, (uint32_t)i, &next);
        at = next;
        name += len + (name[len] == '.');
    }
    *ret_value = at;
    return true;
}

int64_t jfr_value_widened(const struct jfr_value *v)
{
    if (!(v->field->marks & JFR_UNSIGNED))
        return v->number;
    switch (v->type->kind) {
    case JFR_BYTE:
        return (uint8_t)v->number;
    case JFR_SHORT:
        return (uint16_t)v->number;
    case JFR_INT:
        return (uint32_t)v->number;
    default:
        return v->number;
    }
}

bool jfr_value_ns(const struct jfr_chunk *c, const struct jfr_value *v, int64_t *ret_ns)
{
    static const int64_t ns_each[] = {[JFR_NANOS_SPAN] = 1,
                                      [JFR_MICROS_SPAN] = NS_PER_US,
                                      [JFR_MILLIS_SPAN] = NS_PER_MS,
                                      [JFR_SECONDS_SPAN] = NS_PER_S,
                                      [JFR_MILLIS_STAMP] = NS_PER_MS};
    if (v->shape != JFR_NUMBER || !v->field || v->number == INT64_MIN || v->number == INT64_MAX)
        return false;
    switch (v->field->content) {
    case JFR_PLAIN:
        return false;
    case JFR_TICKS_SPAN:
        *ret_ns = jfr_chunk_span_ns(c, v->number);
        return true;
    case JFR_TICKS_STAMP:
        *ret_ns = jfr_chunk_time_ns(c, v->number);
        return true;
    default:
        return !__builtin_mul_overflow(v->number, ns_each[v->field->content], ret_ns);
    }
}

int64_t jfr_value_number(const struct jfr_value *value)
{
    if (value->shape == JFR_NUMBER)
        return value->number;
    return value->shape == JFR_REAL && value->real > -9e18 && value->real < 9e18
               ? (int64_t)value->real
               : 0;
}

/* Converts at most `room` bytes of the text. The rest is not read, because callers may ask often
 * for a long text. */
static size_t cut_utf8(const struct jfr_text *text, char *to, size_t room)
{
    struct jfr_text first = *text;
    size_t enough = (room + 2) * JFR_LAYOUT_LEB_MAX; /* two more units: a pair may be cut */
    if (first.len > enough)
        first.len = enough;
    char *all = malloc(jfr_text_room(&first));
    size_t len = all ? jfr_text_utf8(&first, all) : 0;

    if (len > room)
        len = room;
    if (len > 0)
        memcpy(to, all, len);
    free(all);
    return len;
}

size_t jfr_value_utf8(const struct jfr_value *value, char *to, size_t room)
{
    size_t len = 0;
    if (room == 0)
        return 0;
    if (value->shape == JFR_TEXT)
        len = jfr_text_room(&value->text) < room ? jfr_text_utf8(&value->text, to)
                                                 : cut_utf8(&value->text, to, room - 1);
    to[len] = '\0';
    return len;
}

bool jfr_value_words(const struct jfr_chunk *chunk, const struct jfr_value *value, char *ret_text,
                     size_t size)
{
    static const char *const names[] = {"javaName", "osName", "name"};
    struct jfr_value name = *value;
    *ret_text = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && value->shape == JFR_OBJECT; i++) {
        if (jfr_value_named(chunk, value, names[i], &name) && name.shape == JFR_TEXT &&
            jfr_value_utf8(&name, ret_text, size) > 0)
            break;
    }
    if (value->shape == JFR_NUMBER)
        snprintf(ret_text, size, "%" PRId64, value->number);
    else if (name.shape == JFR_TEXT)
        jfr_value_utf8(&name, ret_text, size);
    return *ret_text != '\0';
}
