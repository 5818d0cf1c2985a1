/*
 * question_top.c - `top`: the objects, classes and packages that hold most.
 *
 * Packages and loaders count what the objects that are directly below the virtual root retain, so
 * that nothing counts twice.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "heap/question_text.h"

/* What a class's objects below the virtual root retain. */
struct held {
    graph_class klass;
    uint64_t objects, bytes;
};

struct tops {
    struct question_asked *a;
    struct question_text_best best;
    struct held *classes; /* by class */
    int error;
};

static bool take(void *with, graph_object object)
{
    struct tops *t = with;
    struct graph_info info;
    question_text_keep(&t->best, object);
    int error = graph_look(t->a->graph, object, &info);
    if (error < 0) {
        t->error = error;
        return false;
    }
    graph_class klass = info.kind == GRAPH_CLASS ? info.self : info.klass;
    if (klass == GRAPH_NO_CLASS)
        return true;
    t->classes[klass].objects++;
    t->classes[klass].bytes += graph_retained(t->a->graph, object);
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->klass < y->klass ? -1 : x->klass > y->klass;
}

static size_t package_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static int by_package(const void *a, const void *b, void *graph)
{
    const struct held *x = a, *y = b;
    const char *p = graph_class_at(graph, x->klass)->name,
               *q = graph_class_at(graph, y->klass)->name;
    size_t m = package_length(p), n = package_length(q);
    int order = memcmp(p, q, m < n ? m : n);
    if (order == 0 && m != n)
        order = m < n ? -1 : 1;
    return order != 0 ? order : by_bytes(a, b);
}

/* Sums up the classes, of which the largest come first. A package has the class of its largest. */
static struct held *sum_packages(struct question_asked *a, const struct held *classes,
                                 uint32_t count, uint32_t *ret_count)
{
    struct held *rows = calloc((size_t)count + 1, sizeof(*rows));
    uint32_t used = 0, kept = 0;
    while (rows && used < count && classes[used].bytes > 0) {
        rows[used] = classes[used];
        used++;
    }
    if (used > 0)
        qsort_r(rows, used, sizeof(*rows), by_package, a->graph);
    for (uint32_t i = 0; i < used; i++) {
        const char *name = graph_class_at(a->graph, rows[i].klass)->name;
        const char *last = kept > 0 ? graph_class_at(a->graph, rows[kept - 1].klass)->name : "";
        size_t len = package_length(name);
        if (kept == 0 || package_length(last) != len || memcmp(name, last, len) != 0) {
            rows[kept++] = rows[i];
            continue;
        }
        rows[kept - 1].objects += rows[i].objects;
        rows[kept - 1].bytes += rows[i].bytes;
    }
    *ret_count = kept;
    return rows;
}

static void print_held(struct question_asked *a, const char *title, const struct held *rows,
                       uint32_t count, bool is_package)
{
    char size[HEAPANSWER_BYTES_ROOM];
    sink_printf(a->out, "\n%s\n%12s %7s %12s  %s\n", title, "retained", "share", "objects",
                is_package ? "package" : "class");
    for (uint32_t i = 0; i < count && i < a->rows && rows[i].bytes > 0; i++) {
        const char *name = graph_class_at(a->graph, rows[i].klass)->name;
        int len = (int)(is_package ? package_length(name) : strlen(name));
        sink_printf(a->out, "%12s %6.2f%% %12" PRIu64 "  %.*s\n",
                    heapanswer_bytes(rows[i].bytes, size), question_text_share(a, rows[i].bytes),
                    rows[i].objects, len == 0 ? 9 : len, len == 0 ? "(default)" : name);
    }
}

static void print_objects(struct question_asked *a, const struct question_text_best *best)
{
    sink_printf(a->out, "objects\n%12s %7s  %s\n", "retained", "share", "object");
    for (uint32_t i = 0; i < best->count; i++) {
        question_text_row(a, best->objects[i]);
        sink_text(a->out, "\n");
    }
}

static void json_held(struct question_asked *a, const char *key, const struct held *rows,
                      uint32_t count, bool is_package)
{
    sink_printf(a->out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count && i < a->rows && rows[i].bytes > 0; i++) {
        char name[512];
        const char *text = graph_class_at(a->graph, rows[i].klass)->name;
        size_t len = is_package ? package_length(text) : strlen(text);
        len = len < sizeof(name) ? len : sizeof(name) - 1;
        memcpy(name, text, len);
        name[len] = '\0';
        sink_text(a->out, i == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ");
        question_text_quoted(a, name);
        sink_printf(a->out, ", \"objects\": %" PRIu64 ", \"retained_bytes\": %" PRIu64 "}",
                    rows[i].objects, rows[i].bytes);
    }
    sink_text(a->out, "\n]");
}

static void print(struct tops *t, uint32_t classes, const struct held *packages, uint32_t count)
{
    struct question_asked *a = t->a;
    if (!a->is_json) {
        print_objects(a, &t->best);
        print_held(a, "classes", t->classes, classes, false);
        print_held(a, "packages", packages, count, true);
        return;
    }
    sink_text(a->out, "{\"question\": \"top\", \"objects\": [");
    for (uint32_t i = 0; i < t->best.count; i++) {
        sink_text(a->out, i == 0 ? "\n  {" : ",\n  {");
        question_text_json(a, t->best.objects[i]);
        sink_text(a->out, "}");
    }
    sink_text(a->out, "\n]");
    json_held(a, "classes", t->classes, classes, false);
    json_held(a, "packages", packages, count, true);
    sink_text(a->out, "}\n");
}

static int answer(struct question_asked *a)
{
    uint32_t classes = graph_class_count(a->graph), count = 0;
    struct tops t = {.a = a, .best = {.graph = a->graph, .room = a->rows}};
    struct held *packages = NULL;
    t.best.objects = calloc(a->rows, sizeof(*t.best.objects));
    t.classes = calloc((size_t)classes + 1, sizeof(*t.classes));
    t.error = t.best.objects && t.classes ? 0 : E_LIMIT;
    for (uint32_t i = 0; t.error == 0 && i < classes; i++)
        t.classes[i].klass = i;
    if (t.error == 0)
        graph_each_dominated(a->graph, GRAPH_ROOT, take, &t);
    if (t.error == 0) {
        qsort(t.classes, classes, sizeof(*t.classes), by_bytes);
        packages = sum_packages(a, t.classes, classes, &count);
        t.error = packages ? 0 : E_LIMIT;
    }
    if (t.error == 0) {
        qsort(packages, count, sizeof(*packages), by_bytes);
        print(&t, classes, packages, count);
    }
    free(t.best.objects);
    free(t.classes);
    free(packages);
    return t.error;
}

const struct question question_top = {
    .name = "top",
    .help = "The largest objects, classes and packages by what they hold alone",
    .needs_dominators = true,
    .answer = answer,
};
