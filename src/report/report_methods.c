/*
 * report_methods.c - see report_methods.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_methods.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/say.h"
#include "command/tabular.h"
#include "format/hprof_serial.h"
#include "profile/sums.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_text.h"
#include "report/summary.h"
#include "safe/clock.h"

enum { KEY = 128, NUMBERS_WIDTH = 30, COUNT_WIDTH = 13, SHARES_WIDTH = 16 };

static void print_head(const struct report_how *r, const struct report_methods *m,
                       const char *heading, int with_counts, int by_total)
{
    fprintf(r->out, "\n%s%s", heading, m->of);
    if (by_total && m->percent_cut > 0)
        fprintf(r->out, " (without the callers in %.2f%% of the stacks, which are cut)",
                m->percent_cut);
    putc('\n', r->out);
    if (!m->is_inclusive)
        fprintf(r->out, "%7s %7s ", "self", "total");
    fprintf(r->out, "%12s  ", m->unit);
    if (with_counts)
        fprintf(r->out, "%11s  ", m->counts);
    fputs("method\n", r->out);
}

/* The name of a column of costs: "self" gives "self_samples" or "self_ns". */
static const char *cost_key(const struct report_methods *m, const char *before, char key[KEY])
{
    char unit[KEY / 2];
    tabular_key(m->per_unit > 1 ? "ns" : m->unit, unit, sizeof(unit));
    snprintf(key, KEY, "%s%s%s", before, *before != '\0' ? "_" : "", unit);
    return key;
}

static void add_columns(const struct report_methods *m, struct tabular *t)
{
    char key[KEY];
    if (!m->is_inclusive) {
        tabular_columns(t, "self_share total_share");
        tabular_column(t, cost_key(m, "self", key));
    }
    tabular_column(t, cost_key(m, "total", key));
    if (m->counts) {
        tabular_key(m->counts, key, sizeof(key));
        tabular_column(t, key);
    }
}

/* Fills the methods, which are sorted by their own cost. */
static void fill_methods(const struct report_how *r, const struct report_methods *m,
                         const struct summary *s, struct profile *profile, struct tabular *t)
{
    if (!report_rows_begin(r, t, m->table, "method"))
        return;
    add_columns(m, t);
    for (size_t i = 0; i < s->count; i++) {
        const struct summary_method *row = &s->methods[i];
        report_rows_method(t, report_text_of(profile, row->klass),
                           report_text_of(profile, row->name));
        if (!m->is_inclusive) {
            report_rows_share(t, row->self, m->whole);
            report_rows_share(t, row->total, m->whole);
        }
        tabular_unsigned(t, row->self);
        if (!m->is_inclusive)
            tabular_unsigned(t, row->total);
        if (m->counts)
            tabular_unsigned(t, row->count);
    }
}

/* `t` has the methods in the order of --sort; without one they stay in their order. */
static void print_methods(const struct report_how *r, const struct report_methods *m,
                          const struct summary *s, struct profile *profile, int by_total,
                          const struct tabular *t)
{
    /* Calls are counted for the innermost method, so they do not belong to totals. */
    int with_counts = m->counts && !by_total;
    size_t width = NUMBERS_WIDTH - (size_t)(m->is_inclusive ? SHARES_WIDTH : 0) +
                   (size_t)(with_counts ? COUNT_WIDTH : 0);

    print_head(r, m,
               m->is_inclusive ? "methods by time, with what they call"
               : t->order      ? "methods"
               : by_total      ? "methods by total time, with what they call"
                               : "methods by their own time",
               with_counts, by_total);
    for (size_t i = 0; i < s->count && i < r->top; i++) {
        const struct summary_method *row = &s->methods[tabular_at(t, i)];
        uint64_t cost = by_total ? row->total : row->self;
        if (!t->order && cost == 0 && (row->count == 0 || by_total))
            break; /* sorted: only zeros follow */
        if (!m->is_inclusive)
            fprintf(r->out, "%6.2f%% %6.2f%% ", report_text_percent(row->self, m->whole),
                    report_text_percent(row->total, m->whole));
        fprintf(r->out, "%12" PRIu64 "  ", cost / m->per_unit);
        if (with_counts)
            fprintf(r->out, "%11" PRIu64 "  ", row->count);
        report_text_name(r->out, report_text_of(profile, row->klass),
                         report_text_of(profile, row->name),
                         r->width > width ? r->width - width : 0);
        putc('\n', r->out);
    }
}

