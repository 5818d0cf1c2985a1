/*
 * report_sums.c - see report_sums.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_sums.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/say.h"
#include "command/tabular.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/sums.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_text.h"
#include "safe/clock.h"

enum { KEY = 128, US_PER_MS = 1000, WIDTH = 15, HEAD = 32 };

/* Indexes of the values of allocation sites; histograms have the first two. */
enum { BYTES, OBJECTS, LIVE_BYTES, LIVE_OBJECTS };

/* ---- the order of rows: the largest first */

/* How rows are sorted. */
struct order {
    struct profile *profile;
    uint32_t value;
    const struct report_how *how; /* for rows that are compared by what is shown of them */
};

static const char *class_of(const struct order *o, const struct sum *row)
{
    return row->klass ? report_text_of(o->profile, profile_class_at(o->profile, row->klass)->name)
                      : "";
}

static int compare(const void *left, const void *right, void *order)
{
    const struct order *o = order;
    const struct sum *l = *(const struct sum *const *)left, *r = *(const struct sum *const *)right;
    uint64_t a = l->value[o->value], b = r->value[o->value];
    int by_name;
    if (a != b)
        return a > b ? -1 : 1;
    by_name = strcmp(class_of(o, l), class_of(o, r));
    if (by_name == 0)
        by_name = strcmp(report_text_of(o->profile, l->text), report_text_of(o->profile, r->text));
    return by_name != 0 ? by_name : l->trace < r->trace ? -1 : l->trace > r->trace;
}

/* All rows, sorted by their value number `value`. Equal rows are sorted by the name of the class,
 * then the text, then the trace. NULL: no memory. Owner: free(); the rows stay the profile's. */
static const struct sum **rank(struct profile *profile, const struct sums *sums, uint32_t value)
{
    struct order order = {profile, value, NULL};
    uint32_t count = sums->rows.count;
    const struct sum **rows = malloc((count + (size_t)1) * sizeof(void *));
    if (!rows)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = sums_at(sums, i + 1);
    qsort_r(rows, count, sizeof(void *), compare, &order);
    return rows;
}

/* A stack without frames comes first. Methods and lines are in any fixed order. */
static int compare_tops(const struct order *o, const struct sum *l, const struct sum *r)
{
    const struct profile_frame *a = report_text_top(o->how, o->profile, l->trace);
    const struct profile_frame *b = report_text_top(o->how, o->profile, r->trace);
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    if (a->method != b->method)
        return a->method < b->method ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_shown(const void *left, const void *right, void *order)
{
    const struct sum *l = *(const struct sum *const *)left, *r = *(const struct sum *const *)right;
    if (l->klass != r->klass)
        return l->klass < r->klass ? -1 : 1;
    if (l->text != r->text)
        return l->text < r->text ? -1 : 1;
    return compare_tops(order, l, r);
}

/* Merges rows that look alike, which must stand together. The first of each is copied to `to` and
 * gets the values of the others. Returns the number of rows left in `rows`. */
static uint32_t merge(const struct sum **rows, uint32_t count, uint32_t values, struct order *order,
                      unsigned char *to)
{
    size_t bytes = sizeof(struct sum) + values * sizeof(uint64_t);
    struct sum *last = NULL;
    uint32_t merged = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct sum *row = rows[i];
        if (last && compare_shown(&row, &(const struct sum *){last}, order) == 0) {
            for (uint32_t at = 0; at < values; at++)
                last->value[at] += row->value[at];
            continue;
        }
        last = (struct sum *)(void *)(to + merged * bytes);
        memcpy(last, row, bytes);
        rows[merged++] = last;
    }
    return merged;
}

/* Works like rank() for all events of a kind. But if stacks are shown only by their innermost
 * frames, rows that would look alike are merged into one, with the trace of one of them. *ret_count
 * is the number of rows. Owner: free(), which also frees the rows. */
static const struct sum **rank_shown(const struct report_how *r, struct profile *profile,
                                     enum kind_id kind, uint32_t value, uint32_t *ret_count)
{
    const struct sums *sums = profile_sums(profile, kind);
    struct order order = {profile, value, r};
    uint32_t count = sums->rows.count, values = kind_value_count(kind);
    size_t pointers = (count + (size_t)1) * sizeof(void *);
    size_t row_bytes = sizeof(struct sum) + values * sizeof(uint64_t);
    const struct sum **rows, **all;
    *ret_count = count;
    all = rank(profile, sums, value);
    if (!all || r->traces > 0)
        return all;
    rows = realloc(all, pointers + count * row_bytes);
    if (!rows) {
        free(all);
        return NULL;
    }
    qsort_r(rows, count, sizeof(void *), compare_shown, &order);
    *ret_count = merge(rows, count, values, &order, (unsigned char *)rows + pointers);
    qsort_r(rows, *ret_count, sizeof(void *), compare, &order);
    return rows;
}

/* ---- allocation sites */

