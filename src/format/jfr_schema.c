/*
 * jfr_schema.c - see jfr_schema.h.
 *
 * The metadata event is a tree of elements, which have attributes (jfr_words.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_schema.h"
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "format/jfr_bytes.h"
#include "format/jfr_words.h"
#include "jfr/jfr_layout.h"
#include "profile/custom.h"

enum {
    ID_FIRST = 16,
    ATTRIBUTES_MAX = 6,
    /* Chunks with equal numbers of keys and types have the same id: readers keep what they
     * parsed. */
    METADATA_ID = 1,
    GMT_TEXT = 16,
};

/* A type, or a field of one: a row of jfr_event.def, or one that is made here. */
struct row {
    uint8_t sort; /* enum jfr_schema_sort */
    /* enum jfr_schema_type: the type itself, or the type of the field. */
    uint8_t type;
    uint8_t hold, content;
    const char *name, *label, *about, *category;
};

/* What the list names is named after its line here. */
#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)

/* The texts of jfr_event.def, one after the other. A pointer to each would cost 32 bytes in a
 * library that may be loaded at any address. */
struct texts {
    char none[1];
#define TYPE(id, text, what, label, about, category)                                               \
    char JOIN(name_, __LINE__)[sizeof(text)], JOIN(label_, __LINE__)[sizeof(label)],               \
        JOIN(about_, __LINE__)[sizeof(about)], JOIN(category_, __LINE__)[sizeof(category)];
#define FIELD(id, text, hold, content, label)                                                      \
    char JOIN(name_, __LINE__)[sizeof(text)], JOIN(label_, __LINE__)[sizeof(label)];
#include "format/jfr_event.def"
#undef TYPE
#undef FIELD
};

static const struct texts texts = {
    "",
#define TYPE(id, text, what, label, about, category) text, label, about, category,
#define FIELD(id, text, hold, content, label) text, label,
#include "format/jfr_event.def"
#undef TYPE
#undef FIELD
};

_Static_assert(sizeof(texts) <= UINT16_MAX, "struct listed has 16 bits for a place in it");

/* A row of jfr_event.def, with the places of its texts. */
struct listed {
    uint8_t sort, type, hold, content;
    uint16_t name, label, about, category;
};

#define AT(member) offsetof(struct texts, member)
#define LISTED(sort, id, hold, content, about, category)                                           \
    {                                                                                              \
        JFR_SCHEMA_##sort, JFR_SCHEMA_TYPE_##id, JFR_SCHEMA_##hold, JFR_SCHEMA_##content,          \
            AT(JOIN(name_, __LINE__)), AT(JOIN(label_, __LINE__)), about, category                 \
    }

static const struct listed rows[] = {
#define TYPE(id, text, what, label, ...)                                                           \
    LISTED(what, id, INLINE, PLAIN, AT(JOIN(about_, __LINE__)), AT(JOIN(category_, __LINE__))),
#define FIELD(id, text, hold, content, label) LISTED(FIELD, id, hold, content, 0, 0),
#include "format/jfr_event.def"
#undef TYPE
#undef FIELD
};

static const char *text_at(uint16_t place)
{
    return (const char *)&texts + place;
}

static struct row row_at(uint32_t i)
{
    const struct listed *l = &rows[i];
    return (struct row){.sort = l->sort,
                        .type = l->type,
                        .hold = l->hold,
                        .content = l->content,
                        .name = text_at(l->name),
                        .label = text_at(l->label),
                        .about = text_at(l->about),
                        .category = text_at(l->category)};
}

/* The index of each row in rows[]. */
enum {
#define TYPE(id, ...) ROW_##id,
#define FIELD(...) JOIN(ROW_OF_LINE_, __LINE__),
#include "format/jfr_event.def"
#undef TYPE
#undef FIELD
    ROWS,
};

/* The index of the row of each type. The rows of its fields follow it. */
static const uint16_t row_of[JFR_SCHEMA_TYPES] = {
#define TYPE(id, ...) [JFR_SCHEMA_TYPE_##id] = ROW_##id,
#define FIELD(...)
#include "format/jfr_event.def"
#undef TYPE
#undef FIELD
};