static void fill_traces(const struct report_how *r, const struct report_methods *m,
                        struct profile *profile, const struct summary_row *rows, size_t count,
                        const char *name, struct tabular *t)
{
    char key[KEY];
    if (!report_rows_begin(r, t, name, "trace thread share"))
        return;
    tabular_column(t, cost_key(m, "", key));
    if (m->counts) {
        tabular_key(m->counts, key, sizeof(key));
        tabular_column(t, key);
    }
    tabular_column(t, "stack");
    for (size_t i = 0; i < count; i++) {
        tabular_unsigned(t, hprof_serial_trace(profile, rows[i].trace));
        report_rows_thread(t, profile, profile_trace_at(profile, rows[i].trace)->thread);
        if (m->is_inclusive)
            tabular_nothing(t);
        else
            report_rows_share(t, rows[i].cost, m->whole);
        tabular_unsigned(t, rows[i].cost);
        if (m->counts)
            tabular_unsigned(t, rows[i].count);
        report_rows_stack(r, t, profile, rows[i].trace);
    }
}

static void print_traces(const struct report_how *r, const struct report_methods *m,
                         struct profile *profile, struct summary_row *rows, size_t count)
{
    summary_sort_rows(rows, count, profile);
    summary_join_rows(rows, &count, profile);
    char name[KEY]; /* "stacks", "times-stacks" */
    struct tabular t = {0};
    snprintf(name, sizeof(name), "%.*sstacks", (int)(strlen(m->table) - strlen("methods")),
             m->table);
    fill_traces(r, m, profile, rows, count < r->traces ? count : r->traces, name, &t);
    if (!report_rows_place(r, &t)) {
        tabular_done(&t);
        return;
    }
    fprintf(r->out, "\nhottest stacks%s\n", m->of);
    for (size_t at = 0; at < count && at < r->traces; at++) {
        size_t i = tabular_at(&t, at);
        const struct profile_trace *trace = profile_trace_at(profile, rows[i].trace);
        if (!m->is_inclusive)
            fprintf(r->out, "%6.2f%% ", report_text_percent(rows[i].cost, m->whole));
        fprintf(r->out, "%12" PRIu64 "  ", rows[i].cost / m->per_unit);
        if (m->counts)
            fprintf(r->out, "%11" PRIu64 " %s  ", rows[i].count, m->counts);
        fprintf(r->out, "trace %" PRIu32, hprof_serial_trace(profile, rows[i].trace));
        if (trace->thread != 0) {
            fputs(" thread ", r->out);
            say_clean(r->out,
                      report_text_of(profile, profile_thread_at(profile, trace->thread)->name));
        }
        fputs(trace->depth == 0 ? "\n        <empty>\n" : "\n", r->out);
        report_text_stack(r, profile, rows[i].trace, UINT32_MAX);
    }
    tabular_done(&t);
}

int report_methods(const struct report_how *r, const struct report_methods *m,
                   struct profile *profile, struct summary_row *rows, size_t count)
{
    struct summary s;
    int result = summary_build(profile, rows, count, r->with_hidden, &s);
    if (result < 0)
        return result;
    struct tabular t = {0};
    if (r->top > 0) {
        summary_sort_self(&s, profile);
        fill_methods(r, m, &s, profile, &t);
    }
    bool is_shown = r->top > 0 && report_rows_place(r, &t);
    bool by_total = t.order && strncmp(r->rows->how->sort, "total", 5) == 0;
    if (is_shown)
        print_methods(r, m, &s, profile, by_total && !m->is_inclusive, &t);
    if (is_shown && !m->is_inclusive && !t.order) {
        summary_sort_total(&s, profile);
        print_methods(r, m, &s, profile, 1, &t);
    }
    tabular_done(&t);
    if (r->traces > 0)
        print_traces(r, m, profile, rows, count);
    summary_done(&s);
    return 0;
}

/* ---- the tables of cpu=times, cpu=old and MONITOR TIME
 *
 * A table in the file has shares of its total with two digits, so the times here are no more exact.
 */

