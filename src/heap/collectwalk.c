/*
 * collectwalk.c - see collectwalk.h.
 *
 * Links lead anywhere in a damaged dump, so each walk has a bound: no more nodes of a chain than
 * the dump has objects. Fields are those of JDK 8 to 28: java.base/java/util.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/collectwalk.h"
#include <string.h>
#include "base/err.h"
#include "heap/collect.h"
#include "heap/objname.h"

enum { PIECE = 64, WRAPPERS_MAX = 8, TREE_MAX = 128 };

struct walk {
    struct graph *g;
    collectwalk_visit *visit;
    void *with;
    uint64_t left; /* steps that may still be taken */
    bool is_over;
};

/* The first of several fields, whose names are separated by blanks, that the object has. */
static graph_object field_of(struct walk *w, graph_object object, const char *names)
{
    struct graph_value value;
    char name[32];
    while (object != GRAPH_NONE && *names != '\0') {
        size_t len = strcspn(names, " ");
        memcpy(name, names, len);
        name[len] = '\0';
        if (graph_value_of(w->g, object, name, &value) == 0)
            return value.type == GRAPH_TYPE_OBJECT ? value.object : GRAPH_NONE;
        names += len + (names[len] == ' ');
    }
    return GRAPH_NONE;
}

static uint64_t number_of(struct walk *w, graph_object object, const char *name)
{
    struct graph_value value;
    return graph_value_of(w->g, object, name, &value) == 0 ? value.bits : 0;
}

static bool step(struct walk *w)
{
    w->is_over = w->is_over || w->left == 0;
    w->left -= !w->is_over;
    return !w->is_over;
}

static void tell(struct walk *w, graph_object key, graph_object value)
{
    if (!w->is_over)
        w->is_over = !w->visit(w->with, key, value);
}

/* Nodes that are linked by `next`. */
static void walk_list(struct walk *w, graph_object node)
{
    for (; node != GRAPH_NONE && step(w); node = field_of(w, node, "next")) {
        graph_object item = field_of(w, node, "item");
        if (item != GRAPH_NONE)
            tell(w, GRAPH_NONE, item);
    }
}

/* A chain of entries in one bucket. A bucket of a ConcurrentHashMap that is a tree has a TreeBin in
 * front of its chain. */
static void walk_chain(struct walk *w, graph_object node)
{
    graph_object first = field_of(w, node, "first");
    for (node = first != GRAPH_NONE ? first : node; node != GRAPH_NONE && step(w);
         node = field_of(w, node, "next")) {
        graph_object value = field_of(w, node, "value val");
        graph_object key = field_of(w, node, "key referent");
        if (key != GRAPH_NONE || value != GRAPH_NONE)
            tell(w, key, value);
    }
}

/* A tree of `left` and `right`, in order. */
static void walk_tree(struct walk *w, graph_object node)
{
    graph_object way[TREE_MAX];
    uint32_t depth = 0;
    while ((node != GRAPH_NONE || depth > 0) && step(w)) {
        for (; node != GRAPH_NONE && depth < TREE_MAX; node = field_of(w, node, "left"))
            way[depth++] = node;
        if (depth == 0)
            return;
        node = way[--depth];
        tell(w, field_of(w, node, "key"), field_of(w, node, "value"));
        node = field_of(w, node, "right");
    }
}

