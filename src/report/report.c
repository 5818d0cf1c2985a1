/*
 * report.c - prints the summary of a profile as text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/plural.h"
#include "report/report_methods.h"
#include "report/report_monitors.h"
#include "report/report_series.h"
#include "report/report_sums.h"
#include "report/report_text.h"
#include "command/say.h"
#include "report/summary.h"
#include "report/trust.h"
#include "format/hprof_file.h"
#include "profile/series.h"
#include "profile/sums.h"

enum { WIDTH_DEFAULT = 120, WIDTH_MIN = 40 };

size_t report_width(FILE *out)
{
    const char *env = getenv("COLUMNS");
    struct winsize size = {0};
    if (!isatty(fileno(out)))
        return 0;
    size_t width = env ? strtoul(env, NULL, 10) : 0;
    if (width == 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0)
        width = WIDTH_DEFAULT;
    return width < WIDTH_MIN ? WIDTH_MIN : width;
}

/* Prints a line for each kind of table that the file has, except CPU samples. */
static int print_found(const struct report_how *r, struct profile *profile)
{
    const struct hprof_file *f = hprof_file_of(profile);
    const struct sums *sites = profile_sums(profile, kind_of_report(KIND_REPORT_SITES));
    uint64_t wall = sums_whole(profile_sums(profile, kind_of_report(KIND_REPORT_WALL)));
    if (wall > 0)
        fprintf(r->out, "  %" PRIu64 " sample%s of wall-clock time\n", wall, plural_s(wall));
    int result = report_methods_times_head(r, profile);

    report_monitors_head(r, profile);
    if (sites->is_measured)
        fprintf(r->out, "  %" PRIu32 " allocation site%s\n", sites->rows.count,
                plural_s(sites->rows.count));
    report_sums_histo_head(r, profile);
    if (f->heap_dumps > 0) {
        fprintf(r->out, "  %" PRIu32 " heap dump%s", f->heap_dumps, plural_s(f->heap_dumps));
        if (f->heap_objects > 0)
            fprintf(r->out, ", the last of %" PRIu64 " object%s, %" PRIu64 " bytes",
                    f->heap_objects, plural_s(f->heap_objects), f->heap_bytes);
        fputs(": see 'hprof heap'\n", r->out);
    }
    return result;
}

static bool has_tables(struct profile *profile)
{
    const struct hprof_file *f = hprof_file_of(profile);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (profile_sums(profile, kind)->is_measured)
            return true;
    return f->monitor_dumps > 0 || f->heap_dumps > 0;
}

/* Whether the file has tables, and none of them has a row. */
static bool is_empty(struct profile *profile)
{
    const struct hprof_file *f = hprof_file_of(profile);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (profile_sums(profile, kind)->rows.count > 0)
            return false;
    return has_tables(profile) && f->monitor_dumps == 0 && f->heap_dumps == 0;
}

static int print_others(const struct report_how *r, struct profile *profile)
{
    int result = 0;
    for (int kind = 0; kind < KIND_COUNT && result == 0; kind++)
        if (kind_all[kind]->report.layout == KIND_REPORT_EVENTS &&
            profile_sums(profile, kind)->rows.count > 0)
            result = report_sums_events(r, profile, kind);
    return result;
}

static uint64_t count_empty(struct profile *profile, const struct summary_row *rows, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        if (profile_trace_at(profile, rows[i].trace)->depth == 0)
            sum += rows[i].cost;
    return sum;
}

static int print_all(const struct report_how *r, struct profile *profile, struct summary_row *rows,
                     size_t count)
{
    /* A file may leave out the rows of a table below a cutoff. The total of the table counts these
     * rows, so percentages are parts of `whole` and not of `ticks`. */
    uint64_t ticks = summary_cost(rows, count),
             whole = sums_whole(profile_sums(profile, KIND_SAMPLE)),
             empty = count_empty(profile, rows, count);
    const struct report_methods samples = {
        .table = "methods",
        .of = "",
        .unit = "samples",
        .per_unit = 1,
        .whole = whole,
        .percent_cut = trust_percent_cut(profile),
    };
    char drawable[TRUST_DRAWABLE];
    int result;

    trust_print(r->out, profile, whole, r->is_verbose);
    if (empty > 0)
        fprintf(r->out, "  %" PRIu64 " sample%s (%.2f%%) %s no Java stack\n", empty,
                plural_s(empty), report_text_percent(empty, whole),
                plural_of(empty, "has", "have"));
    result = print_found(r, profile);
    if (!has_tables(profile))
        fputs(r->is_damaged ? "  no tables before the damage\n"
                            : "  no tables: a JVM that is killed, or that has doe=n, writes none\n",
              r->out);
    else if (is_empty(profile) && !r->is_damaged)
        fprintf(r->out, "  its tables are empty: %s\n",
                trust_drawable(profile, drawable, sizeof(drawable))
                    ? drawable
                    : "nothing of what was measured happened, or was kept");
    if (result == 0 && ticks > 0)
        result = report_methods(r, &samples, profile, rows, count);
    if (result == 0)
        result = report_series_methods(r, profile, series_named("wall"), ": wall-clock time");
    if (result == 0)
        result = report_methods_times(r, profile);
    if (result == 0 && r->top > 0)
        result = report_monitors(r, profile);
    if (result == 0 && r->top > 0)
        result = report_sums_sites(r, profile);
    if (result == 0 && r->top > 0)
        result = report_sums_histo(r, profile);
    if (result == 0 && r->top > 0)
        result = print_others(r, profile);
    return result;
}

int report_print(const struct report_how *r, const char *title, struct profile *profile)
{
    struct summary_row *rows;
    size_t count;
    int result = summary_rows(profile, KIND_SAMPLE, 0, &rows, &count);
    if (result < 0)
        return result;
    say_clean(r->out, title);
    if (profile_program(profile) != 0) {
        fputs(", of ", r->out);
        say_clean(r->out, report_text_of(profile, profile_program(profile)));
    }
    putc('\n', r->out);
    result = print_all(r, profile, rows, count);
    free(rows);
    return result;
}
