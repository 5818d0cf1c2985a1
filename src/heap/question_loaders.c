/*
 * question_loaders.c - class loaders: their classes, classes that several of them have, and loaders
 * that should be gone.
 *
 * A loader should be gone if all of this is true: it is none of the JVM's own; it is no thread's
 * context loader and no ancestor of one; no object in a frame is of one of its classes; and there
 * is another loader of the same class with a class of the same name, whose classes were loaded
 * later. Such a loader is what is left of an application that was deployed again. The dump does not
 * say when a class was loaded, so of loaders that look alike the one that a thread uses is the
 * current one; if no thread uses any of them, none is judged. SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/graph_parts.h"
#include "heap/objname.h"
#include "heap/question.h"
#include "heap/retainedby.h"

enum { PARENTS_MAX = 1000, PATHS_MAX = 5 };

/* A class loader that has classes, or is the parent of one. */
struct loader {
    graph_object object; /* GRAPH_NONE: the boot loader */
    graph_class klass;
    uint64_t classes, objects, bytes; /* its classes, and the objects of these */
    uint64_t retained;                /* by itself, its classes and their objects together */
    bool is_used;                     /* by a thread, or it is one of the JVM's */
    bool is_dead;                     /* it should be gone */
};

struct loaders {
    struct question_asked *asked;
    struct heapanswer answer;
    struct loader *rows; /* sorted by object */
    uint32_t count;
    uint32_t *of_class;     /* by class: index of its loader */
    struct heaptable group; /* by object: index of the loader of its class */
    graph_class *sorted;    /* classes by name */
};

static int by_object(const void *a, const void *b)
{
    const struct loader *x = a, *y = b;
    return x->object < y->object ? -1 : x->object > y->object;
}

static struct loader *find(const struct loaders *l, graph_object object)
{
    const struct loader key = {.object = object};
    return bsearch(&key, l->rows, l->count, sizeof(key), by_object);
}

static int collect(struct loaders *l)
{
    struct graph *g = l->asked->graph;
    graph_class count = graph_class_count(g);
    l->rows = calloc((size_t)count + 1, sizeof(*l->rows));
    l->of_class = calloc((size_t)count + 1, sizeof(*l->of_class));
    l->sorted = calloc((size_t)count + 1, sizeof(*l->sorted));
    if (!l->rows || !l->of_class || !l->sorted)
        return E_LIMIT;
    for (graph_class k = 0; k < count; k++) {
        const struct graph_class_info *c = graph_class_at(g, k);
        l->sorted[k] = k;
        l->rows[k] = (struct loader){.object = c->loader, .klass = c->loader_class};
    }
    qsort(l->rows, count, sizeof(*l->rows), by_object);
    for (graph_class k = 0; k < count; k++)
        if (l->count == 0 || l->rows[l->count - 1].object != l->rows[k].object)
            l->rows[l->count++] = l->rows[k];
    for (graph_class k = 0; k < count; k++) {
        struct loader *row = find(l, graph_class_at(g, k)->loader);
        l->of_class[k] = (uint32_t)(row - l->rows);
        row->classes++;
    }
    return 0;
}

static bool count_object(void *with, const struct graph_info *object)
{
    struct loaders *l = with;
    graph_class klass = object->kind == GRAPH_CLASS ? object->self : object->klass;
    const struct loader *itself = find(l, object->number);
    if (itself)
        heaptable_set(&l->group, object->number, (uint64_t)(itself - l->rows));
    else if (klass < graph_class_count(l->asked->graph))
        heaptable_set(&l->group, object->number, l->of_class[klass]);
    if (object->klass >= graph_class_count(l->asked->graph) ||
        !graph_is_reachable(l->asked->graph, object->number))
        return true;
    struct loader *row = &l->rows[l->of_class[object->klass]];
    row->objects++;
    row->bytes += object->shallow_bytes;
    return true;
}

static int sum_retained(struct loaders *l)
{
    struct graph *g = l->asked->graph;
    struct retainedby_row *rows = calloc((size_t)l->count + 1, sizeof(*rows));
    int error = rows ? graph_each_object(g, count_object, l) : E_LIMIT;
    if (error == 0)
        error = retainedby_sum(g, &l->group, l->count, NULL, rows);
    for (uint32_t i = 0; error == 0 && i < l->count; i++)
        l->rows[i].retained = rows[i].retained;
    free(rows);
    return error;
}

/* ---- which loaders are in use */

