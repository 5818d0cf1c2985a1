/*
 * query_jfr.c - see query_jfr.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_jfr.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_type.h"
#include "jfrtool/jfr_catalogue.h"
#include "query/query_names.h"
#include "query/query_shape.h"
#include "query/query_state.h"

enum {
    PATH = 512,          /* bytes of a path; longer ones are left out */
    DEPTH_MAX = 4,       /* structures inside structures that get columns */
    BYTES_OF_EVENT = 64, /* about */
    RARE = 20,           /* of so many events one is of a certain type, about */
};

static const struct query_table_column commons[QUERY_JFR_COMMONS] = {
    {"type", "TEXT", "The type of the event.", QUERY_TABLE_EQUAL, false},
    {"start", "INTEGER", "When it happened or began, in ns since 1970.",
     QUERY_TABLE_RANGE | QUERY_TABLE_EQUAL, true},
    {"duration", "INTEGER", "How long it took, in ns; 0 for a mere moment.", 0, true},
    {"thread", "TEXT", "The name of its thread, or of the thread that was sampled.",
     QUERY_TABLE_EQUAL, true},
    {"thread_id", "INTEGER", "The number of that thread in the table threads.", 0, true},
    {"stack", "INTEGER", "Its stack, a number in the table stacks.", 0, true},
    {"bytes", "INTEGER",
     "How many bytes it is about: allocated, read, written; NULL: it is about none.", 0, true},
    {"input", "INTEGER", "The number of the input that has it.", 0, true},
    {"event", "BLOB", "Its thread and time, for the function enclosing().", 0, true},
};

/* ---- finding types and columns */

struct query_jfr_type *query_jfr_find(const struct query_jfr *jfr, const char *name)
{
    uint32_t hash = lookup_hash(&jfr->key, name, strlen(name)), at = hash;
    for (uint32_t row; (row = lookup_next(&jfr->by_name, hash, &at)) != 0;) {
        struct query_jfr_type *type = *(struct query_jfr_type **)table_at(&jfr->types, row);
        if (strcmp(type->name, name) == 0)
            return type;
    }
    return NULL;
}

uint32_t query_jfr_count(const struct query_jfr *jfr)
{
    return jfr->types.count;
}

const struct query_jfr_type *query_jfr_at(const struct query_jfr *jfr, uint32_t number)
{
    return *(struct query_jfr_type **)table_at(&jfr->types, number + 1);
}

static const char *keep(struct query_jfr *jfr, const char *text)
{
    size_t len = strlen(text) + 1;
    char *kept = arena_alloc(&jfr->query->arena, len);
    return kept ? memcpy(kept, text, len) : NULL;
}

/* The column of a path from 1; 0: there is none. A thread has two columns with one path. */
static uint32_t find_path(const struct query_jfr *jfr, const struct query_jfr_type *t,
                          const char *path)
{
    uint32_t hash = lookup_hash(&jfr->key, path, strlen(path)), at = hash;
    for (uint32_t row; (row = lookup_next(&t->by_path, hash, &at)) != 0;)
        if (strcmp(t->fields[row - 1].path, path) == 0)
            return row;
    return 0;
}

/* ---- adding types and columns */

static int grow(struct query_jfr_type *t)
{
    uint32_t room = t->room * 2 + 16;
    struct query_table_column *columns = realloc(t->columns, room * sizeof(*columns));
    if (columns)
        t->columns = columns;
    struct query_jfr_field *fields = realloc(t->fields, room * sizeof(*fields));
    if (fields)
        t->fields = fields;
    if (!columns || !fields)
        return -ENOMEM;
    t->room = room;
    return 0;
}

/* Adds a column. `name` is what it should be called. */
static int add_column(struct query_jfr *jfr, struct query_jfr_type *t, const char *name,
                      const struct query_jfr_field *field, const struct query_table_column *like)
{
    if (t->field_count + QUERY_JFR_COMMONS >= QUERY_TABLE_COLUMNS_MAX) {
        t->left_out++;
        return 0;
    }
    if (t->field_count + QUERY_JFR_COMMONS + 1 >= t->room && grow(t) < 0)
        return -ENOMEM;
    struct query_table_column column = *like;
    column.name = query_names_add(t->names, name);
    if (!column.name) {
        t->left_out++;
        return 0;
    }
    t->columns[t->field_count] = column;
    t->fields[t->field_count++] = *field;
    return 0;
}