/* What an array of references has from `first` on. With `is_paired` keys and values alternate. */
static int walk_array(struct walk *w, graph_object array, uint64_t first, uint64_t count,
                      enum collect_shape shape)
{
    struct graph_value values[PIECE];
    struct graph_info info;
    int error = graph_look(w->g, array, &info);
    if (error < 0 || info.kind != GRAPH_OBJECT_ARRAY || first > info.count)
        return error;
    count = count < info.count - first ? count : info.count - first;
    for (uint64_t done = 0; done < count && !w->is_over && error == 0; done += PIECE) {
        size_t piece = count - done < PIECE ? (size_t)(count - done) : PIECE;
        error = graph_value_elements(w->g, array, first + done, piece, values);
        for (size_t i = 0; i < piece && error == 0 && !w->is_over; i++) {
            graph_object at = values[i].object;
            bool is_key = shape == COLLECT_PAIRS;
            if (is_key && i + 1 < piece && at != GRAPH_NONE)
                tell(w, at, values[i + 1].object);
            i += is_key;
            if (is_key || (at == GRAPH_NONE && shape != COLLECT_LIST))
                continue;
            if (shape == COLLECT_BUCKETS)
                walk_chain(w, at);
            else
                tell(w, GRAPH_NONE, at);
        }
    }
    return error;
}

/* The entries of a ThreadLocalMap stand in the table by themselves. */
static bool tell_local(void *with, graph_object key, graph_object entry)
{
    struct walk *w = with;
    (void)key;
    tell(w, field_of(w, entry, "referent"), field_of(w, entry, "value"));
    return !w->is_over;
}

static int walk_locals(struct walk *w, graph_object table)
{
    struct walk entries = {.g = w->g, .visit = tell_local, .with = w, .left = w->left};
    return walk_array(&entries, table, 0, UINT64_MAX, COLLECT_PROBED);
}

/* The values of an EnumMap, whose keys are in an array of their own. */
static int walk_enums(struct walk *w, graph_object map, graph_object values)
{
    graph_object keys = field_of(w, map, "keyUniverse");
    struct graph_value key, value;
    struct graph_info info;
    int error = graph_look(w->g, values, &info);
    for (uint64_t i = 0; error == 0 && i < info.count && !w->is_over; i++) {
        error = graph_value_elements(w->g, values, i, 1, &value);
        if (error == 0 && value.object != GRAPH_NONE) {
            bool has_key = keys != GRAPH_NONE && graph_value_elements(w->g, keys, i, 1, &key) == 0;
            tell(w, has_key ? key.object : GRAPH_NONE, value.object);
        }
    }
    return error;
}

static int walk_ring(struct walk *w, graph_object deque, const struct collect_facts *f)
{
    uint64_t head = number_of(w, deque, "head");
    uint64_t until_end = f->capacity > head ? f->capacity - head : 0;
    uint64_t first = f->size < until_end ? f->size : until_end;
    int error = walk_array(w, f->array, head, first, COLLECT_RING);
    return error == 0 ? walk_array(w, f->array, 0, f->size - first, COLLECT_RING) : error;
}

static int walk_collection(struct walk *w, graph_object object, const struct collect_facts *f)
{
    const char *name = objname_class(w->g, f->klass);
    switch (f->shape) {
    case COLLECT_LINKED:
        if (strcmp(name, "java.util.TreeMap") == 0)
            walk_tree(w, field_of(w, object, "root"));
        else
            walk_list(w, field_of(w, object, "first head"));
        return 0;
    case COLLECT_RING:
        return f->array == GRAPH_NONE ? 0 : walk_ring(w, object, f);
    default:
        break;
    }
    if (f->array == GRAPH_NONE)
        return 0;
    if (strcmp(name, "java.util.EnumMap") == 0)
        return walk_enums(w, object, f->array);
    if (strcmp(name, "java.lang.ThreadLocal$ThreadLocalMap") == 0)
        return walk_locals(w, f->array);
    uint64_t count = f->shape == COLLECT_LIST ? f->size : UINT64_MAX;
    return walk_array(w, f->array, 0, count, f->shape);
}

