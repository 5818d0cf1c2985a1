/*
 * query_heap_tables.c - the tables of heap dumps: objects, classes, refs, dominators, roots,
 * strings, fields.
 *
 * A cursor goes through the dumps, and in each through its objects (or classes, or roots). Tables
 * of references and fields have several rows for an object, which are collected first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "query/query_heap.h"
#include "query/query_limit.h"
#include "query/query_state.h"

enum { OBJECTS_BETWEEN = 1 << 12, VALUE_TEXT = 64, STRING_MAX = 1 << 20 };

/* A row of a table that has several rows for an object. */
struct part {
    struct graph_edge edge;
    const struct graph_field *field;
    struct graph_value value;
    graph_class klass;
};

struct parts {
    struct part *of;
    size_t count, room, at;
    bool is_lacking; /* no memory */
};

struct heap_cursor {
    struct query_table_cursor base;
    size_t dump;       /* the current one */
    uint64_t at, last; /* the current object, class or root; behind the last one */
    struct parts parts;
    struct graph_histo *histo; /* of the dump, for classes */
    uint64_t key;              /* an id that is looked for */
    uint32_t key_column;
    bool has_key, needs_dominators, needs_rows, is_begun;
    char *klass; /* the only class that is wanted; NULL: all */
    uint32_t seen;
};

/* What is particular to a table. */
struct heap_table {
    uint64_t (*count)(const struct graph *g); /* of objects, classes or roots */
    int (*prepare)(struct heap_cursor *c);    /* for a dump; NULL: nothing */
    int (*enter)(struct heap_cursor *c);      /* at `at`: 1, it has rows; 0; negative */
    void (*give)(struct heap_cursor *c, struct query_value *to, uint32_t column);
    bool has_parts;               /* rows are in `parts` */
    uint64_t used_for_dominators; /* bits of the columns that need them */
    bool needs_rows;
};

static const struct heap_table *of(const struct heap_cursor *c)
{
    return c->base.table->of;
}

static struct query_heap_dump *dump_of(const struct heap_cursor *c)
{
    return &c->base.table->query->heap->dumps[c->dump];
}

static struct graph *graph_of(const struct heap_cursor *c)
{
    return dump_of(c)->graph;
}

/* ---- the walk */

/* Begins the dump `c->dump`. */
static int begin_dump(struct heap_cursor *c)
{
    struct query *q = c->base.table->query;
    int error = c->needs_dominators ? query_heap_dominate(q, dump_of(c)) : 0;
    if (error == 0 && of(c)->needs_rows)
        error = query_heap_list(q, dump_of(c));
    c->at = 0;
    c->last = of(c)->count(graph_of(c));
    if (error == 0 && of(c)->prepare)
        error = of(c)->prepare(c);
    if (c->has_key && error == 0) {
        graph_object object = graph_find(graph_of(c), c->key);
        c->at = object == GRAPH_NONE ? c->last : object;
        c->last = object == GRAPH_NONE ? c->last : object + 1;
    }
    return error;
}

/* Finds the next row, from the current place on. */
static int find_row(struct heap_cursor *c)
{
    const struct query *q = c->base.table->query;
    for (; c->dump < q->heap->count; c->dump++, c->is_begun = false) {
        int got = c->is_begun ? 0 : begin_dump(c);
        if (got < 0)
            return got;
        c->is_begun = true;
        for (; c->at < c->last; c->at++) {
            if (++c->seen % OBJECTS_BETWEEN == 0 && query_limit_is_over(q))
                return -EINTR;
            got = of(c)->enter(c);
            if (got != 0)
                return got;
        }
    }
    return 0;
}

static int next_row(struct query_table_cursor *base)
{
    struct heap_cursor *c = (struct heap_cursor *)base;
    if (of(c)->has_parts && ++c->parts.at < c->parts.count)
        return 1;
    c->at++;
    return find_row(c);
}

/* A condition is on an id or on the class. An id that finds its rows counts more than one for which
 * the file is read. */
