/*
 * collect.c - see collect.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/collect.h"
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "heap/objfield.h"

enum { PIECE = 16 * 1024, SUPERS_MAX = 4096, CELLS_MAX = 1024 };

static const struct row {
    const char *name, *size, *array;
    enum collect_shape shape;
} rows[] = {
#define COLLECTION(name, size, array, shape) {name, size, array, COLLECT_##shape},
#include "heap/collection.def"
#undef COLLECTION
};

/* Classes that hold one collection and nothing else. */
static const struct wrapper {
    const char *name, *field;
} wrappers[] = {
    {"java.util.HashSet", "map"},
    {"java.util.TreeSet", "m"},
    {"java.util.concurrent.ConcurrentHashMap$KeySetView", "map"},
    {"java.util.concurrent.CopyOnWriteArraySet", "al"},
    {"java.util.Properties", "map"},
    {"java.util.Collections$SynchronizedCollection", "c"},
    {"java.util.Collections$SynchronizedMap", "m"},
    {"java.util.Collections$UnmodifiableCollection", "c"},
    {"java.util.Collections$UnmodifiableMap", "m"},
    {"java.util.Collections$SetFromMap", "m"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]), WRAPPERS = sizeof(wrappers) / sizeof(wrappers[0]) };

/* What is known of the objects of one class of the dump. */
struct known {
    int8_t row, wrapper; /* index; -1: none */
    graph_class klass;   /* that of the row */
    struct objfield size, array, head, tail, cells, inner;
};

struct collect {
    struct graph *graph;
    graph_class count;
    struct known *classes;
};

static int row_named(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return i;
    return -1;
}

static int wrapper_named(const char *name)
{
    for (int i = 0; i < WRAPPERS; i++)
        if (strcmp(wrappers[i].name, name) == 0)
            return i;
    return -1;
}

/* A class is what its nearest superclass with a row is. */
static void find(const struct graph *g, graph_class klass, struct known *k)
{
    graph_class at = klass;
    *k = (struct known){.row = -1, .wrapper = -1, .klass = GRAPH_NO_CLASS, .inner = {.offset = -1}};
    for (int depth = 0; at != GRAPH_NO_CLASS && depth < SUPERS_MAX; depth++) {
        const struct graph_class_info *c = graph_class_at(g, at);
        if (k->wrapper < 0 && k->row < 0)
            k->wrapper = (int8_t)wrapper_named(c->name);
        if (k->row < 0 && (k->row = (int8_t)row_named(c->name)) >= 0)
            k->klass = at;
        at = c->super;
    }
    if (k->wrapper >= 0)
        k->inner = objfield_find(g, klass, wrappers[k->wrapper].field);
    if (k->inner.offset >= 0 && k->wrapper >= 0)
        k->row = -1; /* Properties of JDK 9 and later are an empty Hashtable around a map */
    if (k->row < 0)
        return;
    k->size = objfield_find_any(g, klass, rows[k->row].size);
    k->array = objfield_find_any(g, klass, rows[k->row].array);
    k->head = objfield_find(g, klass, "head");
    k->tail = objfield_find(g, klass, "tail");
    k->cells = objfield_find(g, klass, "counterCells");
    bool has_array = *rows[k->row].array == '\0' || k->array.offset >= 0;
    bool has_size = *rows[k->row].size == '\0' || k->size.offset >= 0;
    if (!has_array || !has_size)
        k->row = -1;
}

struct collect *collect_new(struct graph *g)
{
    struct collect *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->graph = g;
    c->count = graph_class_count(g);
    c->classes = calloc(c->count > 0 ? c->count : 1, sizeof(*c->classes));
    if (!c->classes) {
        free(c);
        return NULL;
    }
    for (graph_class k = 0; k < c->count; k++)
        find(g, k, &c->classes[k]);
    return c;
}

void collect_free(struct collect *c)
{
    if (c)
        free(c->classes);
    free(c);
}

bool collect_knows(const struct collect *c, graph_class klass)
{
    return klass < c->count && c->classes[klass].row >= 0;
}

bool collect_wraps(struct collect *c, const struct graph_info *object, graph_object *ret_inner)
{
    struct graph_value value;
    *ret_inner = GRAPH_NONE;
    if (object->kind != GRAPH_INSTANCE || object->klass >= c->count ||
        c->classes[object->klass].wrapper < 0 || c->classes[object->klass].inner.offset < 0)
        return false;
    if (objfield_read(c->graph, object, c->classes[object->klass].inner, &value))
        *ret_inner = value.object;
    return true;
}