static void fill_sites(const struct report_how *r, struct profile *profile,
                       const struct sum *const *sites, uint32_t count, struct tabular *t)
{
    if (!report_rows_begin(r, t, "sites",
                           "class live_bytes live_objects made_bytes made_objects method"))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *value = sites[i]->value;
        report_rows_class(t, profile, sites[i]->klass);
        tabular_unsigned(t, value[LIVE_BYTES]);
        tabular_unsigned(t, value[LIVE_OBJECTS]);
        tabular_unsigned(t, value[BYTES]);
        tabular_unsigned(t, value[OBJECTS]);
        report_rows_top(r, t, profile, sites[i]->trace);
    }
}

int report_sums_sites(const struct report_how *r, struct profile *profile)
{
    enum kind_id kind = kind_of_report(KIND_REPORT_SITES);
    const struct sums *sums = profile_sums(profile, kind);
    uint32_t count;
    if (!sums->is_measured)
        return 0;
    /* If the file has only samples of allocations, it does not say which objects still live. */
    bool is_by_live = sums->total[LIVE_BYTES] > 0;
    const struct sum **sites =
        rank_shown(r, profile, kind, is_by_live ? LIVE_BYTES : BYTES, &count);

    if (!sites)
        return -ENOMEM;
    struct tabular t = {0};
    fill_sites(r, profile, sites, count, &t);
    if (!report_rows_place(r, &t))
        goto out;
    fprintf(r->out, "\nallocation sites by %s bytes%s\n", is_by_live ? "live" : "made",
            quality_value(profile, QUALITY_SITES_SAMPLE) ? ", estimated from samples" : "");
    if (is_by_live)
        fprintf(r->out, "%12s %9s ", "live bytes", "objects");
    fprintf(r->out, "%12s %9s  class, and where it was made\n", "made bytes", "objects");
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        const struct sum *site = sites[tabular_at(&t, i)];
        const uint64_t *value = site->value;
        if (is_by_live)
            fprintf(r->out, "%12" PRIu64 " %9" PRIu64 " ", value[LIVE_BYTES], value[LIVE_OBJECTS]);
        fprintf(r->out, "%12" PRIu64 " %9" PRIu64 "  ", value[BYTES], value[OBJECTS]);
        say_clean(r->out, report_text_of(profile, profile_class_at(profile, site->klass)->name));
        putc('\n', r->out);
        report_text_stack(r, profile, site->trace, i < r->traces ? UINT32_MAX : 1);
    }
out:
    tabular_done(&t);
    free(sites);
    return 0;
}

/* ---- histograms of the heap */

static int print_histo(const struct report_how *r, struct profile *profile, const struct sums *sums,
                       const struct kind *k)
{
    uint32_t count = sums->rows.count;
    const struct sum **rows = rank(profile, sums, BYTES);
    if (!rows)
        return -ENOMEM;
    struct tabular t = {0};
    if (report_rows_begin(r, &t, k->word, "class bytes share objects"))
        for (uint32_t i = 0; i < count; i++) {
            report_rows_class(&t, profile, rows[i]->klass);
            tabular_unsigned(&t, rows[i]->value[BYTES]);
            report_rows_share(&t, rows[i]->value[BYTES], sums_whole(sums));
            tabular_unsigned(&t, rows[i]->value[OBJECTS]);
        }
    bool is_shown = report_rows_place(r, &t);
    if (is_shown)
        fprintf(r->out, "\n%s\n%12s %7s %12s  %s\n", k->report.of, "bytes", "share", "objects",
                "class");
    for (uint32_t i = 0; is_shown && i < count && i < r->top; i++) {
        const struct sum *row = rows[tabular_at(&t, i)];
        fprintf(r->out, "%12" PRIu64 " %6.2f%% %12" PRIu64 "  ", row->value[BYTES],
                report_text_percent(row->value[BYTES], sums_whole(sums)), row->value[OBJECTS]);
        say_clean(r->out, report_text_of(profile, profile_class_at(profile, row->klass)->name));
        putc('\n', r->out);
    }
    tabular_done(&t);
    free(rows);
    return 0;
}

/* The next kind after `kind` that has this layout and a table in the profile; KIND_COUNT: none. */
static int next_kind(struct profile *profile, int kind)
{
    do
        kind++;
    while (kind < KIND_COUNT && (kind_all[kind]->report.layout != KIND_REPORT_CLASSES ||
                                 !profile_sums(profile, kind)->is_measured));
    return kind;
}

void report_sums_histo_head(const struct report_how *r, struct profile *profile)
{
    for (int kind = next_kind(profile, -1); kind < KIND_COUNT; kind = next_kind(profile, kind))
        fprintf(r->out, "  a histogram of %s in the heap, %" PRIu64 " bytes\n",
                kind_all[kind]->report.head, sums_whole(profile_sums(profile, kind)));
}