static const char *const content_units[] = {
    [JFR_SCHEMA_TICKS] = "TICKS",
    [JFR_SCHEMA_EPOCH_MS] = "MILLISECONDS_SINCE_EPOCH",
    [JFR_SCHEMA_SPAN_TICKS] = "TICKS",
    [JFR_SCHEMA_SPAN_NS] = "NANOSECONDS",
    [JFR_SCHEMA_SPAN_MS] = "MILLISECONDS",
    [JFR_SCHEMA_BYTES] = "BYTES",
    [JFR_SCHEMA_COUNT] = NULL,
};

/* The annotation that says what a field means; JFR_SCHEMA_TYPES: it has none. */
static const uint8_t content_types[] = {
    [JFR_SCHEMA_PLAIN] = JFR_SCHEMA_TYPES,
    [JFR_SCHEMA_TICKS] = JFR_SCHEMA_TYPE_TIMESTAMP,
    [JFR_SCHEMA_EPOCH_MS] = JFR_SCHEMA_TYPE_TIMESTAMP,
    [JFR_SCHEMA_SPAN_TICKS] = JFR_SCHEMA_TYPE_TIMESPAN,
    [JFR_SCHEMA_SPAN_NS] = JFR_SCHEMA_TYPE_TIMESPAN,
    [JFR_SCHEMA_SPAN_MS] = JFR_SCHEMA_TYPE_TIMESPAN,
    [JFR_SCHEMA_BYTES] = JFR_SCHEMA_TYPE_DATA_AMOUNT,
    [JFR_SCHEMA_ADDRESS] = JFR_SCHEMA_TYPE_MEMORY_ADDRESS,
    [JFR_SCHEMA_PERCENT] = JFR_SCHEMA_TYPE_PERCENTAGE,
    [JFR_SCHEMA_COUNT] = JFR_SCHEMA_TYPE_UNSIGNED,
};

uint32_t jfr_schema_id(enum jfr_schema_type type)
{
    return ID_FIRST + (uint32_t)type;
}

uint32_t jfr_schema_id_named(const char *name)
{
    for (int type = 0; type < JFR_SCHEMA_TYPES; type++)
        if (strcmp(text_at(rows[row_of[type]].name), name) == 0)
            return jfr_schema_id(type);
    return 0;
}

uint32_t jfr_schema_sum_id(enum kind_id kind)
{
    return ID_FIRST + JFR_SCHEMA_TYPES + (uint32_t)kind;
}

uint32_t jfr_schema_custom_id(const struct custom_type *type)
{
    return ID_FIRST + JFR_SCHEMA_TYPES + KIND_COUNT + type->number;
}

/* LIVE_BYTES becomes LiveBytes if `is_upper`, otherwise liveBytes. */
static void camel(const char *name, bool is_upper, char *ret, size_t size)
{
    size_t n = 0;
    for (; *name && n + 1 < size; name++) {
        if (*name != '_')
            ret[n++] = is_upper ? *name : (char)tolower((unsigned char)*name);
        is_upper = *name == '_';
    }
    ret[n] = '\0';
}

static void sum_name(enum kind_id kind, char ret[JFR_SCHEMA_NAME])
{
    static const char prefix[] = "hprof.";
    memcpy(ret, prefix, sizeof(prefix));
    camel(kind_all[kind]->name, true, ret + strlen(prefix), JFR_SCHEMA_NAME - strlen(prefix));
}

enum kind_id jfr_schema_sum_named(const char *name)
{
    char of_kind[JFR_SCHEMA_NAME];
    int kind = 0;
    for (; kind < KIND_COUNT; kind++) {
        sum_name((enum kind_id)kind, of_kind);
        if (strcmp(name, of_kind) == 0)
            break;
    }
    return (enum kind_id)kind;
}

/* ---- metadata */

/* The tree of the metadata while it is made. */
struct tree {
    struct jfr_words *words;
    const struct jfr_schema_keys *keys;
};

static void element(struct tree *t, const char *name, const char *const *attributes, size_t count,
                    uint32_t children)
{
    jfr_words_element(t->words, name, attributes, count, children);
}

static void annotation(struct tree *t, enum jfr_schema_type type, const char *value)
{
    char id[12];
    const char *const attributes[] = {"class", id, "value", value};
    snprintf(id, sizeof(id), "%u", jfr_schema_id(type));
    element(t, "annotation", attributes, value ? 2 : 1, 0);
}

