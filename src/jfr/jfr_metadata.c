/*
 * jfr_metadata.c - see jfr_metadata.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_metadata.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "jfr/jfr_budget.h"
#include "jfr/jfr_text.h"

enum {
    DEPTH_MAX = 8,       /* levels: root, metadata, class, field, annotation, and three spare */
    PARTS_MAX = 1 << 20, /* elements and attributes; a JVM writes about 20,000 */
    ARENA_PER_BYTE = 64,
    ARENA_MIN = 1 << 20,
    NUMBERS_MAX = 1 << 10,
    FIELDS_FEW = 32, /* a type with more fields gets an index sorted by name */
};

/* A node of the tree in the file. */
struct element {
    const char *name;
    struct jfr_pair *pairs;
    struct element *children;
    uint32_t pair_count, child_count;
};

struct reading {
    struct jfr_metadata *m;
    struct leb l;
    const char **strings;
    uint64_t string_count;
    uint32_t parts;
    int error;
};

static int fail(struct reading *r, int error)
{
    if (r->error == 0)
        r->error = error;
    leb_fail(&r->l);
    return r->error;
}

/* Memory for `count` rows. Each row has at least `bytes` bytes in the file, so a false count is
 * found. */
static void *rows(struct reading *r, uint64_t count, size_t row, size_t bytes)
{
    void *memory;
    if (count > leb_left(&r->l) / bytes) {
        fail(r, E_FORMAT);
        return NULL;
    }
    memory = arena_alloc(&r->m->arena, count * row);
    if (!memory)
        fail(r, -ENOMEM);
    return memory;
}

static void read_strings(struct reading *r)
{
    r->string_count = leb_number(&r->l);
    r->strings = rows(r, r->string_count, sizeof(*r->strings), 1);
    for (uint64_t i = 0; r->strings && i < r->string_count && !r->l.is_bad; i++) {
        struct jfr_text text = jfr_text_read(&r->l);
        char *utf8 = arena_alloc(&r->m->arena, jfr_text_room(&text) + 1);
        if (!utf8) {
            fail(r, -ENOMEM);
            return;
        }
        utf8[jfr_text_utf8(&text, utf8)] = '\0';
        r->strings[i] = utf8;
    }
}

static const char *read_string(struct reading *r)
{
    uint64_t i = leb_number(&r->l);
    if (i < r->string_count)
        return r->strings[i];
    fail(r, E_FORMAT);
    return "";
}

/* Limits the tree, because an element needs ten times as much memory as it has bytes in the
 * file. */
static bool may_have(struct reading *r, uint64_t count)
{
    if (count <= PARTS_MAX && (r->parts += (uint32_t)count) <= PARTS_MAX)
        return true;
    fail(r, E_LIMIT);
    return false;
}

static void read_element(struct reading *r, struct element *e, unsigned depth)
{
    uint64_t count;
    if (depth > DEPTH_MAX) {
        fail(r, E_FORMAT);
        return;
    }
    e->name = read_string(r);
    count = leb_number(&r->l);
    if (!may_have(r, count))
        return;
    e->pairs = rows(r, count, sizeof(*e->pairs), 2);
    for (uint64_t i = 0; e->pairs && i < count; i++) {
        e->pairs[i].key = read_string(r);
        e->pairs[i].value = read_string(r);
    }
    e->pair_count = e->pairs ? (uint32_t)count : 0;
    count = leb_number(&r->l);
    if (!may_have(r, count))
        return;
    e->children = rows(r, count, sizeof(*e->children), 3);
    for (uint64_t i = 0; e->children && i < count && !r->l.is_bad; i++)
        read_element(r, &e->children[i], depth + 1);
    e->child_count = e->children && !r->l.is_bad ? (uint32_t)count : 0;
}

static const char *attribute(const struct element *e, const char *key)
{
    for (uint32_t i = 0; i < e->pair_count; i++)
        if (strcmp(e->pairs[i].key, key) == 0)
            return e->pairs[i].value;
    return NULL;
}

static bool is_true(const struct element *e, const char *key)
{
    const char *value = attribute(e, key);
    return value && strcmp(value, "true") == 0;
}

static uint64_t number(const struct element *e, const char *key)
{
    const char *value = attribute(e, key);
    return value ? strtoull(value, NULL, 10) : 0;
}

static uint32_t count_children(const struct element *e, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->child_count; i++)
        count += strcmp(e->children[i].name, name) == 0;
    return count;
}

static const struct element *child(const struct element *e, const char *name)
{
    for (uint32_t i = 0; i < e->child_count; i++)
        if (strcmp(e->children[i].name, name) == 0)
            return &e->children[i];
    return NULL;
}