static void take_bound(struct heap_cursor *c, const struct query_table_bound *b)
{
    const struct query_table_column *column = &c->base.table->columns[b->column];
    bool is_id = strcmp(column->type, "INTEGER") == 0;
    if (b->op != QUERY_TABLE_EQ)
        return;
    if (is_id && (!c->has_key || column->abilities & QUERY_TABLE_KEY)) {
        c->has_key = true;
        c->key = (uint64_t)sqlite3_value_int64(b->value);
        c->key_column = b->column;
    } else if (!is_id && sqlite3_value_type(b->value) == SQLITE_TEXT && !c->klass) {
        c->klass = strdup((const char *)sqlite3_value_text(b->value));
    }
}

static int begin_rows(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct heap_cursor *c = (struct heap_cursor *)base;
    int error = query_heap_read(base->table->query);
    c->dump = 0;
    c->is_begun = c->has_key = false;
    c->needs_dominators = (ask->used & of(c)->used_for_dominators) != 0;
    free(c->klass);
    c->klass = NULL;
    for (uint32_t i = 0; i < ask->bound_count; i++)
        take_bound(c, &ask->bounds[i]);
    return error < 0 ? error : find_row(c);
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    struct heap_cursor *c = (struct heap_cursor *)base;
    of(c)->give(c, to, column);
    return 0;
}

static void end_rows(struct query_table_cursor *base)
{
    struct heap_cursor *c = (struct heap_cursor *)base;
    free(c->parts.of);
    free(c->histo);
    free(c->klass);
    c->parts = (struct parts){0};
    c->histo = NULL;
    c->klass = NULL;
}

static const struct query_table_kind kind = {sizeof(struct heap_cursor), begin_rows, next_row,
                                             give_column, end_rows};

/* ---- what tables share */

static void give_id(struct heap_cursor *c, struct query_value *to, graph_object object)
{
    if (object != GRAPH_NONE && object != GRAPH_ROOT)
        query_value_number(to, (int64_t)graph_id(graph_of(c), object));
}

static void give_copy(struct query_value *to, const char *text)
{
    query_value_copied(to, text, text ? strlen(text) : 0);
}

static void give_size(struct query_value *to, uint64_t size)
{
    query_value_number(to, size > INT64_MAX ? INT64_MAX : (int64_t)size);
}

static void give_class(struct heap_cursor *c, struct query_value *to, graph_class klass)
{
    query_table_give_text(to, objname_class(graph_of(c), klass));
}

static void give_input(struct heap_cursor *c, struct query_value *to)
{
    query_value_number(to, dump_of(c)->input);
}

static void give_address(struct heap_cursor *c, struct query_value *to, graph_object object)
{
    char text[VALUE_TEXT];
    int len =
        snprintf(text, sizeof(text), "0x%llx", (unsigned long long)graph_id(graph_of(c), object));
    query_value_copied(to, text, (size_t)len);
}

static struct part *add_part(struct parts *p)
{
    if (p->count == p->room) {
        size_t room = p->room * 2 + 16;
        struct part *more = realloc(p->of, room * sizeof(*more));
        if (!more) {
            p->is_lacking = true;
            return NULL;
        }
        p->of = more;
        p->room = room;
    }
    p->of[p->count] = (struct part){.klass = GRAPH_NO_CLASS};
    return &p->of[p->count++];
}

static int parts_found(struct heap_cursor *c, int error)
{
    c->parts.at = 0;
    if (c->parts.is_lacking)
        return -ENOMEM;
    return error < 0 ? error : c->parts.count > 0;
}

static uint64_t count_objects(const struct graph *g)
{
    return graph_count(g);
}

/* ---- objects */

static int enter_object(struct heap_cursor *c)
{
    return !c->klass ||
           strcmp(objname_class(graph_of(c), dump_of(c)->rows[c->at].klass), c->klass) == 0;
}

