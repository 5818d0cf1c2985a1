/*
 * top_methods.c - see top_methods.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_methods.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "safe/clock.h"

int top_methods_init(struct top_methods *m)
{
    *m = (struct top_methods){.events = calloc(TOP_METHODS_SEEN, sizeof(*m->events))};
    return m->events ? 0 : -ENOMEM;
}

static void free_method(struct top_method *method)
{
    free(method->name);
    free(method);
}

void top_methods_done(struct top_methods *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        free_method(m->methods[i]);
    free(m->methods);
    free(m->events);
    *m = (struct top_methods){0};
}

static void drop_method(struct top_methods *m, struct top_method *method)
{
    uint32_t i = 0;
    m->seen--;
    if (--method->count > 0)
        return;
    while (m->methods[i] != method)
        i++;
    m->methods[i] = m->methods[--m->count];
    free_method(method);
}

static void drop_first(struct top_methods *m)
{
    struct top_method *method = m->events[m->first].method;
    m->first = (m->first + 1) % TOP_METHODS_SEEN;
    m->event_count--;
    if (method)
        drop_method(m, method);
    else
        m->looks--;
}

static void append(struct top_methods *m, uint64_t now_ns, struct top_method *method)
{
    if (m->event_count == TOP_METHODS_SEEN)
        drop_first(m);
    m->events[(m->first + m->event_count++) % TOP_METHODS_SEEN] =
        (struct top_methods_event){now_ns, method};
}

void top_methods_look(struct top_methods *m, uint64_t now_ns)
{
    while (m->event_count > 0 &&
           now_ns - m->events[m->first].at_ns > (uint64_t)TOP_METHODS_WINDOW_S * NS_PER_S)
        drop_first(m);
    append(m, now_ns, NULL);
    m->looks++;
}

static struct top_method *find(const struct top_methods *m, const char *name)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (strcmp(m->methods[i]->name, name) == 0)
            return m->methods[i];
    return NULL;
}

static bool grow(struct top_methods *m)
{
    uint32_t room = m->room == 0 ? 64 : m->room * 2;
    struct top_method **methods = realloc(m->methods, room * sizeof(struct top_method *));
    if (!methods)
        return false;
    m->methods = methods;
    m->room = room;
    return true;
}

static struct top_method *make(struct top_methods *m, const char *name)
{
    if (m->count == m->room && !grow(m))
        return NULL;
    struct top_method *method = calloc(1, sizeof(*method));
    if (method)
        method->name = strdup(name);
    if (!method || !method->name) {
        free(method);
        return NULL;
    }
    return m->methods[m->count++] = method;
}

void top_methods_add(struct top_methods *m, uint64_t now_ns, const char *name)
{
    struct top_method *method = find(m, name);
    if (!method)
        method = make(m, name);
    if (!method)
        return;
    /* Count first: append() may drop the oldest event, which may be the last one of this method. */
    method->count++;
    m->seen++;
    append(m, now_ns, method);
}

double top_methods_span_s(const struct top_methods *m, uint64_t now_ns)
{
    return m->event_count == 0 ? 0 : (double)(now_ns - m->events[m->first].at_ns) / 1e9;
}

static int hotter(const void *a, const void *b)
{
    const struct top_method *x = *(struct top_method *const *)a;
    const struct top_method *y = *(struct top_method *const *)b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(x->name, y->name);
}

void top_methods_rank(struct top_methods *m)
{
    if (m->count > 0)
        qsort(m->methods, m->count, sizeof(struct top_method *), hotter);
}