/* Writes the parts of "Java Virtual Machine|Profiling" as separate values. */
static void category(struct tree *t, const char *parts)
{
    enum { PARTS = 4 };
    char id[12], keys[PARTS][12], values[PARTS][64];
    const char *attributes[2 + 2 * PARTS] = {"class", id};
    size_t count = 0;
    snprintf(id, sizeof(id), "%u", jfr_schema_id(JFR_SCHEMA_TYPE_CATEGORY));
    while (*parts && count < PARTS) {
        int len = (int)strcspn(parts, "|");
        snprintf(keys[count], sizeof(keys[count]), "value-%zu", count);
        snprintf(values[count], sizeof(values[count]), "%.*s", len, parts);
        attributes[2 + 2 * count] = keys[count];
        attributes[3 + 2 * count] = values[count];
        count++;
        parts += len + (parts[len] == '|');
    }
    element(t, "annotation", attributes, 1 + count, 0);
}

static void field(struct tree *t, const struct row *f)
{
    char id[12];
    const char *attributes[2 * ATTRIBUTES_MAX] = {"name", f->name, "class", id};
    size_t count = 2;
    enum jfr_schema_type content = content_types[f->content];
    snprintf(id, sizeof(id), "%u", jfr_schema_id(f->type));
    if (f->hold != JFR_SCHEMA_INLINE) {
        attributes[2 * count] = f->hold == JFR_SCHEMA_POOL ? "constantPool" : "dimension";
        attributes[2 * count + 1] = f->hold == JFR_SCHEMA_POOL ? "true" : "1";
        count++;
    }
    element(t, "field", attributes, count, (f->label[0] != 0) + (content != JFR_SCHEMA_TYPES));
    if (f->label[0])
        annotation(t, JFR_SCHEMA_TYPE_LABEL, f->label);
    if (content != JFR_SCHEMA_TYPES)
        annotation(t, content, content_units[f->content]);
}

/* Whether a type is an annotation that says what a number means. Tools use such an annotation only
 * if its own type has the annotation ContentType. */
static bool is_content(const struct row *r)
{
    for (size_t i = 0; i < sizeof(content_types); i++)
        if (r->sort == JFR_SCHEMA_ANNOTATION && content_types[i] == r->type)
            return true;
    return false;
}

/* Begins a class and writes its annotations. The caller writes `fields` fields after that. */
static void class(struct tree *t, const struct row *r, uint32_t type_id, uint32_t fields)
{
    char id[12];
    const char *attributes[2 * ATTRIBUTES_MAX] = {"name", r->name, "id", id};
    size_t count = 2;
    snprintf(id, sizeof(id), "%u", type_id);
    if (r->sort == JFR_SCHEMA_EVENT || r->sort == JFR_SCHEMA_ANNOTATION) {
        attributes[2 * count] = "superType";
        attributes[2 * count++ + 1] =
            r->sort == JFR_SCHEMA_EVENT ? "jdk.jfr.Event" : "java.lang.annotation.Annotation";
    }
    if (r->sort == JFR_SCHEMA_SIMPLE) {
        attributes[2 * count] = "simpleType";
        attributes[2 * count++ + 1] = "true";
    }
    element(t, "class", attributes, count,
            fields + (r->label[0] != 0) + (r->about[0] != 0) + (r->category[0] != 0) +
                (is_content(r) ? 1 : 0));
    if (r->label[0])
        annotation(t, JFR_SCHEMA_TYPE_LABEL, r->label);
    if (r->about[0])
        annotation(t, JFR_SCHEMA_TYPE_DESCRIPTION, r->about);
    if (r->category[0])
        category(t, r->category);
    if (is_content(r))
        annotation(t, JFR_SCHEMA_TYPE_CONTENT_TYPE, NULL);
}

static uint32_t field_count(enum jfr_schema_type type)
{
    uint32_t count = 0;
    while (row_of[type] + 1 + count < ROWS && rows[row_of[type] + 1 + count].sort == 0)
        count++;
    return count;
}

bool jfr_schema_has_context(enum jfr_schema_type type)
{
    uint32_t count = field_count(type);
    return count > 0 && rows[row_of[type] + count].type == JFR_SCHEMA_TYPE_CONTEXT;
}

