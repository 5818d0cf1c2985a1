/*
 * report_ttsp.c - see report_ttsp.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_ttsp.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/plural.h"
#include "command/say.h"
#include "command/tabular.h"
#include "profile/found.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_series.h"
#include "report/report_text.h"
#include "safe/clock.h"

enum {
    TIME, /* indexes of the values of the kind */
    STOPS,
    WORST = 10,
    FRAMES = 6, /* of each of the worst */
    BAR = 40,   /* columns of the longest bar */
};

/* The classes of lengths end here, in ms; the last class has no end. */
static const uint32_t ends_ms[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
enum { CLASSES = sizeof(ends_ms) / sizeof(ends_ms[0]) + 1 };

static int by_time(const void *left, const void *right)
{
    const struct moment *l = left, *r = right;
    if (l->value[TIME] != r->value[TIME])
        return l->value[TIME] > r->value[TIME] ? -1 : 1;
    return l->time_ns < r->time_ns ? -1 : l->time_ns > r->time_ns;
}

/* Copies the moments of the kind. Returns how many there are; `ret` has room for all moments. */
static size_t take_moments(const struct moments *all, enum kind_id kind, struct moment *ret)
{
    struct moments_at at = moments_begin(all);
    size_t count = 0;
    while (moments_next(&at, &ret[count]))
        count += ret[count].kind == kind;
    return count;
}

/* ---- how often for how long */

/* The length of each safepoint of a moment: a look that finds several knows only their sum. */
static uint64_t length_of(const struct moment *m)
{
    return m->value[STOPS] > 1 ? m->value[TIME] / m->value[STOPS] : m->value[TIME];
}

static size_t class_of(uint64_t ns)
{
    size_t i = 0;
    while (i < CLASSES - 1 && ns >= (uint64_t)ends_ms[i] * NS_PER_MS)
        i++;
    return i;
}

static void print_bar(const struct report_how *r, uint64_t count, uint64_t most)
{
    for (uint64_t i = 0; i < (count * BAR + most - 1) / most; i++)
        putc('#', r->out);
    putc('\n', r->out);
}

static void print_classes(const struct report_how *r, const struct moment *moments, size_t count)
{
    uint64_t stops[CLASSES] = {0}, most = 0;
    size_t first = CLASSES, last = 0;
    for (size_t i = 0; i < count; i++) {
        size_t class = class_of(length_of(&moments[i]));
        stops[class] += moments[i].value[STOPS];
        first = class < first ? class : first;
        last = class > last ? class : last;
        most = stops[class] > most ? stops[class] : most;
    }
    if (most == 0)
        return;
    struct tabular t = {0};
    if (report_rows_begin(r, &t, "ttsp-lengths", "from_ms to_ms stops"))
        for (size_t i = first; i <= last && i < CLASSES; i++) {
            tabular_unsigned(&t, i > 0 ? ends_ms[i - 1] : 0);
            if (i < CLASSES - 1)
                tabular_unsigned(&t, ends_ms[i]);
            else
                tabular_nothing(&t);
            tabular_unsigned(&t, stops[i]);
        }
    if (!report_rows_place(r, &t))
        last = 0, first = CLASSES;
    else
        fprintf(r->out, "\n%16s %8s\n", "ms", "stops");
    for (size_t at = first; at <= last && at < CLASSES; at++) {
        size_t i = first + tabular_at(&t, at - first);
        uint32_t from = i > 0 ? ends_ms[i - 1] : 0;
        if (i < CLASSES - 1)
            fprintf(r->out, "%6" PRIu32 " to %6" PRIu32, from, ends_ms[i]);
        else
            fprintf(r->out, "%6" PRIu32 " or more", from);
        fprintf(r->out, " %8" PRIu64 "%s", stops[i], stops[i] > 0 ? "  " : "");
        print_bar(r, stops[i], most);
    }
    tabular_done(&t);
}

/* ---- the worst */

static void print_worst(const struct report_how *r, struct profile *profile, const struct moment *m)
{
    const struct sum *sum = sums_at(profile_sums(profile, m->kind), m->row);
    uint64_t from_ns = profile_found(profile)->from_ns;
    thread_id thread = profile_trace_at(profile, sum->trace)->thread;
    fprintf(r->out, "%10.3f", (double)m->value[TIME] / NS_PER_MS);
    if (from_ns && m->time_ns >= from_ns)
        fprintf(r->out, " %9.3fs", (double)(m->time_ns - from_ns) / NS_PER_S);
    else
        fprintf(r->out, " %10s", "-");
    fputs("  ", r->out);
    if (sum->text)
        say_clean(r->out, report_text_of(profile, sum->text));
    else
        fputs("(not known)", r->out);
    fputs(": ", r->out);
    if (thread)
        report_text_thread(r->out, profile, thread);
    else
        fputs("no thread was seen late", r->out);
    if (m->value[STOPS] > 1)
        fprintf(r->out, " (%" PRIu64 " safepoints together)", m->value[STOPS]);
    putc('\n', r->out);
    report_text_stack(r, profile, sum->trace, FRAMES);
}

static void fill_worst(const struct report_how *r, struct profile *profile,
                       const struct moment *moments, size_t count, struct tabular *t)
{
    uint64_t from_ns = profile_found(profile)->from_ns;
    if (!report_rows_begin(r, t, "ttsp-worst", "ns at_ns stops operation thread method"))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct moment *m = &moments[i];
        const struct sum *sum = sums_at(profile_sums(profile, m->kind), m->row);
        tabular_unsigned(t, m->value[TIME]);
        if (from_ns && m->time_ns >= from_ns)
            tabular_unsigned(t, m->time_ns - from_ns);
        else
            tabular_nothing(t);
        tabular_unsigned(t, m->value[STOPS]);
        report_rows_string(t, profile, sum->text);
        report_rows_thread(t, profile, profile_trace_at(profile, sum->trace)->thread);
        report_rows_top(r, t, profile, sum->trace);
    }
}