static struct jfr_annotations make_annotations(struct reading *r, const struct element *e)
{
    struct jfr_annotations a = {
        .rows = arena_alloc(&r->m->arena, count_children(e, "annotation") * sizeof(*a.rows))};
    if (!a.rows) {
        fail(r, -ENOMEM);
        return a;
    }
    for (uint32_t i = 0; i < e->child_count; i++) {
        const struct element *c = &e->children[i];
        if (strcmp(c->name, "annotation") == 0)
            a.rows[a.count++] = (struct jfr_annotation){
                .type_id = number(c, "class"), .pairs = c->pairs, .pair_count = c->pair_count};
    }
    return a;
}

static struct jfr_field *make_fields(struct reading *r, const struct element *e, const char *name,
                                     uint32_t *ret_count)
{
    uint32_t count = count_children(e, name), n = 0;
    struct jfr_field *fields = arena_alloc(&r->m->arena, count * sizeof(*fields));
    if (!fields) {
        fail(r, -ENOMEM);
        return NULL;
    }
    for (uint32_t i = 0; i < e->child_count; i++) {
        const struct element *c = &e->children[i];
        const char *dimension = attribute(c, "dimension");
        if (strcmp(c->name, name) != 0)
            continue;
        fields[n] = (struct jfr_field){
            .name = attribute(c, "name"),
            .type_id = number(c, "class"),
            .annotations = make_annotations(r, c),
            .is_pooled = is_true(c, "constantPool"),
            .is_array = dimension && strcmp(dimension, "0") != 0,
        };
        if (!fields[n].name)
            fail(r, E_FORMAT);
        n++;
    }
    *ret_count = count;
    return fields;
}

static enum jfr_kind kind_of(const struct jfr_type *t)
{
    static const struct {
        const char *name;
        enum jfr_kind kind;
    } primitives[] = {
        {"boolean", JFR_BOOLEAN}, {"byte", JFR_BYTE},     {"char", JFR_CHAR},
        {"short", JFR_SHORT},     {"int", JFR_INT},       {"long", JFR_LONG},
        {"float", JFR_FLOAT},     {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING},
    };
    if (t->field_count > 0)
        return JFR_STRUCT;
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
        if (strcmp(t->name, primitives[i].name) == 0)
            return primitives[i].kind;
    return JFR_UNKNOWN;
}

/* JDK 9 and 10 have the same types in other packages. */
static const char *known_name(struct reading *r, const char *name)
{
    static const struct {
        const char *before, *since;
    } packages[] = {{"com.oracle.jdk.", "jdk."}, {"com.oracle.jfr.types.", "jdk.types."}};
    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
        size_t len = strlen(packages[i].before), room;
        char *known;
        if (strncmp(name, packages[i].before, len) != 0)
            continue;
        room = strlen(packages[i].since) + strlen(name + len) + 1;
        known = arena_alloc(&r->m->arena, room);
        if (!known)
            fail(r, -ENOMEM);
        else
            snprintf(known, room, "%s%s", packages[i].since, name + len);
        return known ? known : name;
    }
    return name;
}

static void make_types(struct reading *r, const struct element *metadata)
{
    struct jfr_metadata *m = r->m;
    m->type_count = count_children(metadata, "class");
    m->types = arena_alloc(&m->arena, m->type_count * sizeof(*m->types));
    if (!m->types) {
        m->type_count = 0;
        fail(r, -ENOMEM);
        return;
    }
    struct jfr_type *t = m->types;
    for (uint32_t i = 0; i < metadata->child_count && r->error == 0; i++) {
        const struct element *e = &metadata->children[i];
        if (strcmp(e->name, "class") != 0)
            continue;
        t->id = number(e, "id");
        t->number = (uint32_t)(t - m->types);
        t->name = attribute(e, "name");
        t->super = attribute(e, "superType");
        t->is_simple = is_true(e, "simpleType");
        t->annotations = make_annotations(r, e);
        t->fields = make_fields(r, e, "field", &t->field_count);
        t->settings = make_fields(r, e, "setting", &t->setting_count);
        if (!t->name) {
            fail(r, E_FORMAT);
        } else {
            t->kind = kind_of(t);
            t->known_as = known_name(r, t->name);
        }
        t->is_simple = t->is_simple && t->field_count == 1;
        t++;
    }
}

