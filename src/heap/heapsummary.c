/*
 * heapsummary.c - see heapsummary.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapsummary.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heaphisto.h"
#include "heap/heapsites.h"
#include "heap/heavytree.h"
#include "heap/objname.h"

enum {
    HEAVY_MOST = 20000,
    DEPTH_MAX = 16, /* longer paths are those of lists */
    FRAMES = 4,     /* of a site */
};

int heapsummary_add(struct heapsummary_rows *r, char *name, uint64_t objects, uint64_t shallow,
                    uint64_t retained)
{
    if (!name)
        return E_LIMIT;
    if (r->count == r->room) {
        uint32_t room = r->room ? r->room * 2 : 1024;
        struct heapsummary_row *more = realloc(r->rows, room * sizeof(*more));
        if (!more) {
            free(name);
            return E_LIMIT;
        }
        r->rows = more;
        r->room = room;
    }
    r->rows[r->count++] = (struct heapsummary_row){name, objects, shallow, retained};
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct heapsummary_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void heapsummary_merge(struct heapsummary_rows *r)
{
    uint32_t kept = 0;
    if (r->count > 0)
        qsort(r->rows, r->count, sizeof(*r->rows), by_name);
    for (uint32_t i = 0; i < r->count; i++) {
        struct heapsummary_row *last = kept > 0 ? &r->rows[kept - 1] : NULL;
        if (!last || strcmp(last->name, r->rows[i].name) != 0) {
            r->rows[kept++] = r->rows[i];
            continue;
        }
        last->objects += r->rows[i].objects;
        last->shallow += r->rows[i].shallow;
        last->retained += r->rows[i].retained;
        free(r->rows[i].name);
    }
    r->count = kept;
}

static int add_classes(struct graph *g, struct heapsummary *s)
{
    uint32_t count = graph_class_count(g);
    struct graph_histo *rows = calloc((size_t)count + 1, sizeof(*rows));
    int error = rows ? graph_histo(g, rows) : E_LIMIT;
    for (uint32_t i = 0; error == 0 && i < count; i++)
        if (rows[i].objects > rows[i].lost || rows[i].retained_bytes > 0)
            error = heapsummary_add(
                &s->classes, strdup(objname_class(g, i)), rows[i].objects - rows[i].lost,
                rows[i].shallow_bytes - rows[i].lost_bytes, rows[i].retained_bytes);
    free(rows);
    return error;
}

/* The path of a node: the names of the classes from the virtual root down to it. NULL: it is too
 * long, or there is no memory. */
static char *path_of(struct graph *g, const struct heavytree *t, uint32_t node)
{
    uint32_t way[DEPTH_MAX], depth = 0;
    size_t len = 0;
    for (uint32_t at = node; at != 0; at = t->nodes[at].parent) {
        if (depth == DEPTH_MAX)
            return NULL;
        way[depth++] = at;
    }
    char *path = calloc(1, (size_t)depth * OBJNAME_ROOM + 1);
    for (uint32_t i = depth; path && i-- > 0;) {
        const struct heavytree_node *n = &t->nodes[way[i]];
        len += (size_t)snprintf(path + len, OBJNAME_ROOM, "%s%.400s > ",
                                n->self != GRAPH_NO_CLASS ? "class " : "",
                                objname_class(g, n->self != GRAPH_NO_CLASS ? n->self : n->klass));
    }
    return path;
}

/* Class objects differ by what they stand for. Those that are heavy have rows of their own; this
 * subtracts them from the group of java.lang.Class below a node. */
static void subtract_classes(const struct heavytree *t, uint32_t node, uint64_t *count,
                             uint64_t *retained)
{
    for (uint32_t i = 1; i < t->count; i++) {
        if (t->nodes[i].parent != node || t->nodes[i].self == GRAPH_NO_CLASS)
            continue;
        *count -= 1;
        *retained -= t->nodes[i].retained;
    }
}

/* Adds the children of a node, by class. */
static int add_children(struct graph *g, const struct heavytree *t, uint32_t node,
                        struct heapsummary *s)
{
    const struct heavytree_node *n = &t->nodes[node];
    char *path = path_of(g, t, node), *name = NULL;
    int error = 0;
    for (uint32_t i = 0; path && error == 0 && i < n->group_count; i++) {
        const struct heavytree_group *group = &t->groups[n->first_group + i];
        uint64_t count = group->count, retained = group->retained;
        const char *klass = objname_class(g, group->klass);
        bool are_classes = strcmp(klass, "java.lang.Class") == 0;
        if (are_classes)
            subtract_classes(t, node, &count, &retained);
        if (asprintf(&name, "%s%s", path, are_classes ? "other classes" : klass) < 0)
            name = NULL;
        error = heapsummary_add(&s->paths, name, count, 0, retained);
    }
    free(path);
    return error;
}

static int add_paths(struct graph *g, struct heapsummary *s)
{
    struct heavytree t;
    int error = heavytree_make(g, s->bytes / HEAVYTREE_SHARE, HEAVY_MOST, &t);
    for (uint32_t i = 0; error == 0 && i < t.count; i++) {
        error = add_children(g, &t, i, s);
        if (error == 0 && i > 0 && t.nodes[i].self != GRAPH_NO_CLASS) {
            char *path = path_of(g, &t, i);
            if (path) {
                path[strlen(path) - strlen(" > ")] = '\0';
                error = heapsummary_add(&s->paths, path, 1, 0, t.nodes[i].retained);
            }
        }
    }
    heavytree_done(&t);
    return error == -ENOMEM ? E_LIMIT : error;
}

/* ---- sites */

/* A name that is being made of frames. */
struct site_name {
    char text[FRAMES * OBJNAME_ROOM];
    size_t len;
};

static bool add_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    struct site_name *n = with;
    char text[OBJNAME_ROOM];
    if (depth >= FRAMES || n->len >= sizeof(n->text) - 1)
        return false;
    int len = snprintf(n->text + n->len, sizeof(n->text) - n->len, "%s%s", n->len > 0 ? " < " : "",
                       objname_frame(frame, text));
    n->len += len > 0 ? (size_t)len : 0;
    return true;
}