/* What is known of a field: our own sentence, or the file's description or label. */
static const char *sentence_of(struct query_jfr *jfr, const struct query_jfr_type *t,
                               const struct jfr_field *f, const char *path)
{
    const struct jfr_catalogue_sentence *ours = jfr_catalogue_field_sentence(t->name, path);
    if (ours)
        return ours->text;
    const char *said = jfr_type_annotation(&f->annotations, "jdk.jfr.Description", "value");
    if (!said)
        said = f->label;
    return said && *said ? keep(jfr, said) : NULL;
}

static int add_field(struct query_jfr *jfr, struct query_jfr_type *t, const struct jfr_field *f,
                     const char *before, unsigned depth);

static int add_parts(struct query_jfr *jfr, struct query_jfr_type *t, const struct jfr_field *f,
                     const char *path, unsigned depth)
{
    int error = 0;
    if (depth == DEPTH_MAX) {
        t->left_out++;
        return 0;
    }
    for (uint32_t i = 0; error == 0 && i < f->type->field_count; i++)
        error = add_field(jfr, t, &f->type->fields[i], path, depth + 1);
    return error;
}

/* The columns of a field: one, two for a thread or a method, or those of its parts. */
static int add_cells(struct query_jfr *jfr, struct query_jfr_type *t, const struct jfr_field *f,
                     const char *path, enum query_shape cell)
{
    char id[PATH + 12];
    struct query_jfr_field field = {.path = keep(jfr, path),
                                    .needs_constants = query_shape_needs_constants(f),
                                    .shape = (uint8_t)cell};
    struct query_table_column like = {.type = query_shape_type(cell),
                                      .about = sentence_of(jfr, t, f, path)};
    uint32_t before = t->field_count;
    if (!field.path || !lookup_reserve(&t->by_path, &jfr->query->arena))
        return -ENOMEM;
    if (strcmp(path, "startTime") == 0)
        like.abilities = QUERY_TABLE_RANGE | QUERY_TABLE_EQUAL;
    int error = add_column(jfr, t, path, &field, &like);
    if (error < 0 || t->field_count == before)
        return error;
    lookup_add(&t->by_path, lookup_hash(&jfr->key, path, strlen(path)), t->field_count);
    if (cell == QUERY_SHAPE_METHOD) {
        snprintf(id, sizeof(id), "%s.signature", path);
        field.is_signature = true;
        like = (struct query_table_column){.type = "TEXT",
                                           .about = "That method with the types of its parameters.",
                                           .is_hidden = true};
        return add_column(jfr, t, id, &field, &like);
    }
    if (cell != QUERY_SHAPE_THREAD)
        return 0;
    snprintf(id, sizeof(id), "%s.id", path);
    field.is_thread_id = true;
    like = (struct query_table_column){.type = "INTEGER",
                                       .about = "The number of that thread in the table threads."};
    return add_column(jfr, t, id, &field, &like);
}

/* `before` is the path to the structure that has the field, "" for the event. */
static int add_field(struct query_jfr *jfr, struct query_jfr_type *t, const struct jfr_field *f,
                     const char *before, unsigned depth)
{
    char path[PATH];
    int len = snprintf(path, sizeof(path), "%s%s%s", before, *before ? "." : "", f->name);
    enum query_shape cell = query_shape_of(f);
    if (cell == QUERY_SHAPE_NONE)
        return 0;
    if (len >= PATH || t->field_count + QUERY_JFR_COMMONS >= QUERY_TABLE_COLUMNS_MAX) {
        t->left_out += find_path(jfr, t, path) == 0;
        return 0;
    }
    if (cell == QUERY_SHAPE_PARTS)
        return add_parts(jfr, t, f, path, depth);
    uint32_t at = find_path(jfr, t, path);
    if (at == 0)
        return add_cells(jfr, t, f, path, cell);
    t->fields[at - 1].needs_constants |= query_shape_needs_constants(f);
    return 0;
}