/* The class of contexts: its fields are the program's keys. */
static void context_class(struct tree *t)
{
    const struct row type = row_at(ROW_CONTEXT);
    class(t, &type, jfr_schema_id(JFR_SCHEMA_TYPE_CONTEXT), t->keys->count);
    for (uint32_t i = 0; i < t->keys->count; i++) {
        const char *about = t->keys->of[i].about;
        const struct row f = {.type = JFR_SCHEMA_TYPE_STRING,
                              .name = t->keys->of[i].name,
                              .label = about ? about : t->keys->of[i].name};
        field(t, &f);
    }
}

/* The class of a type in jfr_event.def. */
static void listed_class(struct tree *t, enum jfr_schema_type type)
{
    uint32_t fields = field_count(type);
    if (t->keys->count == 0 && jfr_schema_has_context(type))
        fields--;
    const struct row of_type = row_at(row_of[type]);
    class(t, &of_type, jfr_schema_id(type), fields);
    for (uint32_t i = 1; i <= fields; i++) {
        const struct row f = row_at(row_of[type] + i);
        field(t, &f);
    }
}

#define ROW(sort, id, hold, content, ...)                                                          \
    {                                                                                              \
        JFR_SCHEMA_##sort, JFR_SCHEMA_TYPE_##id, JFR_SCHEMA_##hold, JFR_SCHEMA_##content,          \
            __VA_ARGS__                                                                            \
    }

static const struct row sum_fields[] = {
    ROW(FIELD, LONG, INLINE, TICKS, "startTime", "Start Time", "", ""),
    ROW(FIELD, THREAD, POOL, PLAIN, "eventThread", "Thread", "", ""),
    ROW(FIELD, STACK_TRACE, POOL, PLAIN, "stackTrace", "Stack Trace", "", ""),
    ROW(FIELD, CLASS, POOL, PLAIN, "objectClass", "Class", "", ""),
    ROW(FIELD, STRING, INLINE, PLAIN, "text", "Text", "", ""),
};

enum { SUM_FIELDS = sizeof(sum_fields) / sizeof(sum_fields[0]) };

/* The class of events that are sums of a kind: what a sum belongs to, and its values. */
static void sum_class(struct tree *t, enum kind_id kind)
{
    static const uint8_t contents[] = {[KIND_UNIT_COUNT] = JFR_SCHEMA_COUNT,
                                       [KIND_UNIT_NS] = JFR_SCHEMA_SPAN_NS,
                                       [KIND_UNIT_BYTES] = JFR_SCHEMA_BYTES,
                                       [KIND_UNIT_LEVEL] = JFR_SCHEMA_BYTES};
    char name[JFR_SCHEMA_NAME], value_name[JFR_SCHEMA_NAME];
    const struct row type = {.sort = JFR_SCHEMA_EVENT,
                             .name = name,
                             .label = kind_all[kind]->title,
                             .about = "A sum, dated when it was written",
                             .category = "Flight Recorder|hprof"};
    sum_name(kind, name);
    class(t, &type, jfr_schema_sum_id(kind), SUM_FIELDS + kind_value_count(kind));
    for (uint32_t i = 0; i < SUM_FIELDS; i++)
        field(t, &sum_fields[i]);
    for (uint32_t i = 0; i < kind_value_count(kind); i++) {
        const struct kind_value *value = &kind_all[kind]->values[i];
        const struct row f = {.type = JFR_SCHEMA_TYPE_LONG,
                              .content = contents[value->unit],
                              .name = value_name,
                              .label = value->words};
        camel(value->name, false, value_name, sizeof(value_name));
        field(t, &f);
    }
}

static const struct row custom_fields[] = {
    ROW(FIELD, LONG, INLINE, TICKS, "startTime", "Start Time", "", ""),
    ROW(FIELD, LONG, INLINE, SPAN_TICKS, "duration", "Duration", "", ""),
    ROW(FIELD, THREAD, POOL, PLAIN, "eventThread", "Event Thread", "", ""),
    ROW(FIELD, STACK_TRACE, POOL, PLAIN, "stackTrace", "Stack Trace", "", ""),
    ROW(FIELD, CONTEXT, POOL, PLAIN, "context", "Context", "", ""),
};

enum { CUSTOM_STACK = 3, CUSTOM_CONTEXT = 4 };

