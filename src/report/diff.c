/*
 * diff.c - see diff.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/diff.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/say.h"
#include "format/format.h"
#include "profile/carry.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "report/convert.h"
#include "report/shown.h"
#include "report/summary.h"

static const double level = 0.05; /* probability that one or more intervals miss the true change */

static const char *text_of(struct profile *p, string_id id)
{
    return id ? profile_string_at(p, id)->bytes : "";
}

/* Adds a row for each method of one profile. The values of the other side are 0. */
static int add_side(struct diff *d, struct profile *p, int side)
{
    struct summary_row *rows = NULL;
    struct summary s = {0};
    size_t count;
    int r = summary_rows(p, d->kind, d->value, &rows, &count);
    if (r == 0)
        r = summary_build(p, rows, count, d->with_hidden, &s);
    struct diff_row *all =
        r == 0 ? realloc(d->rows, (d->count + s.count + 1) * sizeof(*all)) : NULL;
    if (all) {
        d->rows = all;
        d->whole[side] = summary_cost(rows, count);
    }
    for (size_t i = 0; all && i < s.count; i++) {
        const struct summary_method *m = &s.methods[i];
        const char *klass = text_of(p, m->klass), *name = text_of(p, m->name);
        struct diff_row *row = &d->rows[d->count];
        *row = (struct diff_row){0};
        row->value[DIFF_SELF][side] = m->self;
        row->value[DIFF_TOTAL][side] = m->total;
        if (asprintf(&row->method, "%s%s%s", klass, *klass && *name ? "." : "", name) < 0) {
            row->method = NULL;
            all = NULL;
        } else {
            d->count++;
        }
    }
    free(rows);
    summary_done(&s);
    return r < 0 ? r : all ? 0 : -ENOMEM;
}

static int by_method(const void *left, const void *right)
{
    const struct diff_row *x = left, *y = right;
    return strcmp(x->method, y->method);
}

/* Joins the rows that have the same method into one row. */
static void merge(struct diff *d)
{
    size_t kept = 0;
    if (d->count > 1)
        qsort(d->rows, d->count, sizeof(*d->rows), by_method);
    for (size_t i = 0; i < d->count; i++) {
        struct diff_row *row = &d->rows[i], *last = kept ? &d->rows[kept - 1] : NULL;
        if (!last || strcmp(last->method, row->method) != 0) {
            d->rows[kept++] = *row;
            continue;
        }
        for (int m = 0; m < DIFF_MEASURES; m++)
            for (int side = 0; side < DIFF_SIDES; side++)
                last->value[m][side] += row->value[m][side];
        free(row->method);
    }
    d->count = kept;
}

/* Returns the z for which a normal variable is more than z standard deviations away from its mean,
 * on either side, with this probability: deviations(0.05) is 1.96. Because erfc() falls steadily,
 * bisection finds z. */
static double deviations(double probability)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) > probability)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The interval for the difference of two shares of samples. One hit and one miss are added to each
 * side, as Agresti and Caffo do (see diff.h). */
static void bound_shares(const struct diff *d, const uint64_t *value, double z,
                         struct diff_change *c)
{
    double share[DIFF_SIDES], variance = 0;
    for (int side = 0; side < DIFF_SIDES; side++) {
        double n = (double)d->whole[side] + 2;
        share[side] = ((double)value[side] + 1) / n;
        variance += share[side] * (1 - share[side]) / n;
    }
    double middle = 100 * (share[DIFF_AFTER] - share[DIFF_BEFORE]),
           reach = 100 * z * sqrt(variance);
    c->low = fmax(middle - reach, -100);
    c->high = fmin(middle + reach, 100);
}

/* The interval for the difference of two counts. The variance of a count of independent events is
 * as large as the count; as for shares, 1 is added to each count. */
static void bound_counts(const struct diff *d, const uint64_t *value, double z,
                         struct diff_change *c)
{
    double reach = 100 * z * sqrt((double)value[DIFF_BEFORE] + (double)value[DIFF_AFTER] + 2) /
                   (double)d->whole[DIFF_BEFORE];
    c->low = c->change - reach;
    c->high = c->change + reach;
}

static double percent(uint64_t value, uint64_t whole)
{
    return whole ? 100 * (double)value / (double)whole : 0;
}

static void judge(const struct diff *d, struct diff_row *row, double z)
{
    for (int m = 0; m < DIFF_MEASURES; m++) {
        struct diff_change *c = &row->change[m];
        for (int side = 0; side < DIFF_SIDES; side++)
            c->percent[side] =
                percent(row->value[m][side], d->whole[d->is_absolute ? DIFF_BEFORE : side]);
        c->change = c->percent[DIFF_AFTER] - c->percent[DIFF_BEFORE];
        if (!d->has_intervals)
            continue;
        if (d->is_absolute)
            bound_counts(d, row->value[m], z, c);
        else
            bound_shares(d, row->value[m], z, c);
        c->is_noise = c->low <= 0 && c->high >= 0;
    }
}

int diff_make(struct diff *d, struct profile *const profiles[DIFF_SIDES])
{
    int r = 0;
    d->has_intervals = d->kind == KIND_SAMPLE;
    for (int side = 0; side < DIFF_SIDES && r == 0; side++)
        r = add_side(d, profiles[side], side);
    if (r < 0)
        return r;
    merge(d);
    double z =
        d->has_intervals && d->count ? deviations(level / (double)(DIFF_MEASURES * d->count)) : 0;
    for (size_t i = 0; i < d->count; i++)
        judge(d, &d->rows[i], z);
    return 0;
}

