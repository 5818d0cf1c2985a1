/*
 * times_watch.c - see times_watch.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_watch.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "agent/names/methods.h"
#include "agent/times/times_tree.h"

struct call {
    int64_t entered, child, made;
    int32_t id;
};

/* The open calls of a thread, from index 1. */
struct times_watch {
    struct call *calls;
    int64_t depth, room;
};

struct total {
    _Atomic int64_t count, time, made;
};

static struct total *totals; /* by the number of a method */
static uint32_t total_count;

int times_watch_start(uint32_t methods)
{
    totals = calloc(methods, sizeof(*totals));
    total_count = methods;
    return totals ? 0 : -ENOMEM;
}

static void leave(struct times_watch *w, int64_t now)
{
    const struct call *c = &w->calls[w->depth--];
    struct call *caller = &w->calls[w->depth];
    if (c->id >= 0 && (uint32_t)c->id < total_count) {
        totals[c->id].count += 1;
        totals[c->id].time += now - c->entered - c->child;
        totals[c->id].made += c->made;
    }
    caller->child += now - c->entered;
    caller->made++;
}

static struct times_watch *watch_of(struct times_block *b, int64_t depth)
{
    struct times_watch *w = b->watch ? b->watch : calloc(1, sizeof(*w));
    b->watch = w;
    if (w && depth >= w->room) {
        int64_t room = 2 * depth + 32;
        struct call *more = realloc(w->calls, (size_t)room * sizeof(*more));
        if (!more)
            return NULL;
        w->calls = more;
        w->room = room;
    }
    return w;
}

void times_watch_enter(struct times_block *b)
{
    int64_t depth = b->top - b->stack;
    struct times_watch *w = totals && depth > 0 ? watch_of(b, depth) : NULL;
    if (!w)
        return;
    while (w->depth >= depth) /* also calls that were found to have no frame any more */
        leave(w, b->top->entered);
    w->calls[depth] = (struct call){.entered = b->top->entered, .id = b->top->node->id};
    w->depth = depth;
}

void times_watch_spend(struct times_block *b, int64_t time)
{
    struct times_watch *w = b->watch;
    if (w && w->depth == b->top - b->stack && w->depth < w->room)
        w->calls[w->depth].child += time;
}

void times_watch_unwind(struct times_block *b, int64_t place, int leaves, int64_t now)
{
    struct times_watch *w = b->watch;
    int64_t at = (place < 0 ? -place : place) / (int64_t)sizeof(*b->stack);
    if (!w || at == 0 || at > w->depth)
        return;
    while (w->depth > at)
        leave(w, now);
    if (leaves)
        leave(w, now);
}

void times_watch_end(struct times_block *b, int64_t now)
{
    struct times_watch *w = b->watch;
    while (w && w->depth > 0)
        leave(w, now);
    b->watch = NULL;
    if (w)
        free(w->calls);
    free(w);
}

void times_watch_write(double unit_ns, double inside, double outside)
{
    FILE *file = totals ? fopen("timesboth.txt", "we") : NULL;
    for (uint32_t i = 0; file && i < methods_count() && i < total_count; i++) {
        struct methods_names names = methods_names(i);
        double raw = (double)totals[i].time * unit_ns;
        double corrected =
            raw - (double)totals[i].count * inside - (double)totals[i].made * outside;
        if (totals[i].count > 0)
            fprintf(file, "%" PRId64 " %.0f %.0f %s %s\n", totals[i].count, raw,
                    corrected > 0 ? corrected : 0, names.class_name, names.name);
    }
    if (file)
        fclose(file);
}
