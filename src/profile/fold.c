/*
 * fold.c - see fold.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/fold.h"
#include "profile/carry.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/sums.h"
#include <stdlib.h>
#include <string.h>

static int by_samples(const void *left, const void *right)
{
    const struct sum *l = *(const struct sum *const *)left, *r = *(const struct sum *const *)right;
    if (l->value[0] != r->value[0])
        return l->value[0] > r->value[0] ? -1 : 1;
    return l->trace < r->trace ? -1 : l->trace > r->trace;
}

/* Copies a sum. Returns whether there was room. */
static bool copy_sum(struct carry *c, const struct sum *sum)
{
    struct event event = {.kind = KIND_SAMPLE,
                          .trace = carry_trace(c, sum->trace),
                          .context = carry_context(c, sum->context),
                          .value = {sum->value[0]}};
    return event.trace && profile_count(c->to, &event) == 0;
}

frame_id fold_frame(struct profile *p)
{
    method_id method = profile_method(p, 0, profile_cstring(p, FOLD_FRAME), 0, 0);
    return method ? profile_frame_of(p, FRAME_NATIVE, method, -1, PROFILE_LINE_NONE) : 0;
}

static bool count_rest(struct carry *f, uint64_t samples)
{
    frame_id frame = fold_frame(f->to);
    struct event event = {.kind = KIND_SAMPLE, .value = {samples}};
    event.trace = frame ? profile_trace(f->to, 0, &frame, 1) : 0;
    return event.trace && profile_count(f->to, &event) == 0;
}

/* Whether the row was made by an earlier call of fold_smallest(). */
static bool is_folded(struct profile *p, const struct sum *sum)
{
    const struct profile_trace *t = profile_trace_at(p, sum->trace);
    string_id name =
        t->depth == 1 ? profile_method_at(p, profile_frame_at(p, t->frames[0])->method)->name : 0;
    return name && strcmp(profile_string_at(p, name)->bytes, FOLD_FRAME) == 0;
}

/* The name is borrowed from the new profile from now on. */
static void copy_quality(struct carry *f, const struct profile_quality *q)
{
    string_id name = profile_cstring(f->to, q->name);
    if (name)
        profile_set_quality(f->to, profile_string_at(f->to, name)->bytes, q->count);
}

/* Counts the rest with 0 first, so that its stack has room. */
static bool copy_largest(struct carry *f, const struct sum **rows, uint32_t count, size_t bytes)
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
        if (strcmp(quality[i].name, quality_name(QUALITY_STACKS_FOLDED)) == 0)
            folded += quality[i].count;
        else
            copy_quality(f, &quality[i]);
    }
    profile_set_quality(f->to, quality_name(QUALITY_STACKS_FOLDED), folded);
    return count_rest(f, rest);
}

struct profile *fold_smallest(struct profile *p, size_t budget, size_t bytes)
{
    const struct sums *sums = profile_sums(p, KIND_SAMPLE);
    struct profile *to = profile_new(budget);
    struct carry f = {0};
    const struct sum **rows = calloc(sums->rows.count + (size_t)1, sizeof(void *));
    bool ok = to && rows && carry_init(&f, p, to) == 0;
    for (uint32_t i = 0; ok && i < sums->rows.count; i++)
        rows[i] = sums_at(sums, i + 1);
    if (ok) {
        qsort(rows, sums->rows.count, sizeof(void *), by_samples);
        profile_sums(to, KIND_SAMPLE)->is_measured = sums->is_measured;
        ok = copy_largest(&f, rows, sums->rows.count, bytes) && profile_lost(to) == 0;
    }
    free(rows);
    carry_done(&f);
    if (!ok) {
        profile_free(to);
        to = NULL;
    }
    return to;
}