/* ---- all */

static bool has_stacks(struct profile *profile, const struct sums *sums)
{
    for (uint32_t i = 1; i <= sums->rows.count; i++)
        if (profile_trace_at(profile, sums_at(sums, i)->trace)->depth > 0)
            return true;
    return false;
}

static void print_head(const struct report_how *r, const char *title, struct profile *profile,
                       const struct sums *sums)
{
    uint64_t stops = sums->total[STOPS], shorter = quality_value(profile, QUALITY_TTSP_SHORTER),
             resolution = quality_value(profile, QUALITY_TTSP_RESOLUTION);
    say_clean(r->out, title);
    fprintf(r->out,
            ": time to safepoint\n  %" PRIu64 " safepoint%s: the VM waited %.3f ms for threads\n",
            stops, plural_s(stops), (double)sums->total[TIME] / NS_PER_MS);
    if (shorter > 0)
        fprintf(r->out, "  %" PRIu64 " more that %s short: %.3f ms together\n", shorter,
                plural_of(shorter, "was", "were"),
                (double)quality_value(profile, QUALITY_TTSP_SHORTER_TIME) / NS_PER_MS);
    if (resolution == 1)
        fputs("  the VM has measured these times\n", r->out);
    else if (resolution > 1)
        fprintf(r->out, "  these times are as exact as the agent's looks are near: %.3f ms\n",
                (double)resolution / NS_PER_MS);
}

int report_ttsp(const struct report_how *r, const char *title, struct profile *profile)
{
    const struct series *ttsp = series_named("ttsp");
    const struct moments *all = profile_moments(profile);
    const struct sums *sums = profile_sums(profile, ttsp->kind);
    struct moment *moments = calloc(all->count + (size_t)1, sizeof(*moments));
    if (!moments)
        return -ENOMEM;
    size_t count = all->is_broken ? 0 : take_moments(all, ttsp->kind, moments);
    qsort(moments, count, sizeof(*moments), by_time);
    print_head(r, title, profile, sums);
    if (r->top > 0)
        print_classes(r, moments, count);
    struct tabular t = {0};
    if (r->top > 0 && count > 0) {
        fill_worst(r, profile, moments, count, &t);
        if (!report_rows_place(r, &t))
            count = 0;
    }
    if (r->top > 0 && count > 0)
        fprintf(r->out, "\nthe worst\n%10s %10s  %s\n", "ms", "at",
                "operation: the last thread to come");
    for (size_t i = 0; i < count && i < WORST && i < r->top; i++)
        print_worst(r, profile, &moments[tabular_at(&t, i)]);
    tabular_done(&t);
    free(moments);
    return has_stacks(profile, sums) ? report_series_methods(r, profile, ttsp, "") : 0;
}
