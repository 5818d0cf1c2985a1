/*
 * report_leaks.c - see report_leaks.h.
 *
 * The age of a block is the time from its allocation to the end of the recording. Blocks that are
 * all young may simply be in use; a leak has blocks of every age.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_leaks.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "command/say.h"
#include "command/tabular.h"
#include "profile/found.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_series.h"
#include "report/report_text.h"
#include "safe/clock.h"

enum {
    HELD_BYTES = 2, /* indexes of the values of the kind */
    HELD_BLOCKS = 3,
    FRAMES = 16, /* of each stack; the first dozen often belongs to the VM and the JDK */
};

/* A row of the sums that has bytes. */
struct row {
    const struct sum *sum;
    uint32_t number;
    uint64_t first_ns, last_ns; /* when its blocks were allocated; 0: not known */
};

/* A series of what is held, and the words for it. */
struct held {
    const char *word, *title, *unit, *whole;
    const char *table; /* of reports that are a table */
};

static const struct held all_held[] = {
    {"leak", "native memory that was not freed", "blocks", "were allocated", "leaks"},
    {"mapped", "memory that is still mapped", "mappings", "were mapped", "mapped"},
};

static const struct held *held_of(const struct series *series)
{
    for (size_t i = 0; series && i < sizeof(all_held) / sizeof(all_held[0]); i++)
        if (series == series_named(all_held[i].word))
            return &all_held[i];
    return NULL;
}

bool report_leaks_is(const struct series *series)
{
    return held_of(series) != NULL;
}

static int by_number(const void *left, const void *right)
{
    const struct row *l = left, *r = right;
    return l->number < r->number ? -1 : l->number > r->number;
}

static int by_bytes(const void *left, const void *right)
{
    const struct row *l = left, *r = right;
    uint64_t a = l->sum->value[HELD_BYTES], b = r->sum->value[HELD_BYTES];
    return a != b ? (a > b ? -1 : 1) : by_number(left, right);
}

static size_t take_rows(const struct sums *sums, struct row *rows)
{
    size_t count = 0;
    for (uint32_t i = 1; i <= sums->rows.count; i++)
        if (sums_at(sums, i)->value[HELD_BYTES] > 0)
            rows[count++] = (struct row){.sum = sums_at(sums, i), .number = i};
    return count;
}

/* Adds the times of the blocks to their rows, which are sorted by number. */
static void take_times(struct profile *profile, enum kind_id kind, struct row *rows, size_t count)
{
    const struct moments *moments = profile_moments(profile);
    struct moments_at at = moments_begin(moments);
    struct moment m;
    while (!moments->is_broken && moments_next(&at, &m)) {
        const struct row key = {.number = m.row};
        struct row *row = m.kind == kind && m.value[HELD_BYTES] > 0
                              ? bsearch(&key, rows, count, sizeof(*rows), by_number)
                              : NULL;
        if (row && (!row->first_ns || m.time_ns < row->first_ns))
            row->first_ns = m.time_ns;
        if (row && m.time_ns > row->last_ns)
            row->last_ns = m.time_ns;
    }
}

static void print_age(const struct report_how *r, uint64_t end_ns, uint64_t time_ns)
{
    if (time_ns && end_ns >= time_ns)
        fprintf(r->out, " %9.1fs", (double)(end_ns - time_ns) / NS_PER_S);
    else
        fprintf(r->out, " %10s", "-");
}

static void print_row(const struct report_how *r, struct profile *profile, const struct row *row,
                      uint64_t whole)
{
    uint64_t end_ns = profile_found(profile)->to_ns;
    fprintf(r->out, "%6.2f%% %14" PRIu64 " %10" PRIu64,
            report_text_percent(row->sum->value[HELD_BYTES], whole), row->sum->value[HELD_BYTES],
            row->sum->value[HELD_BLOCKS]);
    print_age(r, end_ns, row->first_ns);
    print_age(r, end_ns, row->last_ns);
    putc('\n', r->out);
    report_text_stack(r, profile, row->sum->trace, FRAMES);
}

static void put_age(struct tabular *t, uint64_t end_ns, uint64_t time_ns)
{
    if (time_ns && end_ns >= time_ns)
        tabular_unsigned(t, end_ns - time_ns);
    else
        tabular_nothing(t);
}

static void fill_rows(const struct report_how *r, struct profile *profile, const struct row *rows,
                      size_t count, const struct held *held, struct tabular *t)
{
    uint64_t end_ns = profile_found(profile)->to_ns;
    uint64_t whole = profile_sums(profile, series_named(held->word)->kind)->total[HELD_BYTES];
    if (!report_rows_begin(r, t, held->table,
                           "share bytes blocks oldest_ns newest_ns method stack"))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct sum *sum = rows[i].sum;
        report_rows_share(t, sum->value[HELD_BYTES], whole);
        tabular_unsigned(t, sum->value[HELD_BYTES]);
        tabular_unsigned(t, sum->value[HELD_BLOCKS]);
        put_age(t, end_ns, rows[i].first_ns);
        put_age(t, end_ns, rows[i].last_ns);
        report_rows_top(r, t, profile, sum->trace);
        report_rows_stack(r, t, profile, sum->trace);
    }
}

int report_leaks(const struct report_how *r, const char *title, struct profile *profile,
                 const struct series *series)
{
    const struct held *held = held_of(series);
    const struct sums *sums = profile_sums(profile, series->kind);
    struct row *rows = calloc(sums->rows.count + (size_t)1, sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    size_t count = take_rows(sums, rows);
    take_times(profile, series->kind, rows, count);
    qsort(rows, count, sizeof(*rows), by_bytes);
    say_clean(r->out, title);
    fprintf(r->out, ": %s\n  %" PRIu64 " bytes in %" PRIu64 " %s, of %" PRIu64 " bytes that %s\n",
            held->title, sums->total[HELD_BYTES], sums->total[HELD_BLOCKS], held->unit,
            sums->total[0], held->whole);
    struct tabular t = {0};
    if (count > 0 && r->top > 0) {
        fill_rows(r, profile, rows, count, held, &t);
        if (!report_rows_place(r, &t))
            count = 0;
    }
    if (count > 0 && r->top > 0)
        fprintf(r->out, "\n%7s %14s %10s %10s %10s\n", "share", "bytes", held->unit, "oldest",
                "newest");
    for (size_t i = 0; i < count && i < r->top; i++)
        print_row(r, profile, &rows[tabular_at(&t, i)], sums->total[HELD_BYTES]);
    tabular_done(&t);
    free(rows);
    return report_series_methods(r, profile, series, "");
}