static int add_sites(struct graph *g, struct heapsummary *s)
{
    struct heapsites sites;
    int error = heapsites_make(g, &sites);
    for (uint32_t i = 0; error == 0 && i < sites.count; i++) {
        const struct heapsites_row *row = &sites.rows[i];
        struct site_name name = {.len = 0};
        error = graph_each_frame(g, row->trace, add_frame, &name);
        if (error == 0)
            error = heapsummary_add(&s->sites, strdup(name.text), row->objects, row->bytes,
                                    row->retained);
    }
    heapsites_done(&sites);
    return error;
}

/* ---- the whole */

int heapsummary_make(struct graph *g, struct heapsummary *ret_summary)
{
    const struct graph_facts *facts = graph_facts(g);
    struct heapsummary *s = ret_summary;
    *s = (struct heapsummary){.created_ms = facts->created_ms,
                              .objects = facts->reachable,
                              .bytes = facts->reachable_bytes};
    int error = add_classes(g, s);
    if (error == 0)
        error = add_paths(g, s);
    if (error == 0)
        error = add_sites(g, s);
    heapsummary_merge(&s->classes);
    heapsummary_merge(&s->paths);
    heapsummary_merge(&s->sites);
    return error;
}

/* The rows of a saved histogram. */
struct reading {
    struct heapsummary *summary;
    int error;
};

static bool take_row(void *with, const char *name, uint64_t objects, uint64_t bytes)
{
    struct reading *r = with;
    r->summary->objects += objects;
    r->summary->bytes += bytes;
    r->error = heapsummary_add(&r->summary->classes, strdup(name), objects, bytes, 0);
    return r->error == 0;
}

int heapsummary_read(const char *path, struct heapsummary *ret_summary)
{
    struct reading r = {.summary = ret_summary};
    *ret_summary = (struct heapsummary){.is_histogram = true};
    int error = heaphisto_read(path, take_row, &r, &ret_summary->created_ms);
    heapsummary_merge(&ret_summary->classes);
    return error < 0 ? error : r.error;
}

void heapsummary_rows_done(struct heapsummary_rows *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        free(r->rows[i].name);
    free(r->rows);
}

void heapsummary_done(struct heapsummary *s)
{
    heapsummary_rows_done(&s->classes);
    heapsummary_rows_done(&s->paths);
    heapsummary_rows_done(&s->sites);
    *s = (struct heapsummary){0};
}
