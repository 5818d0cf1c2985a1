/*
 * report_times.c - see report_times.h.
 *
 * A table in the file has shares of its total with two digits, so the times here are no more exact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_times.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/report_how.h"
#include "report/report_methods.h"
#include "report/report_text.h"
#include "command/say.h"
#include "report/summary.h"
#include "profile/sums.h"
#include "safe/clock.h"

/* Prints methods by the time of their calls. */
static int print_calls(const struct report_how *r, struct profile *profile, enum kind_id kind,
                       struct summary_row *rows, size_t count)
{
    const struct kind_report *shown = &kind_all[kind]->report;
    bool is_inclusive = shown->layout == KIND_REPORT_INCLUSIVE;
    const struct report_methods calls = {
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
    fprintf(r->out, "\ncontended monitors by time\n%7s %12s  %11s  %s\n", "share", "ms", "entered",
            "monitor, and where it was entered");
    for (size_t i = 0; i < count && i < r->top; i++) {
        fprintf(r->out, "%6.2f%% %12" PRIu64 "  %11" PRIu64 "  ",
                report_text_percent(rows[i].cost, whole), rows[i].cost / NS_PER_MS, rows[i].count);
        say_clean(r->out, report_text_of(profile, rows[i].text));
        putc('\n', r->out);
        report_text_stack(r, profile, rows[i].trace, i < r->traces ? UINT32_MAX : 1);
    }
    return 0;
}

/* Prints "  317 ms in methods, 21 calls; 36 ms of it below the cutoff". */
static void print_head(const struct report_how *r, struct profile *profile, enum kind_id kind,
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
            profile_sums(profile, kind)->tables == 0)
            continue;
        int result = summary_rows(profile, kind, 0, &rows, &count);
        if (result < 0)
            return result;
        if (is_head)
            print_head(r, profile, kind, rows, count);
        else
            result = (is_of_calls ? print_calls : print_monitors)(r, profile, kind, rows, count);
        free(rows);
        if (result < 0)
            return result;
    }
    return 0;
}

int report_times_head(const struct report_how *r, struct profile *profile)
{
    return each_kind(r, profile, true);
}

int report_times(const struct report_how *r, struct profile *profile)
{
    return each_kind(r, profile, false);
}
