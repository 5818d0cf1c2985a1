/*
 * report_times.c - see report_times.h.
 *
 * A table of the file has shares of its total with two digits, so times here are as exact as that.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/report_times.h"
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/report_how.h"
#include "cli/report_methods.h"
#include "cli/report_text.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "profile/sums.h"
#include "safe/clock.h"

static int print_shares(const struct report_how *r, struct profile *profile, enum event_kind kind,
                        const char *of, struct summary_row *rows, size_t count)
{
    const struct report_methods calls = {
        .of = of,
        .unit = "ms",
        .per_unit = NS_PER_MS,
        .counts = "calls",
        .whole = sums_whole(profile_sums(profile, kind)),
    };
    return report_methods(r, &calls, profile, rows, count);
}

static int print_calls(const struct report_how *r, struct profile *profile,
                       struct summary_row *rows, size_t count)
{
    return print_shares(r, profile, EVENT_CALL, ": cpu=times", rows, count);
}

static int print_open(const struct report_how *r, struct profile *profile, struct summary_row *rows,
                      size_t count)
{
    return print_shares(r, profile, EVENT_OPEN_CALL, ": calls that had not ended", rows, count);
}

static int print_waits(const struct report_how *r, struct profile *profile,
                       struct summary_row *rows, size_t count)
{
    return print_shares(r, profile, EVENT_WAIT, ": waiting, not work", rows, count);
}

static int print_open_waits(const struct report_how *r, struct profile *profile,
                            struct summary_row *rows, size_t count)
{
    return print_shares(r, profile, EVENT_OPEN_WAIT, ": waits that had not ended", rows, count);
}

static int print_old(const struct report_how *r, struct profile *profile, struct summary_row *rows,
                     size_t count)
{
    static const struct report_methods old = {
        .of = ": cpu=old",
        .unit = "ms",
        .per_unit = NS_PER_MS,
        .counts = "calls",
        .is_inclusive = true,
    };
    return report_methods(r, &old, profile, rows, count);
}

static int print_monitors(const struct report_how *r, struct profile *profile,
                          struct summary_row *rows, size_t count)
{
    uint64_t whole = sums_whole(profile_sums(profile, EVENT_ENTER));
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

/* One row a table: its words at the top, and who prints it. */
static const struct kind {
    enum event_kind kind;
    const char *head; /* "NUMBER ms" goes before it, then "NUMBER" and the next */
    const char *counts;
    int (*print)(const struct report_how *r, struct profile *profile, struct summary_row *rows,
                 size_t count);
} kinds[] = {
    {EVENT_CALL, "in methods", "calls", print_calls},
    {EVENT_OPEN_CALL, "in calls that had not ended at the dump", "calls", print_open},
    {EVENT_WAIT, "of waiting, in calls that do nothing else", "calls", print_waits},
    {EVENT_OPEN_WAIT, "of waits that had not ended at the dump", "calls", print_open_waits},
    {EVENT_OLD_CALL, NULL, "calls", print_old}, /* times of callers hold those of callees: no sum */
    {EVENT_ENTER, "of waiting to enter monitors", "times", print_monitors},
};

/* "  317 ms in methods, 21 calls; 36 ms of it below the cutoff" */
static void print_head(const struct report_how *r, struct profile *profile, const struct kind *k,
                       const struct summary_row *rows, size_t count)
{
    uint64_t whole = sums_whole(profile_sums(profile, k->kind)), shown = summary_cost(rows, count),
             counted = 0;
    for (size_t i = 0; i < count; i++)
        counted += rows[i].count;
    fputs("  ", r->out);
    if (k->head)
        fprintf(r->out, "%" PRIu64 " ms %s, ", whole / NS_PER_MS, k->head);
    fprintf(r->out, "%" PRIu64 " %s", counted, k->counts);
    /* Each share is rounded, so a little less is nothing. */
    if (k->head && whole > shown && whole - shown > whole / 100)
        fprintf(r->out, "; %" PRIu64 " ms of it, and their %s, %s", (whole - shown) / NS_PER_MS,
                k->counts, r->is_damaged ? "in rows that are missing" : "below the cutoff");
    putc('\n', r->out);
}

static int each_kind(const struct report_how *r, struct profile *profile, bool is_head)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct summary_row *rows;
        size_t count;
        int result = 0;
        if (profile_sums(profile, kinds[i].kind)->tables == 0)
            continue;
        result = summary_rows(profile, kinds[i].kind, 0, &rows, &count);
        if (result < 0)
            return result;
        if (is_head)
            print_head(r, profile, &kinds[i], rows, count);
        else
            result = kinds[i].print(r, profile, rows, count);
        free(rows);
        if (result < 0)
            return result;
    }
    return 0;
}

int report_times_head(const struct report_how *r, struct profile *profile)
{
    return each_kind(r, profile, 1);
}

int report_times(const struct report_how *r, struct profile *profile)
{
    return each_kind(r, profile, 0);
}