static struct query_jfr_type *add_type(struct query_jfr *jfr, const struct jfr_type *type)
{
    struct arena *arena = &jfr->query->arena;
    struct query_jfr_type *t = arena_alloc(arena, sizeof(*t));
    const char *name = keep(jfr, type->name), *about = jfr_catalogue_sentence(type->name);
    if (!t || !name || !lookup_reserve(&jfr->by_name, arena))
        return NULL;
    if (!about)
        about = jfr_type_annotation(&type->annotations, "jdk.jfr.Description", "value");
    if (!about)
        about = jfr_type_annotation(&type->annotations, "jdk.jfr.Label", "value");
    t->name = name;
    t->number = jfr->types.count;
    t->names = query_names_new(arena);
    t->table = (struct query_table){
        .kind = jfr->kind, .query = jfr->query, .about = about ? keep(jfr, about) : NULL, .of = t};
    struct query_jfr_type **row = t->names ? table_add(&jfr->types, arena) : NULL;
    if (!row)
        return NULL;
    *row = t;
    lookup_add(&jfr->by_name, lookup_hash(&jfr->key, name, strlen(name)), jfr->types.count);
    return t;
}

static int take_types(struct query_jfr *jfr, const struct jfr_metadata *m)
{
    for (uint32_t i = 0; i < m->type_count; i++) {
        const struct jfr_type *type = &m->types[i];
        if (!type->is_readable || !jfr_type_is_event(type))
            continue;
        struct query_jfr_type *t = query_jfr_find(jfr, type->name);
        if (!t)
            t = add_type(jfr, type);
        if (!t)
            return -ENOMEM;
        for (uint32_t k = 0; k < type->field_count; k++)
            if (add_field(jfr, t, &type->fields[k], "", 0) < 0)
                return -ENOMEM;
    }
    return 0;
}

/* ---- the inputs */

/* A copy of the last metadata. Most chunks of a recording declare the same. */
struct seen {
    uint8_t *bytes;
    size_t len, room;
};

/* Whether the metadata are those of the chunk before. Their first three numbers are a time, a
 * duration and a number, which differ. */
static bool is_seen(struct seen *seen, const struct jfr_record *record)
{
    struct leb l = record->payload;
    leb_skip_numbers(&l, 3);
    size_t len = leb_left(&l);
    if (len == seen->len && seen->bytes && memcmp(seen->bytes, l.at, len) == 0)
        return true;
    if (len > seen->room) {
        free(seen->bytes);
        seen->bytes = malloc(len);
        seen->room = seen->bytes ? len : 0;
    }
    seen->len = seen->bytes ? len : 0;
    if (seen->bytes)
        memcpy(seen->bytes, l.at, len);
    return false;
}

static int read_input(struct query_jfr *jfr, struct query_input *in, struct seen *seen)
{
    const struct jfr_chunk_reading how = {.with_constants = false};
    struct jfr_file f;
    struct feed feed;
    int error = feed_open(&feed, in->fd);
    if (error < 0)
        return error;
    error = jfr_file_open(&f, &feed, &how);
    while (error == 0) {
        int got = jfr_file_next_chunk(&f);
        if (got == E_UNSUPPORTED)
            jfr_file_tell_version(&f, in->word, jfr->query->options.diag);
        if (got <= 0) {
            error = got;
            break;
        }
        if (f.chunk.has_types && !is_seen(seen, &f.chunk.metadata_record))
            error = take_types(jfr, &f.chunk.metadata);
    }
    jfr_file_close(&f);
    feed_done(&feed);
    return error;
}

/* ---- the tables */