static bool is_of_jvm(const struct graph *g, const struct loader *row)
{
    static const char *const names[] = {
        "jdk.internal.loader.ClassLoaders$AppClassLoader",
        "jdk.internal.loader.ClassLoaders$PlatformClassLoader",
        "jdk.internal.loader.ClassLoaders$BootClassLoader",
        "sun.misc.Launcher$AppClassLoader",
        "sun.misc.Launcher$ExtClassLoader",
        "jdk.internal.reflect.DelegatingClassLoader",
        "sun.reflect.DelegatingClassLoader",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(objname_class(g, row->klass), names[i]) == 0)
            return true;
    return row->object == GRAPH_NONE;
}

static void use(struct loaders *l, graph_object loader)
{
    struct graph_value parent;
    for (int depth = 0; loader != GRAPH_NONE && depth < PARENTS_MAX; depth++) {
        struct loader *row = find(l, loader);
        if (row)
            row->is_used = true;
        if (graph_value_of(l->asked->graph, loader, "parent", &parent) < 0)
            return;
        loader = parent.object;
    }
}

static bool use_local(void *with, const struct graph_edge *edge)
{
    struct loaders *l = with;
    struct graph_info info;
    if (edge->kind != GRAPH_EDGE_LOCAL || graph_look(l->asked->graph, edge->to, &info) < 0)
        return true;
    graph_class klass = info.kind == GRAPH_CLASS ? info.self : info.klass;
    if (klass < graph_class_count(l->asked->graph))
        use(l, graph_class_at(l->asked->graph, klass)->loader);
    return true;
}

static int find_used(struct loaders *l)
{
    struct graph *g = l->asked->graph;
    struct graph_value context;
    int error = 0;
    for (uint32_t i = 0; i < l->count; i++)
        l->rows[i].is_used = is_of_jvm(g, &l->rows[i]);
    for (uint32_t i = 0; i < graph_thread_count(g) && error == 0; i++) {
        graph_object thread = graph_thread_at(g, i)->object;
        if (thread == GRAPH_NONE)
            continue;
        if (graph_value_of(g, thread, "contextClassLoader", &context) == 0)
            use(l, context.object);
        error = graph_each_edge(g, thread, use_local, l);
    }
    return error;
}

/* ---- classes that several loaders have */

static int by_name(const void *a, const void *b, void *with)
{
    const struct graph *g = with;
    graph_class x = *(const graph_class *)a, y = *(const graph_class *)b;
    int order = strcmp(graph_class_at(g, x)->name, graph_class_at(g, y)->name);
    return order != 0 ? order : x < y ? -1 : x > y;
}

/* How many classes from `at` on have the same name. */
static graph_class same_from(const struct loaders *l, graph_class at)
{
    const struct graph *g = l->asked->graph;
    graph_class end = at + 1;
    while (end < graph_class_count(g) && strcmp(graph_class_at(g, l->sorted[at])->name,
                                                graph_class_at(g, l->sorted[end])->name) == 0)
        end++;
    return end - at;
}

/* Judges the loaders of classes that have one name. */
static void judge(struct loaders *l, graph_class at, graph_class same)
{
    for (graph_class i = at; i < at + same; i++) {
        struct loader *used = &l->rows[l->of_class[l->sorted[i]]];
        if (!used->is_used)
            continue;
        for (graph_class j = at; j < at + same; j++) {
            struct loader *row = &l->rows[l->of_class[l->sorted[j]]];
            if (!row->is_used && row->klass == used->klass)
                row->is_dead = true;
        }
        return;
    }
}