int report_sums_histo(const struct report_how *r, struct profile *profile)
{
    int error = 0;
    for (int kind = next_kind(profile, -1); kind < KIND_COUNT && !error;
         kind = next_kind(profile, kind))
        error = print_histo(r, profile, profile_sums(profile, kind), kind_all[kind]);
    return error;
}

/* ---- kinds of events that have no table of their own */

/* Makes the heading of a value's column, with the unit. Returns the width of the column. */
static int head_of(enum kind_id kind, uint32_t i, char ret_words[HEAD])
{
    const struct kind_value *type = &kind_all[kind]->values[i];
    int len = snprintf(ret_words, HEAD, "%s%s%s", type->unit == KIND_UNIT_NS ? "ms of " : "",
                       type->words, type->unit == KIND_UNIT_LEVEL ? " in bytes" : "");
    return len > WIDTH ? len : WIDTH;
}

/* The number by which a sum of levels is divided: the first value of the kind that is a count; 1 if
 * that value is 0. */
static uint64_t count_of(enum kind_id kind, const uint64_t *values)
{
    for (uint32_t i = 0; i < kind_value_count(kind); i++)
        if (kind_all[kind]->values[i].unit == KIND_UNIT_COUNT)
            return values[i] ? values[i] : 1;
    return 1;
}

static void put_value(FILE *out, enum kind_id kind, uint32_t i, const uint64_t *values)
{
    char head[HEAD];
    int width = head_of(kind, i, head);
    fputs("  ", out);
    switch (kind_all[kind]->values[i].unit) {
    case KIND_UNIT_NS: {
        uint64_t us = (values[i] + NS_PER_US / 2) / NS_PER_US;

        fprintf(out, "%*" PRIu64 ".%03" PRIu64, width - 4, us / US_PER_MS, us % US_PER_MS);
        break;
    }
    case KIND_UNIT_LEVEL:
        fprintf(out, "%*" PRIu64, width, values[i] / count_of(kind, values));
        break;
    default:
        fprintf(out, "%*" PRIu64, width, values[i]);
    }
}

static void put_heads(const struct report_how *r, enum kind_id kind)
{
    fprintf(r->out, "\n%s\n%7s", kind_all[kind]->title, "share");
    for (uint32_t i = 0; i < kind_value_count(kind); i++) {
        char head[HEAD];
        int width = head_of(kind, i, head);
        fprintf(r->out, "  %*s", width, head);
    }
    fputs("  what\n", r->out);
}

/* Prints the class and text of a row. A row without both is described by its trace only. */
static void put_what(const struct report_how *r, struct profile *profile, const struct sum *row,
                     bool is_whole)
{
    fputs("  ", r->out);
    report_text_what(r->out, profile, row->klass, row->text);
    putc('\n', r->out);
    if (profile_trace_at(profile, row->trace)->depth > 0)
        report_text_stack(r, profile, row->trace, is_whole ? UINT32_MAX : 1);
}

static void fill_events(const struct report_how *r, struct profile *profile, enum kind_id kind,
                        const struct sum *const *rows, uint32_t count, struct tabular *t)
{
    uint32_t values = kind_value_count(kind);
    char key[KEY];
    if (!report_rows_begin(r, t, kind_all[kind]->word, "share"))
        return;
    for (uint32_t v = 0; v < values; v++) {
        report_rows_key(kind, v, key, sizeof(key));
        tabular_column(t, key);
    }
    tabular_columns(t, "class name method");
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *value = rows[i]->value;
        report_rows_share(t, value[0], sums_whole(profile_sums(profile, kind)));
        for (uint32_t v = 0; v < values; v++)
            tabular_unsigned(t, kind_all[kind]->values[v].unit == KIND_UNIT_LEVEL
                                    ? value[v] / count_of(kind, value)
                                    : value[v]);
        report_rows_class(t, profile, rows[i]->klass);
        report_rows_string(t, profile, rows[i]->text);
        report_rows_top(r, t, profile, rows[i]->trace);
    }
}

int report_sums_events(const struct report_how *r, struct profile *profile, enum kind_id kind)
{
    const struct sums *sums = profile_sums(profile, kind);
    uint32_t count, values = kind_value_count(kind);
    const struct sum **rows = rank_shown(r, profile, kind, 0, &count);
    if (!rows)
        return -ENOMEM;
    struct tabular t = {0};
    fill_events(r, profile, kind, rows, count, &t);
    bool is_shown = report_rows_place(r, &t);
    if (is_shown)
        put_heads(r, kind);
    for (uint32_t i = 0; is_shown && i < count && i < r->top; i++) {
        const struct sum *row = rows[tabular_at(&t, i)];
        fprintf(r->out, "%6.2f%%", report_text_percent(row->value[0], sums_whole(sums)));
        for (uint32_t at = 0; at < values; at++)
            put_value(r->out, kind, at, row->value);
        put_what(r, profile, row, i < r->traces);
    }
    tabular_done(&t);
    free(rows);
    return 0;
}