/* Adds the columns that all types have. */
static int add_commons(struct query_jfr *jfr, struct query_jfr_type *t, bool is_all)
{
    uint32_t count = t->field_count;
    if (count + QUERY_JFR_COMMONS > t->room && grow(t) < 0)
        return -ENOMEM;
    for (int i = 0; i < QUERY_JFR_COMMONS; i++) {
        if ((i == QUERY_JFR_TYPE && !is_all) || query_names_has(t->names, commons[i].name))
            continue;
        t->common[count - t->field_count] = (uint8_t)i;
        t->columns[count] = commons[i];
        if (is_all && i < QUERY_JFR_INPUT)
            t->columns[count].is_hidden = false;
        count++;
    }
    t->table.columns = t->columns;
    t->table.column_count = count;
    return 0;
}

static uint64_t all_bytes(const struct query *q)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < q->input_count; i++)
        bytes += q->inputs[i].is_jfr ? q->inputs[i].bytes : 0;
    return bytes;
}

/* The name without what is in front of its last dot, if it is no other type's. */
static const char *alias_of(struct query_jfr *jfr, const struct query_jfr_type *t)
{
    const char *simple = jfr_filter_simple(t->name);
    if (simple == t->name || *simple == '\0' || query_names_has(jfr->query->names, simple))
        return NULL;
    return query_names_add(jfr->query->names, simple);
}

static int add_tables(struct query_jfr *jfr)
{
    struct query *q = jfr->query;
    uint64_t rows = all_bytes(q) / BYTES_OF_EVENT + 1;
    for (uint32_t i = 0; i < jfr->types.count; i++) {
        struct query_jfr_type *t = *(struct query_jfr_type **)table_at(&jfr->types, i + 1);
        t->table.name = query_names_add(q->names, t->name);
        t->table.rows = rows / RARE + 1;
        if (!t->table.name || add_commons(jfr, t, false) < 0)
            return -ENOMEM;
    }
    /* The JDK's types first, so that theirs are the short names. */
    for (int of_jdk = 1; of_jdk >= 0; of_jdk--)
        for (uint32_t i = 0; i < jfr->types.count; i++) {
            struct query_jfr_type *t = *(struct query_jfr_type **)table_at(&jfr->types, i + 1);
            if ((strncmp(t->name, "jdk.", 4) == 0) == (of_jdk == 1) &&
                query_add_table(q, &t->table, alias_of(jfr, t)) < 0)
                return -ENOMEM;
        }
    return 0;
}

static int add_events(struct query_jfr *jfr)
{
    struct query_jfr_type *t = &jfr->events;
    t->names = query_names_new(&jfr->query->arena);
    if (!t->names || add_commons(jfr, t, true) < 0)
        return -ENOMEM;
    t->table.kind = jfr->kind;
    t->table.query = jfr->query;
    t->table.name = "events";
    t->table.about = "The events of all types, with what every event has.";
    t->table.rows = all_bytes(jfr->query) / BYTES_OF_EVENT + 1;
    t->table.of = t;
    t->table.is_idle = jfr->types.count == 0;
    return query_add_table(jfr->query, &t->table, NULL);
}

int query_jfr_open(struct query *q, const struct query_table_kind *kind)
{
    struct query_jfr *jfr = arena_alloc(&q->arena, sizeof(*jfr));
    struct seen seen = {0};
    int error = jfr ? 0 : -ENOMEM;
    if (!jfr)
        return error;
    q->jfr = jfr;
    jfr->query = q;
    jfr->kind = kind;
    lookup_key_init(&jfr->key);
    table_init(&jfr->types, sizeof(struct query_jfr_type *));
    for (size_t i = 0; error != -ENOMEM && i < q->input_count; i++)
        if (q->inputs[i].is_jfr)
            error = read_input(jfr, &q->inputs[i], &seen);
    free(seen.bytes);
    if (error == 0)
        error = add_events(jfr);
    return error == 0 ? add_tables(jfr) : error;
}

void query_jfr_close(struct query_jfr *jfr)
{
    for (uint32_t i = 0; jfr && i < jfr->types.count; i++) {
        struct query_jfr_type *t = *(struct query_jfr_type **)table_at(&jfr->types, i + 1);
        free(t->columns);
        free(t->fields);
    }
    if (jfr) {
        free(jfr->events.columns);
        free(jfr->events.fields);
    }
}