static const uint8_t custom_types[CUSTOM_SORTS] = {
    [CUSTOM_BOOLEAN] = JFR_SCHEMA_TYPE_BOOLEAN, [CUSTOM_INT] = JFR_SCHEMA_TYPE_INT,
    [CUSTOM_LONG] = JFR_SCHEMA_TYPE_LONG,       [CUSTOM_DOUBLE] = JFR_SCHEMA_TYPE_DOUBLE,
    [CUSTOM_TEXT] = JFR_SCHEMA_TYPE_STRING,     [CUSTOM_THREAD] = JFR_SCHEMA_TYPE_THREAD,
    [CUSTOM_CLASS] = JFR_SCHEMA_TYPE_CLASS,
};

static const uint8_t custom_contents[CUSTOM_UNITS] = {
    [CUSTOM_PLAIN] = JFR_SCHEMA_PLAIN,       [CUSTOM_BYTES] = JFR_SCHEMA_BYTES,
    [CUSTOM_NS] = JFR_SCHEMA_SPAN_NS,        [CUSTOM_MS] = JFR_SCHEMA_SPAN_MS,
    [CUSTOM_EPOCH_MS] = JFR_SCHEMA_EPOCH_MS, [CUSTOM_PERCENT] = JFR_SCHEMA_PERCENT,
};

static struct row custom_row(const struct custom_field *f)
{
    enum jfr_schema_type type = custom_types[f->sort];
    return (struct row){.type = (uint8_t)type,
                        .hold = type > JFR_SCHEMA_TYPE_STRING ? JFR_SCHEMA_POOL : JFR_SCHEMA_INLINE,
                        .content = custom_contents[f->unit],
                        .name = f->name,
                        .label = f->label};
}

/* The class of a type that the program has defined. */
static void custom_class(struct tree *t, const struct custom_type *type)
{
    const struct row head = {.sort = JFR_SCHEMA_EVENT,
                             .name = type->name,
                             .label = type->label,
                             .about = type->about,
                             .category = type->category};
    uint32_t own = CUSTOM_STACK + type->has_stack + (t->keys->count > 0);
    class(t, &head, jfr_schema_custom_id(type), own + type->field_count);
    for (uint32_t i = 0; i < CUSTOM_STACK + (uint32_t)type->has_stack; i++)
        field(t, &custom_fields[i]);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct row f = custom_row(&type->fields[i]);
        field(t, &f);
    }
    if (t->keys->count > 0)
        field(t, &custom_fields[CUSTOM_CONTEXT]);
}

static void tree(struct tree *t, int64_t gmt_offset_ms)
{
    char offset[GMT_TEXT];
    const char *const region[] = {"locale", "en_US", "gmtOffset", offset};
    snprintf(offset, sizeof(offset), "%lld", (long long)gmt_offset_ms);
    element(t, "root", NULL, 0, 2);
    element(t, "metadata", NULL, 0,
            JFR_SCHEMA_TYPES + KIND_COUNT - (t->keys->count == 0) + t->keys->custom_count);
    for (int type = 0; type < JFR_SCHEMA_TYPES; type++)
        if (type != JFR_SCHEMA_TYPE_CONTEXT)
            listed_class(t, (enum jfr_schema_type)type);
        else if (t->keys->count > 0)
            context_class(t);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        sum_class(t, kind);
    for (uint32_t i = 0; i < t->keys->custom_count; i++)
        custom_class(t, t->keys->customs->of[i]);
    element(t, "region", region, 2, 0);
}

void jfr_schema_describe(struct jfr_bytes *b, struct jfr_words *words, uint64_t time_ns,
                         int64_t gmt_offset_ms, const struct jfr_schema_keys *keys)
{
    struct tree t = {.words = words, .keys = keys};
    size_t start = jfr_bytes_later(b);
    jfr_bytes_leb(b, JFR_LAYOUT_METADATA);
    jfr_bytes_leb(b, time_ns);
    jfr_bytes_leb(b, 0);
    jfr_bytes_leb(b, METADATA_ID + keys->count + keys->custom_count * (CONTEXT_KEYS + 1));
    jfr_words_begin(words);
    tree(&t, gmt_offset_ms);
    jfr_words_write(words, b);
    tree(&t, gmt_offset_ms);
    jfr_bytes_set(b, start, (uint32_t)(b->used - start));
}

/* ---- events */

