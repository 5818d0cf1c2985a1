/*
 * summary.c - sums methods by share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/summary.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "format/hprof_serial.h"
#include "format/idmap.h"
#include "profile/frame_list.h"
#include "profile/hidden.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/sums.h"

int summary_rows(struct profile *profile, enum kind_id kind, uint32_t value,
                 struct summary_row **ret_rows, size_t *ret_count)
{
    const struct sums *sums = profile_sums(profile, kind);
    struct summary_row *rows = malloc((sums->rows.count + (size_t)1) * sizeof(*rows));
    bool is_counted = kind_value_count(kind) > value + 1;
    if (!rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i + 1);
        rows[i] = (struct summary_row){sum->trace, sum->text, sum->value[value],
                                       is_counted ? sum->value[value + 1] : 0};
    }
    *ret_rows = rows;
    *ret_count = sums->rows.count;
    return 0;
}

uint64_t summary_cost(const struct summary_row *rows, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += rows[i].cost;
    return sum;
}

static int by_cost(const void *left, const void *right, void *profile)
{
    const struct summary_row *x = left, *y = right;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    uint32_t a = hprof_serial_trace(profile, x->trace), b = hprof_serial_trace(profile, y->trace);
    return a < b ? -1 : a > b;
}

void summary_sort_rows(struct summary_row *rows, size_t count, struct profile *profile)
{
    if (count > 1)
        qsort_r(rows, count, sizeof(*rows), by_cost, profile);
}

/* The stack with its frames as they are printed, by method and line. 0: no memory. */
static trace_id printed(struct profile *p, trace_id id, struct frame_list *stack)
{
    const struct profile_trace *t = profile_trace_at(p, id);
    bool is_other = false;
    if (!frame_list_reserve(stack, t->depth))
        return 0;
    for (uint32_t i = 0; i < t->depth; i++) {
        const struct profile_frame *f = profile_frame_at(p, t->frames[i]);
        bool is_java = frame_kind_is_java(f->kind);
        stack->frames[i] =
            is_java ? profile_frame_of(p, FRAME_JAVA, f->method, -1, f->line) : t->frames[i];
        if (!stack->frames[i])
            return 0;
        is_other |= stack->frames[i] != t->frames[i];
    }
    return is_other ? profile_trace(p, t->thread, stack->frames, t->depth) : id;
}

void summary_join_rows(struct summary_row *rows, size_t *count, struct profile *profile)
{
    struct frame_list stack = {0};
    struct idmap first; /* gives place + 1 for a stack and text */
    size_t kept = 0;
    idmap_init(&first);
    for (size_t i = 0; i < *count; i++) {
        trace_id trace = printed(profile, rows[i].trace, &stack);
        uint64_t key = (uint64_t)rows[i].text << 32 | trace;
        uint32_t at = trace ? idmap_get(&first, key) : 0;
        if (at) {
            rows[at - 1].cost += rows[i].cost;
            rows[at - 1].count += rows[i].count;
        } else {
            rows[kept++] = rows[i];
            if (trace)
                idmap_put(&first, key, (uint32_t)kept);
        }
    }
    idmap_done(&first);
    frame_list_done(&stack);
    *count = kept;
    summary_sort_rows(rows, kept, profile);
}

/* While it is built, `methods` is an open hash table of `room` slots (a power of two); name 0 marks
 * a free slot. At the end the used slots are moved to the front. */
struct build {
    struct summary *s;
    struct lookup_key key;
    size_t room;
    bool *is_hidden; /* by frame_id; NULL: all frames are shown */
};

static size_t slot_of(const struct build *b, string_id klass, string_id name)
{
    const string_id key[] = {klass, name};
    size_t slot = lookup_hash(&b->key, key, sizeof(key)) & (b->room - 1);
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
    struct summary_method *fresh = calloc(room, sizeof(*fresh));
    if (!fresh)
        return -ENOMEM;
    b->s->methods = fresh;
    b->room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].name != 0)
            fresh[slot_of(b, old[i].klass, old[i].name)] = old[i];
    free(old);
    return 0;
}

/* `count` is the row's number of calls, if the frame is the called method. */
static int count_frame(struct build *b, struct profile *profile, frame_id id,
                       const struct summary_row *cost, int on_top, uint64_t count)
{
    const struct profile_method *method =
        profile_method_at(profile, profile_frame_at(profile, id)->method);
    /* No reader makes a method without a name. But such a method would make its slot look free. */
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
    if (on_top) {
        row->self += cost->cost;
        row->count += count;
    }
    if (row->seen != cost)
        row->total += cost->cost;
    row->seen = cost;
    return 0;
}

static void close_ranks(struct build *b)
{
    size_t used = 0;
    for (size_t i = 0; i < b->room; i++)
        if (b->s->methods[i].name != 0)
            b->s->methods[used++] = b->s->methods[i];
}

static int find_hidden(struct build *b, struct profile *profile)
{
    uint32_t count = profile_frame_count(profile);
    b->is_hidden = calloc(count + (size_t)1, sizeof(*b->is_hidden));
    for (frame_id id = 1; b->is_hidden && id <= count; id++)
        b->is_hidden[id] = hidden_is_frame(profile, id);
    return b->is_hidden ? 0 : -ENOMEM;
}

int summary_build(struct profile *profile, const struct summary_row *rows, size_t count,
                  int with_hidden, struct summary *ret_summary)
{
    struct build b = {.s = ret_summary};
    lookup_key_init(&b.key);
    *ret_summary = (struct summary){0};
    if (!with_hidden && find_hidden(&b, profile) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct profile_trace *trace = profile_trace_at(profile, rows[i].trace);

        uint32_t shown = 0;
        for (uint32_t j = 0; j < trace->depth; j++) {
            /* The time of a hidden frame belongs to its caller, if there is one that is shown. */
            if (b.is_hidden && b.is_hidden[trace->frames[j]] && (shown > 0 || j + 1 < trace->depth))
                continue;
            if (count_frame(&b, profile, trace->frames[j], &rows[i], shown++ == 0,
                            j == 0 ? rows[i].count : 0) < 0) {
                summary_done(ret_summary);
                free(b.is_hidden);
                return -ENOMEM;
            }
        }
    }
    close_ranks(&b);
    free(b.is_hidden);
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
                   struct profile *profile, uint64_t cost_a, uint64_t cost_b)
{
    if (cost_a != cost_b)
        return cost_a > cost_b ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
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
        qsort_r(s->methods, s->count, sizeof(*s->methods), compare_self, profile);
}

void summary_sort_total(struct summary *s, struct profile *profile)
{
    if (s->count > 1)
        qsort_r(s->methods, s->count, sizeof(*s->methods), compare_total, profile);
}
