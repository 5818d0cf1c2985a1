/*
 * fold.c - see fold.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/fold.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include <stdlib.h>
#include <string.h>

/* The two profiles, and where rows of the first are in the second. */
struct fold {
    struct profile *from, *to;
    frame_id *frames;   /* by frame; 0 not there yet */
    thread_id *threads; /* by thread */
    frame_id *stack;    /* room for the deepest */
};

static int by_samples(const void *left, const void *right)
{
    const struct sum *l = *(const struct sum *const *)left, *r = *(const struct sum *const *)right;

    if (l->value[0] != r->value[0])
        return l->value[0] > r->value[0] ? -1 : 1;
    return l->trace < r->trace ? -1 : l->trace > r->trace;
}

static string_id copy_string(struct fold *f, string_id id)
{
    const struct profile_string *s = id ? profile_string_at(f->from, id) : NULL;

    return s ? profile_string(f->to, s->bytes, s->len) : 0;
}

static frame_id copy_frame(struct fold *f, frame_id id)
{
    const struct profile_frame *frame = profile_frame_at(f->from, id);
    const struct profile_method *m = profile_method_at(f->from, frame->method);
    string_id klass = m->klass ? copy_string(f, profile_class_at(f->from, m->klass)->name) : 0;
    method_id method = profile_method(f->to, klass ? profile_class_named(f->to, klass) : 0,
                                      copy_string(f, m->name), copy_string(f, m->descriptor),
                                      copy_string(f, m->source));

    return method ? profile_frame_of(f->to, frame->kind, method, frame->bci, frame->line) : 0;
}

static thread_id copy_thread(struct fold *f, thread_id id)
{
    const struct profile_thread *t = id ? profile_thread_at(f->from, id) : NULL;

    if (t && !f->threads[id])
        f->threads[id] =
            profile_add_thread(f->to, t->serial, t->object, copy_string(f, t->name),
                               copy_string(f, t->group), copy_string(f, t->parent_group));
    return t ? f->threads[id] : 0;
}

/* Returns whether there was room. */
static bool copy_sum(struct fold *f, const struct sum *sum)
{
    const struct profile_trace *t = profile_trace_at(f->from, sum->trace);
    struct event event = {.kind = EVENT_SAMPLE, .value = {sum->value[0]}};

    for (uint32_t i = 0; i < t->depth; i++) {
        frame_id id = t->frames[i];

        if (!f->frames[id])
            f->frames[id] = copy_frame(f, id);
        f->stack[i] = f->frames[id];
        if (!f->stack[i])
            return false;
    }
    event.trace = profile_trace(f->to, copy_thread(f, t->thread), f->stack, t->depth);
    return event.trace && profile_count(f->to, &event) == 0;
}

frame_id fold_frame(struct profile *p)
{
    method_id method = profile_method(p, 0, profile_cstring(p, FOLD_FRAME), 0, 0);

    return method ? profile_frame_of(p, FRAME_NATIVE, method, -1, PROFILE_LINE_NONE) : 0;
}

static bool count_rest(struct fold *f, uint64_t samples)
{
    frame_id frame = fold_frame(f->to);
    struct event event = {.kind = EVENT_SAMPLE, .value = {samples}};

    event.trace = frame ? profile_trace(f->to, 0, &frame, 1) : 0;
    return event.trace && profile_count(f->to, &event) == 0;
}

/* A row that an earlier call made. */
static bool is_folded(struct profile *p, const struct sum *sum)
{
    const struct profile_trace *t = profile_trace_at(p, sum->trace);
    string_id name =
        t->depth == 1 ? profile_method_at(p, profile_frame_at(p, t->frames[0])->method)->name : 0;

    return name && strcmp(profile_string_at(p, name)->bytes, FOLD_FRAME) == 0;
}

/* Names are borrowed: from now on from the new profile. */
static void copy_quality(struct fold *f, const struct profile_quality *q)
{
    string_id name = profile_cstring(f->to, q->name);

    if (name)
        profile_set_quality(f->to, profile_string_at(f->to, name)->bytes, q->count);
}

/* The rest is counted first, so that its stack has room. */
static bool copy_largest(struct fold *f, const struct sum **rows, uint32_t count, size_t bytes)
{
    uint64_t rest = 0, folded = 0;
    uint32_t quality_count;
    const struct profile_quality *quality = profile_quality(f->from, &quality_count);

    if (!count_rest(f, 0))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (profile_bytes(f->to) < bytes && copy_sum(f, rows[i]))
            continue;
        rest += rows[i]->value[0];
        folded += !is_folded(f->from, rows[i]);
    }
    for (uint32_t i = 0; i < quality_count; i++) {
        if (strcmp(quality[i].name, FOLD_COUNT) == 0)
            folded += quality[i].count;
        else
            copy_quality(f, &quality[i]);
    }
    profile_set_quality(f->to, FOLD_COUNT, folded);
    return count_rest(f, rest);
}

static uint32_t deepest(struct profile *p)
{
    uint32_t depth = 0;

    for (trace_id id = 1; id <= profile_trace_count(p); id++)
        if (profile_trace_at(p, id)->depth > depth)
            depth = profile_trace_at(p, id)->depth;
    return depth;
}

struct profile *fold_smallest(struct profile *p, size_t budget, size_t bytes)
{
    const struct sums *sums = profile_sums(p, EVENT_SAMPLE);
    struct fold f = {
        .from = p,
        .to = profile_new(budget),
        .frames = calloc(profile_frame_count(p) + (size_t)1, sizeof(*f.frames)),
        .threads = calloc(profile_thread_count(p) + (size_t)1, sizeof(*f.threads)),
        .stack = calloc(deepest(p) + (size_t)1, sizeof(*f.stack)),
    };
    const struct sum **rows = calloc(sums->rows.count + (size_t)1, sizeof(void *));
    bool ok = f.to && f.frames && f.threads && f.stack && rows;

    for (uint32_t i = 0; ok && i < sums->rows.count; i++)
        rows[i] = sums_at(sums, i + 1);
    if (ok) {
        qsort(rows, sums->rows.count, sizeof(void *), by_samples);
        profile_sums(f.to, EVENT_SAMPLE)->tables = sums->tables;
        ok = copy_largest(&f, rows, sums->rows.count, bytes) && profile_lost(f.to) == 0;
    }
    free(rows);
    free(f.frames);
    free(f.threads);
    free(f.stack);
    if (!ok) {
        profile_free(f.to);
        f.to = NULL;
    }
    return f.to;
}