/* Writes a value whose type has no fields. */
static void put_plain(struct jfr_bytes *b, enum jfr_schema_type type,
                      const union jfr_schema_value *value)
{
    switch (type) {
    case JFR_SCHEMA_TYPE_BOOLEAN:
    case JFR_SCHEMA_TYPE_BYTE:
        jfr_bytes_u1(b, (uint8_t)value->number);
        break;
    case JFR_SCHEMA_TYPE_FLOAT:
        jfr_bytes_float(b, (float)value->real);
        break;
    case JFR_SCHEMA_TYPE_DOUBLE:
        jfr_bytes_double(b, value->real);
        break;
    case JFR_SCHEMA_TYPE_STRING:
        jfr_bytes_text(b, value->text, value->text ? strlen(value->text) : 0);
        break;
    default:
        jfr_bytes_leb(b, value->number);
    }
}

/* Writes the fields of a type; the fields of an inline type stand in its place. Returns where the
 * values go on. */
static const union jfr_schema_value *put_fields(struct jfr_bytes *b, enum jfr_schema_type type,
                                                const union jfr_schema_value *value, bool has_keys)
{
    for (const struct listed *f = &rows[row_of[type] + 1]; f < rows + ROWS && f->sort == 0; f++) {
        if (f->type == JFR_SCHEMA_TYPE_CONTEXT && !has_keys)
            value++;
        else if (f->hold == JFR_SCHEMA_POOL)
            jfr_bytes_leb(b, (value++)->number);
        else if (f->type > JFR_SCHEMA_TYPE_STRING)
            value = put_fields(b, f->type, value, has_keys);
        else
            put_plain(b, f->type, value++);
    }
    return value;
}

bool jfr_schema_put(struct jfr_bytes *b, enum jfr_schema_type type,
                    const union jfr_schema_value *values, bool has_keys)
{
    size_t start = jfr_bytes_begin(b);
    jfr_bytes_leb(b, jfr_schema_id(type));
    put_fields(b, type, values, has_keys);
    return jfr_bytes_end(b, start);
}

bool jfr_schema_put_sum(struct jfr_bytes *b, const struct event *event, uint64_t stack,
                        const char *text)
{
    size_t start = jfr_bytes_begin(b);
    jfr_bytes_leb(b, jfr_schema_sum_id(event->kind));
    jfr_bytes_leb(b, event->time_ns);
    jfr_bytes_leb(b, event->thread);
    jfr_bytes_leb(b, stack);
    jfr_bytes_leb(b, event->klass);
    jfr_bytes_text(b, text, text ? strlen(text) : 0);
    for (uint32_t i = 0; i < kind_value_count(event->kind); i++)
        jfr_bytes_leb(b, event->value[i]);
    return jfr_bytes_end(b, start);
}

static void put_custom_value(struct jfr_bytes *b, enum custom_sort sort,
                             const union custom_value *value)
{
    switch (sort) {
    case CUSTOM_BOOLEAN:
        jfr_bytes_u1(b, value->number != 0);
        break;
    case CUSTOM_INT:
        jfr_bytes_leb(b, (uint32_t)value->number);
        break;
    case CUSTOM_DOUBLE:
        jfr_bytes_double(b, value->real);
        break;
    case CUSTOM_TEXT:
        jfr_bytes_text(b, value->text, value->text ? strlen(value->text) : 0);
        break;
    case CUSTOM_THREAD:
        jfr_bytes_leb(b, value->thread);
        break;
    case CUSTOM_CLASS:
        jfr_bytes_leb(b, value->klass);
        break;
    default:
        jfr_bytes_leb(b, (uint64_t)value->number);
    }
}

bool jfr_schema_put_custom(struct jfr_bytes *b, const struct custom_event *event,
                           const struct jfr_schema_of_custom *of, bool has_keys)
{
    const struct custom_type *type = event->type;
    size_t start = jfr_bytes_begin(b);
    jfr_bytes_leb(b, jfr_schema_custom_id(type));
    jfr_bytes_leb(b, of->start_ns);
    jfr_bytes_leb(b, of->duration_ns);
    jfr_bytes_leb(b, of->thread);
    if (type->has_stack)
        jfr_bytes_leb(b, of->stack);
    for (uint32_t i = 0; i < type->field_count; i++)
        put_custom_value(b, type->fields[i].sort, &event->values[i]);
    if (has_keys)
        jfr_bytes_leb(b, of->context);
    return jfr_bytes_end(b, start);
}