void diff_done(struct diff *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->rows[i].method);
    free(d->rows);
    d->rows = NULL;
    d->count = 0;
}

static int by_change(const void *left, const void *right, void *of)
{
    const enum diff_measure *measure = of;
    const struct diff_row *a = left, *b = right;
    const struct diff_change *x = &a->change[*measure], *y = &b->change[*measure];
    if (x->is_noise != y->is_noise)
        return x->is_noise ? 1 : -1;
    if (fabs(x->change) != fabs(y->change))
        return fabs(x->change) < fabs(y->change) ? 1 : -1;
    return strcmp(a->method, b->method);
}

void diff_sort(struct diff *d, enum diff_measure measure)
{
    if (d->count > 1)
        qsort_r(d->rows, d->count, sizeof(*d->rows), by_change, &measure);
}

size_t diff_changed(const struct diff *d)
{
    size_t changed = 0;
    for (size_t i = 0; i < d->count; i++) {
        const struct diff_change *self = &d->rows[i].change[DIFF_SELF],
                                 *total = &d->rows[i].change[DIFF_TOTAL];
        bool is_same = self->change == 0 && total->change == 0;
        changed += !is_same && !(d->has_intervals && self->is_noise && total->is_noise);
    }
    return changed;
}

const struct diff_row *diff_find_above(const struct diff *d, double percent_above)
{
    for (size_t i = 0; i < d->count; i++)
        for (int m = 0; m < DIFF_MEASURES; m++) {
            const struct diff_change *c = &d->rows[i].change[m];
            if (!c->is_noise && c->change > percent_above)
                return &d->rows[i];
        }
    return NULL;
}

/* ---- the page */

/* Puts the stacks of one profile into the model of the page. */
static int put_side(struct writer_out *o, const struct convert *c, struct profile *p)
{
    const struct sums *sums = profile_sums(p, c->series->kind);
    struct shown shown;
    struct carry carry;
    int r = shown_init(&shown, p, &c->how);
    if (r == 0)
        r = carry_init(&carry, p, o->profile);
    else
        carry = (struct carry){0};
    carry.names_only = true;
    for (uint32_t i = 1; i <= sums->rows.count && r == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        trace_id trace = 0;
        struct event event = {.kind = c->series->kind};
        event.value[c->series->value] = sum->value[c->series->value];
        if (shown_trace(&shown, sum->trace, 0, &trace) > 0)
            event.trace = carry_trace(&carry, trace);
        event.klass = sum->klass ? carry_class(&carry, sum->klass) : 0;
        event.text = sum->text ? carry_string(&carry, sum->text) : 0;
        r = event.trace ? writer_event(o, &event) : -ENOMEM;
    }
    carry_done(&carry);
    shown_done(&shown);
    return r;
}

static int put_page(struct writer_out *o, const struct convert *c, void *of)
{
    struct profile *const *profiles = of;
    int r = writer_begin(o);
    for (int side = 0; side < DIFF_SIDES && r == 0; side++) {
        o->before.is_now = side == DIFF_BEFORE;
        r = put_side(o, c, profiles[side]);
    }
    int ended = writer_end(o);
    return r ? r : ended;
}

/* The facts on the page (program, VM, time) are those of the later profile. */
static void carry_facts(struct profile *to, struct profile *from)
{
    const struct found *has = profile_found(from);
    struct found *found = profile_found(to);
    string_id program = profile_program(from) ? profile_program(from) : has->program;
    if (program)
        found->program = profile_cstring(to, profile_string_at(from, program)->bytes);
    if (has->vm)
        found->vm = profile_cstring(to, profile_string_at(from, has->vm)->bytes);
    found->from_ns = has->from_ns;
    found->to_ns = has->to_ns;
}

static void put_verdict(const struct diff *d, char *to, size_t room)
{
    size_t changed = diff_changed(d);
    const char *beyond = d->has_intervals ? " beyond chance" : "";
    if (changed == 0)
        snprintf(to, room, "nothing changed%s", beyond);
    else
        snprintf(to, room, "%zu method%s changed%s", changed, changed > 1 ? "s" : "", beyond);
}

int diff_write_page(const struct convert *c, const struct diff *diff,
                    struct profile *const profiles[], const char *const files[])
{
    struct profile *both = profile_new(SIZE_MAX);
    char verdict[128];
    struct writer_out o = {.writer = c->format->writer,
                           .profile = both,
                           .kind = c->series->kind,
                           .value = c->series->value,
                           .kinds = 1u << c->series->kind,
                           .source = convert_title(files[DIFF_AFTER]),
                           .before = {.is_given = true,
                                      .is_whole = diff->is_absolute,
                                      .source = convert_title(files[DIFF_BEFORE]),
                                      .verdict = verdict}};
    put_verdict(diff, verdict, sizeof(verdict));
    if (both)
        carry_facts(both, profiles[DIFF_AFTER]);
    int r = both ? convert_with(c, &o, put_page, (void *)profiles) : -ENOMEM;

    if (!both)
        say("diff: no memory");
    profile_free(both);
    return r;
}