/* If several types have one id, the last one in the file comes last; that one is found. */
static int compare_ids(const void *a, const void *b)
{
    const struct jfr_type *const *x = a, *const *y = b;
    if ((*x)->id != (*y)->id)
        return (*x)->id < (*y)->id ? -1 : 1;
    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

static void index_types(struct reading *r)
{
    struct jfr_metadata *m = r->m;
    m->by_id = arena_alloc(&m->arena, m->type_count * sizeof(const struct jfr_type *));
    if (!m->by_id) {
        fail(r, -ENOMEM);
        return;
    }
    for (uint32_t i = 0; i < m->type_count; i++) {
        m->by_id[i] = &m->types[i];
        if (m->types[i].id < JFR_METADATA_NEAR)
            m->near[m->types[i].id] = &m->types[i];
    }
    qsort(m->by_id, m->type_count, sizeof(const struct jfr_type *), compare_ids);
}

static void link_annotations(const struct jfr_metadata *m, struct jfr_annotations *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        a->rows[i].type = jfr_metadata_type(m, a->rows[i].type_id);
}

static enum jfr_content content_of(const struct jfr_annotations *a)
{
    static const struct {
        const char *annotation, *value;
        enum jfr_content content;
    } rows[] = {
        {"jdk.jfr.Timespan", "TICKS", JFR_TICKS_SPAN},
        {"jdk.jfr.Timespan", "NANOSECONDS", JFR_NANOS_SPAN},
        {"jdk.jfr.Timespan", "MICROSECONDS", JFR_MICROS_SPAN},
        {"jdk.jfr.Timespan", "MILLISECONDS", JFR_MILLIS_SPAN},
        {"jdk.jfr.Timespan", "SECONDS", JFR_SECONDS_SPAN},
        {"jdk.jfr.Timestamp", "TICKS", JFR_TICKS_STAMP},
        {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH", JFR_MILLIS_STAMP},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *value = jfr_type_annotation(a, rows[i].annotation, "value");
        if (value && strcmp(value, rows[i].value) == 0)
            return rows[i].content;
    }
    return JFR_PLAIN;
}

static unsigned marks_of(const struct jfr_annotations *a)
{
    static const struct {
        const char *annotation;
        enum jfr_mark mark;
    } rows[] = {
        {"jdk.jfr.Unsigned", JFR_UNSIGNED},     {"jdk.jfr.DataAmount", JFR_BYTES_AMOUNT},
        {"jdk.jfr.Frequency", JFR_FREQUENCY},   {"jdk.jfr.Percentage", JFR_PERCENTAGE},
        {"jdk.jfr.MemoryAddress", JFR_ADDRESS}, {"jdk.jfr.Contextual", JFR_CONTEXTUAL},
    };
    const char *amount = jfr_type_annotation(a, "jdk.jfr.DataAmount", "value");
    unsigned marks = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
            if (a->rows[i].type && strcmp(a->rows[i].type->name, rows[k].annotation) == 0)
                marks |= rows[k].mark;
    if (amount && strcmp(amount, "BITS") == 0)
        marks = (marks & ~(unsigned)JFR_BYTES_AMOUNT) | JFR_BITS_AMOUNT;
    return marks;
}

static void link_fields(const struct jfr_metadata *m, struct jfr_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct jfr_field *f = &fields[i];
        f->type = jfr_metadata_type(m, f->type_id);
        link_annotations(m, &f->annotations);
        f->label = jfr_type_annotation(&f->annotations, "jdk.jfr.Label", "value");
        f->content = content_of(&f->annotations);
        f->marks = marks_of(&f->annotations);
    }
}

/* How many integers a value of the type consists of; 0: it has other parts. The types of its fields
 * must have their counts already. */
static uint32_t count_numbers(const struct jfr_type *t)
{
    uint32_t count = t->kind >= JFR_CHAR && t->kind <= JFR_LONG;
    for (uint32_t i = 0; i < t->field_count && t->kind == JFR_STRUCT; i++) {
        const struct jfr_field *f = &t->fields[i];
        uint32_t more = f->is_array ? 0 : f->is_pooled ? 1 : f->type->numbers;
        if (more == 0 || count > NUMBERS_MAX)
            return 0;
        count += more;
    }
    return count <= NUMBERS_MAX ? count : 0;
}

/* Finds out whether values of the type can be read. A structure that contains itself other than as
 * a constant has no end; the search meets it again while its state is OPEN. */
static bool find_readable(struct jfr_type *t, signed char *state, const struct jfr_type *first,
                          unsigned depth)
{
    enum { OPEN = 1, YES = 2, NO = 3 };
    signed char *mine = &state[t - first];
    if (*mine != 0)
        return *mine == YES;
    *mine = OPEN;
    bool is_readable = t->kind != JFR_UNKNOWN && depth < JFR_NESTING;
    for (uint32_t i = 0; i < t->field_count && is_readable; i++) {
        const struct jfr_field *f = &t->fields[i];
        if (!f->type)
            is_readable = false;
        else if (!f->is_pooled)
            is_readable = find_readable((struct jfr_type *)f->type, state, first, depth + 1);
    }
    if (is_readable)
        t->numbers = count_numbers(t);
    *mine = is_readable ? YES : NO;
    t->is_readable = is_readable;
    return is_readable;
}

static int compare_names(const void *a, const void *b)
{
    const struct jfr_field *const *x = a, *const *y = b;
    int r = strcmp((*x)->name, (*y)->name);
    return r != 0 ? r : (*x > *y) - (*x < *y);
}

static void sort_names(struct reading *r, struct jfr_type *t)
{
    const struct jfr_field **fields;
    uint32_t *numbers;
    if (t->field_count <= FIELDS_FEW)
        return;
    fields = arena_alloc(&r->m->arena, t->field_count * sizeof(const struct jfr_field *));
    numbers = arena_alloc(&r->m->arena, t->field_count * sizeof(*numbers));
    if (!fields || !numbers) {
        fail(r, -ENOMEM);
        return;
    }
    for (uint32_t i = 0; i < t->field_count; i++)
        fields[i] = &t->fields[i];
    qsort(fields, t->field_count, sizeof(const struct jfr_field *), compare_names);
    for (uint32_t i = 0; i < t->field_count; i++)
        numbers[i] = (uint32_t)(fields[i] - t->fields);
    t->by_name = numbers;
}

static void link_types(struct reading *r)
{
    struct jfr_metadata *m = r->m;
    signed char *state = arena_alloc(&m->arena, m->type_count);
    if (!state) {
        fail(r, -ENOMEM);
        return;
    }
    for (uint32_t i = 0; i < m->type_count; i++)
        link_annotations(m, &m->types[i].annotations);
    for (uint32_t i = 0; i < m->type_count; i++) {
        link_fields(m, m->types[i].fields, m->types[i].field_count);
        link_fields(m, m->types[i].settings, m->types[i].setting_count);
    }
    for (uint32_t i = 0; i < m->type_count; i++)
        find_readable(&m->types[i], state, m->types, 0);
    for (uint32_t i = 0; i < m->type_count && r->error == 0; i++)
        sort_names(r, &m->types[i]);
}

static int read_types(struct jfr_metadata *m, struct leb payload)
{
    struct reading r = {.m = m, .l = payload};
    struct element root = {0};
    const struct element *metadata, *region;
    leb_skip_numbers(&r.l, 3); /* start, duration, id of the metadata */
    read_strings(&r);
    if (!r.l.is_bad)
        read_element(&r, &root, 0);
    if (r.l.is_bad)
        return fail(&r, E_TRUNCATED);
    metadata = child(&root, "metadata");
    region = child(&root, "region");
    if (!metadata)
        return fail(&r, E_FORMAT);
    if (region)
        m->gmt_offset_ms = (int64_t)number(region, "gmtOffset");
    make_types(&r, metadata);
    if (r.error == 0)
        index_types(&r);
    if (r.error == 0)
        link_types(&r);
    if (r.error != 0)
        m->type_count = 0;
    return r.error;
}

int jfr_metadata_read(struct jfr_metadata *m, struct leb payload, struct jfr_budget *budget)
{
    size_t own = leb_left(&payload) * ARENA_PER_BYTE + ARENA_MIN, left = jfr_budget_left(budget);
    memset(m, 0, sizeof(*m));
    m->budget = budget;
    arena_init(&m->arena, own < left ? own : left);
    int r = read_types(m, payload);
    if (budget)
        budget->is_short |= r == -ENOMEM && left < own;
    if (budget)
        budget->taken += m->arena.taken;
    return r;
}

void jfr_metadata_done(struct jfr_metadata *m)
{
    jfr_budget_give(m->budget, m->arena.taken);
    arena_done(&m->arena);
    m->types = NULL;
    m->type_count = 0;
    memset(m->near, 0, sizeof(m->near));
}

const struct jfr_type *jfr_metadata_search(const struct jfr_metadata *m, uint64_t id)
{
    uint32_t from = 0, to = m->type_count;
    while (from < to) { /* all rows in front of `from` have this id or a smaller one */
        uint32_t middle = from + (to - from) / 2;

        if (m->by_id[middle]->id <= id)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && m->by_id[from - 1]->id == id ? m->by_id[from - 1] : NULL;
}

const struct jfr_type *jfr_metadata_named(const struct jfr_metadata *m, const char *name)
{
    for (uint32_t i = 0; i < m->type_count; i++)
        if (strcmp(m->types[i].known_as, name) == 0)
            return &m->types[i];
    return NULL;
}