static void give_object(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    const struct query_heap_row *row = &dump_of(c)->rows[c->at];
    switch (column) {
    case 0:
        give_id(c, to, c->at);
        break;
    case 1:
        give_class(c, to, row->klass);
        break;
    case 2:
        query_table_give_text(to, objrow_kind((enum graph_kind)row->kind));
        break;
    case 3:
        give_size(to, row->shallow_bytes);
        break;
    case 4:
        give_size(to, graph_retained(graph_of(c), c->at));
        break;
    case 5:
        if (row->kind == GRAPH_OBJECT_ARRAY || row->kind == GRAPH_PRIMITIVE_ARRAY)
            query_value_number(to, row->count);
        break;
    case 6:
        query_value_number(to, graph_is_reachable(graph_of(c), c->at));
        break;
    case 7:
        if (row->kind == GRAPH_CLASS)
            give_class(c, to, row->count);
        break;
    case 8:
        give_address(c, to, c->at);
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column object_columns[] = {
    {"id", "INTEGER", "Its address, or what the dump has for it.", QUERY_TABLE_KEY, 0},
    {"class", "TEXT", "The name of its class.", QUERY_TABLE_EQUAL, 0},
    {"kind", "TEXT", "instance, object array, primitive array or class.", 0, 0},
    {"shallow", "INTEGER", "Its own size, in bytes.", 0, 0},
    {"retained", "INTEGER", "What would be freed with it, in bytes; 0: it is not reachable.", 0, 0},
    {"length", "INTEGER", "The elements of an array.", 0, 0},
    {"reachable", "INTEGER", "1: a root leads to it.", 0, 0},
    {"of_class", "TEXT", "For a class object the name of the class that it stands for.", 0, 0},
    {"address", "TEXT", "Its id as `hprof heap` writes it.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table objects = {.count = count_objects,
                                          .enter = enter_object,
                                          .give = give_object,
                                          .used_for_dominators = 1 << 4 | 1 << 6,
                                          .needs_rows = true};

/* ---- classes */

static uint64_t count_classes(const struct graph *g)
{
    return graph_class_count(g);
}

static int prepare_classes(struct heap_cursor *c)
{
    free(c->histo);
    c->histo = calloc((size_t)graph_class_count(graph_of(c)) + 1, sizeof(*c->histo));
    return c->histo ? graph_histo(graph_of(c), c->histo) : -ENOMEM;
}

static int enter_class(struct heap_cursor *c)
{
    (void)c;
    return 1;
}

static void give_class_row(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    const struct graph_class_info *info = graph_class_at(graph_of(c), (graph_class)c->at);
    const struct graph_histo *h = &c->histo[c->at];
    char name[OBJNAME_ROOM];
    switch (column) {
    case 0:
        query_table_give_text(to, info->name);
        break;
    case 1:
        give_size(to, h->objects);
        break;
    case 2:
        give_size(to, h->shallow_bytes);
        break;
    case 3:
        give_size(to, h->retained_bytes);
        break;
    case 4:
        if (info->super != GRAPH_NO_CLASS)
            give_class(c, to, info->super);
        break;
    case 5:
        give_copy(to, objname_loader(graph_of(c), info->loader, name));
        break;
    case 6:
        give_id(c, to, info->object);
        break;
    case 7:
        give_id(c, to, info->loader);
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column class_columns[] = {
    {"class", "TEXT", "The name of the class.", 0, 0},
    {"objects", "INTEGER", "How many objects it has.", 0, 0},
    {"shallow", "INTEGER", "The sum of their own sizes, in bytes.", 0, 0},
    {"retained", "INTEGER", "What would be freed with all of them, in bytes.", 0, 0},
    {"super", "TEXT", "The name of its superclass.", 0, 0},
    {"loader", "TEXT", "Its class loader.", 0, 0},
    {"id", "INTEGER", "The id of its class object.", 0, 0},
    {"loader_id", "INTEGER", "The id of the loader; NULL: the VM's own.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table classes = {.count = count_classes,
                                          .prepare = prepare_classes,
                                          .enter = enter_class,
                                          .give = give_class_row,
                                          .used_for_dominators = 1 << 3};

/* ---- refs */

enum { REFS_FROM, REFS_TO };

static bool take_edge(void *with, const struct graph_edge *edge)
{
    struct heap_cursor *c = with;
    struct part *part = add_part(&c->parts);
    if (part)
        part->edge = *edge;
    return part != NULL;
}

static int enter_refs(struct heap_cursor *c)
{
    c->parts.count = 0;
    if (c->has_key && c->key_column == REFS_TO)
        return parts_found(c, graph_each_edge_to(graph_of(c), &c->at, 1, take_edge, c));
    struct graph_info info = query_heap_info(dump_of(c), c->at);
    return parts_found(c, graph_each_edge_of(graph_of(c), &info, take_edge, c));
}

static void give_ref(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    const struct graph_edge *e = &c->parts.of[c->parts.at].edge;
    switch (column) {
    case REFS_FROM:
        give_id(c, to, e->from);
        break;
    case REFS_TO:
        give_id(c, to, e->to);
        break;
    case 2:
        query_table_give_text(to, objname_edge_kind(e->kind));
        break;
    case 3:
        if (e->name[0] != '\0')
            query_table_give_text(to, e->name);
        break;
    case 4:
        if (e->kind == GRAPH_EDGE_ELEMENT || e->kind == GRAPH_EDGE_LOCAL)
            query_value_number(to, (int64_t)e->index);
        break;
    case 5:
        query_value_number(to, e->is_weak);
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column ref_columns[] = {
    {"from_id", "INTEGER", "The object that refers.", QUERY_TABLE_KEY, 0},
    /* Reads the whole file for a value: no key, by which a join would ask for each of its rows. */
    {"to_id", "INTEGER", "The object that it refers to.", QUERY_TABLE_EQUAL, 0},
    {"kind", "TEXT",
     "field, element, class, static field, superclass, class loader, class data, local (of a "
     "thread).",
     0, 0},
    {"field", "TEXT", "The name of the field.", 0, 0},
    {"element", "INTEGER", "The number of the element, or the depth of the frame.", 0, 0},
    {"weak", "INTEGER", "1: it keeps nothing alive.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table refs = {.count = count_objects,
                                       .enter = enter_refs,
                                       .give = give_ref,
                                       .has_parts = true,
                                       .needs_rows = true};

/* ---- dominators */

enum { DOMINATORS_ID, DOMINATORS_DOMINATOR };

static int enter_dominator(struct heap_cursor *c)
{
    return graph_is_reachable(graph_of(c), c->at);
}

static void give_dominator(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    switch (column) {
    case DOMINATORS_ID:
        give_id(c, to, c->at);
        break;
    case DOMINATORS_DOMINATOR:
        give_id(c, to, graph_dominator(graph_of(c), c->at));
        break;
    case 2:
        give_size(to, graph_retained(graph_of(c), c->at));
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column dominator_columns[] = {
    {"id", "INTEGER", "A reachable object.", QUERY_TABLE_KEY, 0},
    {"dominator", "INTEGER", "The object that each path to it passes last; NULL: there is none.", 0,
     0},
    {"retained", "INTEGER", "What would be freed with it, in bytes.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table dominators = {.count = count_objects,
                                             .enter = enter_dominator,
                                             .give = give_dominator,
                                             .used_for_dominators = UINT64_MAX};

/* ---- roots */

static uint64_t count_roots(const struct graph *g)
{
    return graph_facts(g)->roots;
}

static void give_root(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    const struct graph_root *r = graph_root_at(graph_of(c), c->at);
    char name[GRAPH_THREAD_NAME];
    switch (column) {
    case 0:
        give_id(c, to, r->object);
        break;
    case 1:
        query_table_give_text(to, graph_root_word(r->kind));
        break;
    case 2:
        if (r->thread == GRAPH_NONE)
            break;
        graph_thread_name(graph_of(c), r->thread, name);
        give_copy(to, name);
        break;
    case 3:
        give_id(c, to, r->thread);
        break;
    case 4:
        if (r->frame != UINT32_MAX)
            query_value_number(to, r->frame);
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column root_columns[] = {
    {"id", "INTEGER", "The object.", 0, 0},
    {"kind", "TEXT", "What kind of root it is.", 0, 0},
    {"thread", "TEXT", "The name of the thread that has it.", 0, 0},
    {"thread_object", "INTEGER", "The id of that thread.", 0, 0},
    {"depth", "INTEGER", "The frame in that thread's stack.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table roots = {
    .count = count_roots, .enter = enter_class, .give = give_root};

/* ---- strings */

static int enter_string(struct heap_cursor *c)
{
    const struct query_heap_row *row = &dump_of(c)->rows[c->at];
    return row->kind == GRAPH_INSTANCE &&
           strcmp(objname_class(graph_of(c), row->klass), "java.lang.String") == 0;
}

static void give_text(struct heap_cursor *c, struct query_value *to, bool is_length)
{
    char few[VALUE_TEXT], *text = few;
    uint64_t chars = 0;
    int64_t len = graph_text(graph_of(c), c->at, few, sizeof(few), &chars);
    if (len < 0)
        return;
    if (is_length) {
        give_size(to, chars);
        return;
    }
    /* A unit of UTF-16 has at most three bytes of UTF-8. */
    size_t room = chars < STRING_MAX ? (size_t)chars * 3 + 1 : STRING_MAX;
    if (room > sizeof(few)) {
        text = sqlite3_malloc64(room);
        len = text ? graph_text(graph_of(c), c->at, text, room, &chars) : -1;
    }
    if (len >= 0)
        query_value_copied(to, text, (size_t)len);
    if (text != few)
        sqlite3_free(text);
}

static void give_string(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    switch (column) {
    case 0:
        give_id(c, to, c->at);
        break;
    case 1:
    case 2:
        give_text(c, to, column == 2);
        break;
    case 3:
        give_size(to, dump_of(c)->rows[c->at].shallow_bytes);
        break;
    case 4:
        give_size(to, graph_retained(graph_of(c), c->at));
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column string_columns[] = {
    {"id", "INTEGER", "The id of the String.", QUERY_TABLE_KEY, 0},
    {"value", "TEXT", "Its text, of a long one the first megabyte.", 0, 0},
    {"length", "INTEGER", "How many units of UTF-16 it has.", 0, 0},
    {"shallow", "INTEGER", "Its own size without its characters, in bytes.", 0, 0},
    {"retained", "INTEGER", "What would be freed with it, in bytes.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table strings = {.count = count_objects,
                                          .enter = enter_string,
                                          .give = give_string,
                                          .used_for_dominators = 1 << 4,
                                          .needs_rows = true};

/* ---- fields */

static bool take_field(void *with, const struct graph_field *field, graph_class declared_in,
                       const struct graph_value *value)
{
    struct heap_cursor *c = with;
    struct part *part = add_part(&c->parts);
    if (!part)
        return false;
    part->field = field;
    part->value = *value;
    part->klass = declared_in;
    return true;
}

static int enter_fields(struct heap_cursor *c)
{
    c->parts.count = 0;
    int error = graph_each_field(graph_of(c), c->at, take_field, c);
    return parts_found(c, error == E_UNSUPPORTED ? 0 : error);
}

static void give_value(struct heap_cursor *c, struct query_value *to, const struct graph_value *v)
{
    uint32_t low = (uint32_t)v->bits;
    float single;
    double whole;
    memcpy(&single, &low, sizeof(single));
    memcpy(&whole, &v->bits, sizeof(whole));
    switch (v->type) {
    case GRAPH_TYPE_OBJECT:
        give_id(c, to, v->object);
        return;
    case GRAPH_TYPE_FLOAT:
        query_value_real(to, (double)single);
        return;
    case GRAPH_TYPE_DOUBLE:
        query_value_real(to, whole);
        return;
    default:
        query_value_number(to, (int64_t)v->bits);
    }
}

static void give_field(struct heap_cursor *c, struct query_value *to, uint32_t column)
{
    static const char *const types[] = {
        [GRAPH_TYPE_OBJECT] = "object", [GRAPH_TYPE_BOOLEAN] = "boolean",
        [GRAPH_TYPE_CHAR] = "char",     [GRAPH_TYPE_FLOAT] = "float",
        [GRAPH_TYPE_DOUBLE] = "double", [GRAPH_TYPE_BYTE] = "byte",
        [GRAPH_TYPE_SHORT] = "short",   [GRAPH_TYPE_INT] = "int",
        [GRAPH_TYPE_LONG] = "long"};
    const struct part *part = &c->parts.of[c->parts.at];
    switch (column) {
    case 0:
        give_id(c, to, c->at);
        break;
    case 1:
        query_table_give_text(to, part->field->name);
        break;
    case 2:
        if ((size_t)part->value.type < sizeof(types) / sizeof(types[0]))
            query_table_give_text(to, types[part->value.type]);
        break;
    case 3:
        give_value(c, to, &part->value);
        break;
    case 4:
        give_class(c, to, part->klass);
        break;
    default:
        give_input(c, to);
    }
}

static const struct query_table_column field_columns[] = {
    {"id", "INTEGER", "The object that has the field, or the class of a static one.",
     QUERY_TABLE_KEY, 0},
    {"field", "TEXT", "The name of the field.", 0, 0},
    {"type", "TEXT", "object, int, long and so on.", 0, 0},
    {"value", "NUMERIC", "Its value; of a reference the id of the object.", 0, 0},
    {"declared_in", "TEXT", "The class that declares it.", 0, 0},
    {"input", "INTEGER", "The number of the input.", 0, 0},
};
static const struct heap_table fields = {
    .count = count_objects, .enter = enter_fields, .give = give_field, .has_parts = true};

/* ---- all of them */

int query_heap_tables_open(struct query *q)
{
    static const struct query_table tables[] = {
        {.name = "objects",
         .about = "The objects of heap dumps.",
         QUERY_TABLE_COLUMNS(object_columns),
         .rows = 1000000,
         .of = &objects},
        {.name = "classes",
         .about = "The classes of heap dumps, with what their objects hold.",
         QUERY_TABLE_COLUMNS(class_columns),
         .rows = 2000,
         .of = &classes},
        {.name = "refs",
         .about = "The references between objects of heap dumps.",
         QUERY_TABLE_COLUMNS(ref_columns),
         .rows = 3000000,
         .of = &refs},
        {.name = "dominators",
         .about = "The dominator of each reachable object of heap dumps.",
         QUERY_TABLE_COLUMNS(dominator_columns),
         .rows = 1000000,
         .of = &dominators},
        {.name = "roots",
         .about = "The roots of heap dumps, and the locals of threads.",
         QUERY_TABLE_COLUMNS(root_columns),
         .rows = 5000,
         .of = &roots},
        {.name = "strings",
         .about = "The strings of heap dumps, with their texts.",
         QUERY_TABLE_COLUMNS(string_columns),
         .rows = 100000,
         .of = &strings},
        {.name = "fields",
         .about = "The fields of objects of heap dumps, and static fields, with their values.",
         QUERY_TABLE_COLUMNS(field_columns),
         .rows = 5000000,
         .of = &fields},
    };
    bool is_idle = query_heap_inputs(q) == 0;
    int error = 0;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && error == 0; i++) {
        struct query_table t = tables[i];
        t.kind = &kind;
        t.is_idle = is_idle;
        error = query_add_copy(q, &t);
    }
    return error;
}
