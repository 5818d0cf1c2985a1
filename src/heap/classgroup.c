/*
 * classgroup.c - see classgroup.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/classgroup.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/objname.h"

const char *classgroup_word(enum question_by by)
{
    static const char *const words[] = {"class", "loader", "package"};
    return words[by];
}

const char *classgroup_words(enum question_by by)
{
    static const char *const words[] = {"classes", "loaders", "packages"};
    return words[by];
}

static size_t package_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static bool is_primitive_array(const struct graph_class_info *c)
{
    return c->is_array && c->element_type != GRAPH_TYPE_OBJECT;
}

static int compare_packages(const struct graph_class_info *x, const struct graph_class_info *y)
{
    size_t m = package_length(x->name), n = package_length(y->name);
    if (is_primitive_array(x) || is_primitive_array(y))
        return is_primitive_array(x) - is_primitive_array(y);
    int order = memcmp(x->name, y->name, m < n ? m : n);
    return order != 0 ? order : (m > n) - (m < n);
}

/* What is sorted, with qsort_r(). */
struct order {
    const struct graph *g;
    enum question_by by;
};

static int compare(const void *a, const void *b, void *with)
{
    const struct order *o = with;
    const struct graph_class_info *x = graph_class_at(o->g, *(const graph_class *)a);
    const struct graph_class_info *y = graph_class_at(o->g, *(const graph_class *)b);
    if (o->by == QUESTION_BY_LOADER)
        return x->loader < y->loader ? -1 : x->loader > y->loader;
    return compare_packages(x, y);
}

int classgroup_make(struct graph *g, enum question_by by, struct classgroup *ret)
{
    graph_class count = graph_class_count(g);
    graph_class *sorted = calloc((size_t)count + 1, sizeof(*sorted));
    struct order order = {.g = g, .by = by};
    *ret = (struct classgroup){.by = by,
                               .group_of = calloc((size_t)count + 1, sizeof(*ret->group_of)),
                               .klass = calloc((size_t)count + 1, sizeof(*ret->klass))};
    if (!sorted || !ret->group_of || !ret->klass) {
        free(sorted);
        return E_LIMIT;
    }
    for (graph_class k = 0; k < count; k++)
        sorted[k] = k;
    if (by != QUESTION_BY_CLASS && count > 0)
        qsort_r(sorted, count, sizeof(*sorted), compare, &order);
    for (graph_class i = 0; i < count; i++) {
        if (by == QUESTION_BY_CLASS || i == 0 || compare(&sorted[i - 1], &sorted[i], &order) != 0)
            ret->klass[ret->count++] = sorted[i];
        ret->group_of[sorted[i]] = ret->count - 1;
    }
    free(sorted);
    return 0;
}

void classgroup_done(struct classgroup *c)
{
    free(c->group_of);
    free(c->klass);
    *c = (struct classgroup){0};
}

/* The group whose classes an object has loaded, if it is a class loader; the groups are sorted by
 * their loaders, the boot loader's last. */
static uint32_t loaded_by(const struct classgroup *c, const struct graph *g, graph_object object)
{
    uint32_t low = 0, high = c->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph_class_at(g, c->klass[middle])->loader < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && graph_class_at(g, c->klass[low])->loader == object ? low : UINT32_MAX;
}

uint32_t classgroup_of(const struct classgroup *c, const struct graph *g,
                       const struct graph_info *object)
{
    graph_class klass = object->kind == GRAPH_CLASS ? object->self : object->klass;
    uint32_t group = c->by == QUESTION_BY_LOADER ? loaded_by(c, g, object->number) : UINT32_MAX;
    if (group != UINT32_MAX)
        return group;
    return klass < graph_class_count(g) ? c->group_of[klass] : UINT32_MAX;
}

const char *classgroup_name(const struct classgroup *c, struct graph *g, uint32_t group, char *room,
                            size_t room_bytes)
{
    const struct graph_class_info *k = graph_class_at(g, c->klass[group]);
    char loader[OBJNAME_ROOM];
    if (c->by == QUESTION_BY_CLASS)
        return k->name;
    if (c->by == QUESTION_BY_PACKAGE && is_primitive_array(k))
        return "(primitive arrays)";
    if (c->by == QUESTION_BY_PACKAGE)
        snprintf(room, room_bytes, "%.*s", (int)package_length(k->name), k->name);
    else
        snprintf(room, room_bytes, "%s", objname_loader(g, k->loader, loader));
    return room;
}

void classgroup_put_cells(struct heapanswer *a, const struct classgroup *c, struct graph *g,
                          uint32_t group)
{
    char room[OBJNAME_ROOM];
    graph_object loader = graph_class_at(g, c->klass[group])->loader;
    if (c->by != QUESTION_BY_LOADER)
        heapanswer_none(a);
    else if (loader == GRAPH_NONE)
        heapanswer_nothing(a);
    else
        heapanswer_number(a, graph_id(g, loader));
    const char *name = classgroup_name(c, g, group, room, sizeof(room));
    heapanswer_text(a, name[0] || a->form == HEAPANSWER_JSON ? name : "(no package)");
}