/* Prints methods by the time of their calls. */
static int print_calls(const struct report_how *r, struct profile *profile, enum kind_id kind,
                       struct summary_row *rows, size_t count)
{
    const struct kind_report *shown = &kind_all[kind]->report;
    char table[KEY];
    snprintf(table, sizeof(table), "%s-methods", kind_all[kind]->word);
    bool is_inclusive = shown->layout == KIND_REPORT_INCLUSIVE;
    const struct report_methods calls = {
        .table = table,
        .of = shown->of,
        .unit = "ms",
        .per_unit = NS_PER_MS,
        .counts = shown->counts,
        .whole = is_inclusive ? 0 : sums_whole(profile_sums(profile, kind)),
        .is_inclusive = is_inclusive,
    };
    return report_methods(r, &calls, profile, rows, count);
}

static int print_monitors(const struct report_how *r, struct profile *profile, enum kind_id kind,
                          struct summary_row *rows, size_t count)
{
    uint64_t whole = sums_whole(profile_sums(profile, kind));
    if (r->top == 0)
        return 0;
    summary_sort_rows(rows, count, profile);
    struct tabular t = {0};
    if (report_rows_begin(r, &t, "contended-monitors", "monitor share ns entered method"))
        for (size_t i = 0; i < count; i++) {
            report_rows_string(&t, profile, rows[i].text);
            report_rows_share(&t, rows[i].cost, whole);
            tabular_unsigned(&t, rows[i].cost);
            tabular_unsigned(&t, rows[i].count);
            report_rows_top(r, &t, profile, rows[i].trace);
        }
    if (!report_rows_place(r, &t)) {
        tabular_done(&t);
        return 0;
    }
    fprintf(r->out, "\ncontended monitors by time\n%7s %12s  %11s  %s\n", "share", "ms", "entered",
            "monitor, and where it was entered");
    for (size_t i = 0; i < count && i < r->top; i++) {
        const struct summary_row *row = &rows[tabular_at(&t, i)];
        fprintf(r->out, "%6.2f%% %12" PRIu64 "  %11" PRIu64 "  ",
                report_text_percent(row->cost, whole), row->cost / NS_PER_MS, row->count);
        say_clean(r->out, report_text_of(profile, row->text));
        putc('\n', r->out);
        report_text_stack(r, profile, row->trace, i < r->traces ? UINT32_MAX : 1);
    }
    tabular_done(&t);
    return 0;
}

/* Prints "  317 ms in methods, 21 calls; 36 ms of it below the cutoff". */
static void print_times_head(const struct report_how *r, struct profile *profile, enum kind_id kind,
                             const struct summary_row *rows, size_t count)
{
    const struct kind_report *k = &kind_all[kind]->report;
    uint64_t whole = sums_whole(profile_sums(profile, kind)), shown = summary_cost(rows, count),
             counted = 0;
    for (size_t i = 0; i < count; i++)
        counted += rows[i].count;
    fputs("  ", r->out);
    if (k->head)
        fprintf(r->out, "%" PRIu64 " ms %s, ", whole / NS_PER_MS, k->head);
    fprintf(r->out, "%" PRIu64 " %s", counted, k->counts);
    /* The shares in the file are rounded, so a small difference means nothing. */
    if (k->head && whole > shown && whole - shown > whole / 100)
        fprintf(r->out, "; %" PRIu64 " ms of it, and their %s, %s", (whole - shown) / NS_PER_MS,
                k->counts, r->is_damaged ? "in rows that are missing" : "below the cutoff");
    putc('\n', r->out);
}

static int each_kind(const struct report_how *r, struct profile *profile, bool is_head)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        enum kind_report_layout layout = kind_all[kind]->report.layout;
        struct summary_row *rows;
        size_t count;
        bool is_of_calls = layout == KIND_REPORT_TIMES || layout == KIND_REPORT_INCLUSIVE;
        if ((!is_of_calls && layout != KIND_REPORT_ENTERS) ||
            !profile_sums(profile, kind)->is_measured)
            continue;
        int result = summary_rows(profile, kind, 0, &rows, &count);
        if (result < 0)
            return result;
        if (is_head)
            print_times_head(r, profile, kind, rows, count);
        else
            result = (is_of_calls ? print_calls : print_monitors)(r, profile, kind, rows, count);
        free(rows);
        if (result < 0)
            return result;
    }
    return 0;
}

int report_methods_times_head(const struct report_how *r, struct profile *profile)
{
    return each_kind(r, profile, true);
}

int report_methods_times(const struct report_how *r, struct profile *profile)
{
    return each_kind(r, profile, false);
}
