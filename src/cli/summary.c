/*
 * summary.c - methods by share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "summary.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* While building, `methods` is an open hash table of `room` slots (a power of two), klass 0 = free;
 * in the end the used slots are moved to its front. */
struct build {
    struct summary *s;
    size_t room;
};

static size_t slot_of(const struct build *b, string_id klass, string_id name)
{
    uint64_t hash = ((uint64_t)klass << 32 | name) * 0x9e3779b97f4a7c15U;
    size_t slot = (size_t)(hash >> 32) & (b->room - 1);

    while (b->s->methods[slot].name != 0 &&
           (b->s->methods[slot].klass != klass || b->s->methods[slot].name != name))
        slot = (slot + 1) & (b->room - 1);
    return slot;
}

static int grow(struct build *b)
{
    struct summary_method *old = b->s->methods;
    size_t old_room = b->room;
    size_t room = old_room > 0 ? old_room * 2 : 1024;
    struct summary_method *fresh = calloc(room, sizeof *fresh);

    if (fresh == NULL)
        return -ENOMEM;
    b->s->methods = fresh;
    b->room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].name != 0)
            fresh[slot_of(b, old[i].klass, old[i].name)] = old[i];
    free(old);
    return 0;
}

static int count_frame(struct build *b, struct profile *profile, frame_id id, trace_id trace,
                       uint64_t ticks, int on_top)
{
    const struct profile_method *method =
        profile_method_at(profile, profile_frame_at(profile, id)->method);
    /* No reader leaves a method without a name; a free slot must stay recognisable even so. */
    if (method->name == 0)
        return 0;
    string_id klass = method->klass != 0 ? profile_class_at(profile, method->klass)->name : 0;

    if (b->s->count * 2 >= b->room && grow(b) < 0)
        return -ENOMEM;
    struct summary_method *row = &b->s->methods[slot_of(b, klass, method->name)];
    if (row->name == 0) {
        *row = (struct summary_method){.klass = klass, .name = method->name};
        b->s->count++;
    }
    if (on_top)
        row->self += ticks;
    if (row->seen != trace)
        row->total += ticks;
    row->seen = trace;
    return 0;
}

static void close_ranks(struct build *b)
{
    size_t used = 0;

    for (size_t i = 0; i < b->room; i++)
        if (b->s->methods[i].name != 0)
            b->s->methods[used++] = b->s->methods[i];
}

int summary_build(struct profile *profile, struct summary *ret_summary)
{
    struct build b = {.s = ret_summary};
    uint32_t count = profile_trace_count(profile);

    *ret_summary = (struct summary){0};
    for (trace_id id = 1; id <= count; id++) {
        const struct profile_trace *trace = profile_trace_at(profile, id);
        uint64_t ticks = trace->ticks_total;

        if (ticks == 0)
            continue;
        ret_summary->ticks += ticks;
        if (trace->depth == 0)
            ret_summary->empty += ticks;
        for (uint32_t i = 0; i < trace->depth; i++) {
            if (count_frame(&b, profile, trace->frames[i], id, ticks, i == 0) < 0) {
                summary_done(ret_summary);
                return -ENOMEM;
            }
        }
    }
    close_ranks(&b);
    return 0;
}

void summary_done(struct summary *s)
{
    free(s->methods);
    *s = (struct summary){0};
}

static int compare_text(struct profile *profile, string_id a, string_id b)
{
    if (a == b || a == 0 || b == 0)
        return (a > b) - (a < b);
    return strcmp(profile_string_at(profile, a)->bytes, profile_string_at(profile, b)->bytes);
}

static int compare(const struct summary_method *a, const struct summary_method *b,
                   struct profile *profile, uint64_t ticks_a, uint64_t ticks_b)
{
    if (ticks_a != ticks_b)
        return ticks_a > ticks_b ? -1 : 1;
    int order = compare_text(profile, a->klass, b->klass);
    return order != 0 ? order : compare_text(profile, a->name, b->name);
}

static int compare_self(const void *a, const void *b, void *profile)
{
    const struct summary_method *x = a, *y = b;

    return compare(x, y, profile, x->self, y->self);
}

static int compare_total(const void *a, const void *b, void *profile)
{
    const struct summary_method *x = a, *y = b;

    return compare(x, y, profile, x->total, y->total);
}

void summary_sort_self(struct summary *s, struct profile *profile)
{
    if (s->count > 1)
        qsort_r(s->methods, s->count, sizeof *s->methods, compare_self, profile);
}

void summary_sort_total(struct summary *s, struct profile *profile)
{
    if (s->count > 1)
        qsort_r(s->methods, s->count, sizeof *s->methods, compare_total, profile);
}