/* A number, or what an AtomicInteger or a cell of a counter has in its field `value`. */
static uint64_t number_of(struct graph *g, const struct graph_value *value)
{
    struct graph_value inner;
    if (value->type != GRAPH_TYPE_OBJECT)
        return value->bits;
    return value->object != GRAPH_NONE && graph_value_of(g, value->object, "value", &inner) == 0
               ? inner.bits
               : 0;
}

/* A ConcurrentHashMap that many threads change counts in several cells. */
static uint64_t sum_of_cells(struct graph *g, graph_object array)
{
    struct graph_info cells;
    struct graph_value value;
    uint64_t sum = 0;
    if (array == GRAPH_NONE || graph_look(g, array, &cells) < 0)
        return 0;
    for (uint64_t i = 0; i < cells.count && i < CELLS_MAX; i++)
        if (graph_value_elements(g, array, i, 1, &value) == 0)
            sum += number_of(g, &value);
    return sum;
}

/* How many elements of an array of objects are not null. */
static uint64_t count_used(struct graph *g, const struct graph_info *array)
{
    unsigned id_bytes = graph_facts(g)->layout.id_bytes;
    uint64_t used = 0, done = 0;
    while (done < array->bytes) {
        uint64_t left = array->bytes - done;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        const unsigned char *bytes = graph_value_see(g, array->at + done, piece);
        if (!bytes)
            return used;
        for (size_t i = 0; i + id_bytes <= piece; i += id_bytes)
            used += be_id(bytes + i, id_bytes) != 0;
        done += piece;
    }
    return used;
}

/* Fills what depends on the array. */
static bool look_at_array(struct collect *c, const struct known *k, const struct graph_info *object,
                          struct collect_facts *f)
{
    struct graph_value value, tail;
    struct graph_info array;
    if (!objfield_read(c->graph, object, k->array, &value))
        return false;
    f->array = value.object;
    if (f->array == GRAPH_NONE)
        return true;
    if (graph_look(c->graph, f->array, &array) < 0 || array.kind == GRAPH_INSTANCE ||
        array.kind == GRAPH_CLASS)
        return false;
    f->capacity = array.count;
    f->array_bytes = array.shallow_bytes;
    f->bytes += array.shallow_bytes;
    if (f->shape == COLLECT_PAIRS) {
        f->capacity /= 2;
        f->slot_bytes *= 2;
    } else if (f->shape == COLLECT_RING && f->capacity > 0 &&
               objfield_read(c->graph, object, k->head, &value) &&
               objfield_read(c->graph, object, k->tail, &tail)) {
        f->size = (tail.bits - value.bits + f->capacity) % f->capacity;
    } else if (f->shape == COLLECT_FIXED && k->size.offset < 0) {
        f->size = f->capacity;
    }
    f->used = f->shape == COLLECT_BUCKETS ? count_used(c->graph, &array) : f->size;
    return true;
}

bool collect_look(struct collect *c, const struct graph_info *object,
                  struct collect_facts *ret_facts)
{
    struct graph_value value;
    if (object->kind != GRAPH_INSTANCE || !collect_knows(c, object->klass))
        return false;
    const struct known *k = &c->classes[object->klass];
    struct collect_facts *f = ret_facts;
    *f = (struct collect_facts){.shape = rows[k->row].shape,
                                .klass = k->klass,
                                .array = GRAPH_NONE,
                                .bytes = object->shallow_bytes,
                                .slot_bytes = graph_facts(c->graph)->layout.ref_bytes};
    if (k->size.offset >= 0) {
        if (!objfield_read(c->graph, object, k->size, &value))
            return false;
        f->size = number_of(c->graph, &value);
        if (k->cells.offset >= 0 && objfield_read(c->graph, object, k->cells, &value))
            f->size += sum_of_cells(c->graph, value.object);
    }
    bool is_read = k->array.offset < 0 || look_at_array(c, k, object, f);
    /* A size below 0, or far above the capacity, is that of a collection in the middle of a change.
     */
    if (f->size > INT64_MAX)
        f->size = 0;
    return is_read;
}