static bool is_map(const char *name)
{
    static const char *const others[] = {"java.util.Hashtable", "java.util.EnumMap",
                                         "java.util.ImmutableCollections$MapN"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return len > 3 && strcmp(name + len - 3, "Map") == 0;
}

/* Small collections whose elements are fields. */
static const struct small {
    const char *name, *keys[2], *values[2];
} smalls[] = {
    {"java.util.ImmutableCollections$List12", {NULL}, {"e0", "e1"}},
    {"java.util.ImmutableCollections$Set12", {NULL}, {"e0", "e1"}},
    {"java.util.ImmutableCollections$Map1", {"k0"}, {"v0"}},
    {"java.util.Collections$SingletonList", {NULL}, {"element"}},
    {"java.util.Collections$SingletonSet", {NULL}, {"element"}},
    {"java.util.Collections$SingletonMap", {"k"}, {"v"}},
};

/* List12 has an object EMPTY in the place of an element that is not there. */
static bool is_filler(struct graph *g, graph_object object)
{
    struct graph_info info;
    return graph_look(g, object, &info) < 0 ||
           strcmp(objname_class(g, info.klass), "java.lang.Object") == 0;
}

static bool look_at_small(struct walk *w, const struct graph_info *object,
                          struct collectwalk *ret_facts)
{
    const struct small *found = NULL;
    const char *name = objname_class(w->g, object->klass);
    for (size_t i = 0; i < sizeof(smalls) / sizeof(smalls[0]) && !found; i++)
        found = strcmp(name, smalls[i].name) == 0 ? &smalls[i] : NULL;
    if (!found)
        return false;
    ret_facts->kind = found->keys[0] ? COLLECTWALK_ENTRIES : COLLECTWALK_ELEMENTS;
    for (int i = 0; i < 2 && found->values[i]; i++) {
        graph_object value = field_of(w, object->number, found->values[i]);
        if (i > 0 && (value == GRAPH_NONE || is_filler(w->g, value)))
            break;
        ret_facts->size++;
        if (w->visit)
            tell(w, found->keys[i] ? field_of(w, object->number, found->keys[i]) : GRAPH_NONE,
                 value);
    }
    return true;
}

/* What a set shows of the map in it. */
static bool tell_key(void *with, graph_object key, graph_object value)
{
    struct walk *w = with;
    (void)value;
    tell(w, GRAPH_NONE, key);
    return !w->is_over;
}

static bool is_set(const char *name)
{
    return strstr(name, "Set") != NULL;
}

int collectwalk_each(struct graph *g, graph_object object, struct collectwalk *ret_facts,
                     collectwalk_visit *visit, void *with)
{
    struct walk w = {.g = g, .visit = visit, .with = with, .left = graph_count(g)};
    struct collect *collect = collect_new(g);
    struct collect_facts f;
    struct graph_info info;
    bool is_key_set = false;
    int error = collect ? graph_look(g, object, &info) : E_LIMIT;
    *ret_facts = (struct collectwalk){0};
    if (error == 0 && info.kind == GRAPH_INSTANCE && info.klass != GRAPH_NO_CLASS) {
        for (int i = 0; i < WRAPPERS_MAX && error == 0; i++) {
            graph_object inner;
            if (!collect_wraps(collect, &info, &inner) || inner == GRAPH_NONE)
                break;
            is_key_set = is_key_set || is_set(objname_class(g, info.klass));
            error = graph_look(g, inner, &info);
        }
        if (error == 0 && collect_look(collect, &info, &f)) {
            bool has_entries = is_map(objname_class(g, f.klass));
            bool shows_keys = has_entries && is_key_set;
            ret_facts->kind =
                has_entries && !shows_keys ? COLLECTWALK_ENTRIES : COLLECTWALK_ELEMENTS;
            ret_facts->size = f.size;
            ret_facts->capacity = f.capacity;
            struct walk keys = {.g = g, .visit = tell_key, .with = &w, .left = w.left};
            if (visit)
                error = walk_collection(shows_keys ? &keys : &w, info.number, &f);
        } else if (error == 0) {
            (void)look_at_small(&w, &info, ret_facts);
        }
    }
    collect_free(collect);
    return error;
}