static void put_duplicates(struct loaders *l)
{
    static const struct heapanswer_column columns[] = {
        {"loaders", "loaders", HEAPANSWER_COUNT, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    struct graph *g = l->asked->graph;
    uint32_t shown = 0;
    uint64_t duplicates = 0;
    heapanswer_table(&l->answer, "duplicates", "classes that several loaders have", columns, 2);
    for (graph_class at = 0; at < graph_class_count(g);) {
        graph_class same = same_from(l, at);
        const struct graph_class_info *c = graph_class_at(g, l->sorted[at]);
        if (same > 1 && !c->is_array && c->name[0] != '(') {
            duplicates++;
            if (shown++ < l->asked->rows) {
                heapanswer_number(&l->answer, same);
                heapanswer_text(&l->answer, c->name);
            }
        }
        at += same;
    }
    heapanswer_table_end(&l->answer, "no class is there twice");
    heapanswer_fact(&l->answer, "duplicate_classes", NULL, HEAPANSWER_COUNT, duplicates);
}

/* ---- the answer */

static int by_classes(const void *a, const void *b)
{
    const struct loader *x = a, *y = b;
    if (x->classes != y->classes)
        return x->classes > y->classes ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

static void put_loaders(struct loaders *l)
{
    static const struct heapanswer_column columns[] = {
        {"classes", "classes", HEAPANSWER_COUNT, 0},
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"object_bytes", "these take", HEAPANSWER_BYTES, 0},
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"id", "id", HEAPANSWER_ID, 0},
        {"loader", "loader", HEAPANSWER_NAME, 0},
    };
    struct graph *g = l->asked->graph;
    char name[OBJNAME_ROOM];
    heapanswer_table(&l->answer, "loaders", "loaders, and the objects of their classes", columns,
                     6);
    for (uint32_t i = 0; i < l->count && i < l->asked->rows; i++) {
        const struct loader *row = &l->rows[i];
        heapanswer_number(&l->answer, row->classes);
        heapanswer_number(&l->answer, row->objects);
        heapanswer_number(&l->answer, row->bytes);
        heapanswer_number(&l->answer, row->retained);
        if (row->object == GRAPH_NONE)
            heapanswer_nothing(&l->answer);
        else
            heapanswer_number(&l->answer, graph_id(g, row->object));
        heapanswer_text(&l->answer, objname_loader(g, row->object, name));
    }
    heapanswer_table_end(&l->answer, NULL);
}

static int put_dead(struct loaders *l)
{
    struct graph *g = l->asked->graph;
    struct heapanswer *a = &l->answer;
    char name[OBJNAME_ROOM], bytes[HEAPANSWER_BYTES_ROOM];
    uint32_t dead = 0;
    int error = 0;
    heapanswer_list(a, "should_be_gone");
    for (uint32_t i = 0; i < l->count && error == 0; i++) {
        const struct loader *row = &l->rows[i];
        if (!row->is_dead || dead++ >= PATHS_MAX)
            continue;
        heapanswer_item(a);
        heapanswer_heading(a,
                           "%s @ 0x%" PRIx64
                           " should be gone: no thread uses it, and a newer one has "
                           "its classes; it and its classes retain %s",
                           objname_loader(g, row->object, name), graph_id(g, row->object),
                           heapanswer_bytes(row->retained, bytes));
        heapanswer_fact(a, "id", NULL, HEAPANSWER_ID, graph_id(g, row->object));
        heapanswer_fact_text(a, "loader", NULL, name);
        heapanswer_fact(a, "classes", NULL, HEAPANSWER_COUNT, row->classes);
        heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, row->retained);
        error = objname_put_path(a, g, row->object);
        heapanswer_item_end(a);
    }
    heapanswer_list_end(a);
    heapanswer_fact(a, "should_be_gone_count", NULL, HEAPANSWER_COUNT, dead);
    if (dead > PATHS_MAX)
        heapanswer_say(a, "... and %" PRIu32 " more such loaders", dead - PATHS_MAX);
    return error;
}

static int answer_loaders(struct question_asked *asked)
{
    struct loaders l = {.asked = asked};
    struct graph *g = asked->graph;
    int error = collect(&l);
    if (error == 0)
        error = retainedby_init(g, l.count, &l.group);
    if (error == 0)
        error = sum_retained(&l);
    if (error == 0)
        error = find_used(&l);
    if (error == 0) {
        qsort_r(l.sorted, graph_class_count(g), sizeof(*l.sorted), by_name, g);
        for (graph_class at = 0; at < graph_class_count(g); at += same_from(&l, at))
            judge(&l, at, same_from(&l, at));
        heapanswer_begin(&l.answer, asked, "loaders");
        heapanswer_fact(&l.answer, "loader_count", "class loaders", HEAPANSWER_COUNT, l.count);
        put_duplicates(&l);
        qsort(l.rows, l.count, sizeof(*l.rows), by_classes);
        put_loaders(&l);
        error = put_dead(&l);
        heapanswer_end(&l.answer);
    }
    heaptable_done(&l.group);
    free(l.rows);
    free(l.of_class);
    free(l.sorted);
    return error;
}

const struct question question_loaders = {
    .name = "loaders",
    .help = "Class loaders with their classes, and loaders that should be gone",
    .needs_dominators = true,
    .answer = answer_loaders,
};
