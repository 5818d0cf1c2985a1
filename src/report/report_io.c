/*
 * report_io.c - see report_io.h.
 *
 * The place of a call is the innermost method of the program's own: neither of a native library nor
 * of the JDK, whose methods are the same for all calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_io.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "command/say.h"
#include "command/tabular.h"
#include "profile/frame_kind.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_text.h"
#include "safe/clock.h"

enum { TIME, CALLS, READ, WRITTEN, VALUES }; /* indexes of the values of the kind */

/* All rows with the same text, or with the same place. */
struct group {
    uint32_t key; /* a string_id, or a method_id; 0: there is none */
    trace_id trace;
    uint64_t value[VALUES];
    uint64_t longest_ns; /* 0: unknown */
};

/* ---- places */

static bool is_of_jdk(const char *name)
{
    static const char *const prefixes[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Whether the class is a library: "libnet.so", "libc.so.6". Text files do not tell otherwise that a
 * frame is native. */
static bool is_library(const char *name)
{
    const char *suffix = strstr(name, ".so");
    return suffix && (!suffix[3] || suffix[3] == '.');
}

static bool is_of_program(struct profile *profile, const struct profile_frame *frame)
{
    const struct profile_method *method = profile_method_at(profile, frame->method);
    if (!method->klass || !frame_kind_is_java(frame->kind))
        return false;
    const char *name = report_text_of(profile, profile_class_at(profile, method->klass)->name);
    return !is_of_jdk(name) && !is_library(name);
}

/* The method that is the place of a stack; 0: the stack has no frames. */
static method_id place_of(struct profile *profile, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(profile, id);
    for (uint32_t i = 0; i < trace->depth; i++) {
        const struct profile_frame *frame = profile_frame_at(profile, trace->frames[i]);
        if (is_of_program(profile, frame))
            return frame->method;
    }
    return trace->depth > 0 ? profile_frame_at(profile, trace->frames[0])->method : 0;
}

/* ---- groups */

/* The longest call of each row, by its number. NULL: no memory. Owner: free(). */
static uint64_t *find_longest(struct profile *profile, const struct series *s,
                              const struct sums *sums)
{
    const struct moments *moments = profile_moments(profile);
    struct moments_at at = moments_begin(moments);
    uint64_t *longest = calloc(sums->rows.count + (size_t)1, sizeof(*longest));
    struct moment m;
    while (longest && !moments->is_broken && moments_next(&at, &m))
        if (m.kind == s->kind && m.row <= sums->rows.count && m.value[TIME] > longest[m.row])
            longest[m.row] = m.value[TIME];
    return longest;
}

static int by_key(const void *left, const void *right)
{
    const struct group *l = left, *r = right;
    return l->key < r->key ? -1 : l->key > r->key;
}

static int by_time(const void *left, const void *right)
{
    const struct group *l = left, *r = right;
    for (int i = 0; i < VALUES; i++)
        if (l->value[i] != r->value[i])
            return l->value[i] > r->value[i] ? -1 : 1;
    return by_key(left, right);
}

/* Add up the groups with equal keys. Returns how many are left. */
static size_t merge(struct group *groups, size_t count)
{
    size_t last = 0;
    qsort(groups, count, sizeof(*groups), by_key);
    for (size_t i = 1; i < count; i++) {
        struct group *to = &groups[last], *from = &groups[i];
        if (to->key != from->key) {
            groups[++last] = *from;
            continue;
        }
        for (int v = 0; v < VALUES; v++)
            to->value[v] += from->value[v];
        if (from->longest_ns > to->longest_ns)
            to->longest_ns = from->longest_ns;
    }
    count = count > 0 ? last + 1 : 0;
    qsort(groups, count, sizeof(*groups), by_time);
    return count;
}

static void fill(struct profile *profile, const struct sums *sums, const uint64_t *longest,
                 bool by_place, struct group *groups)
{
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        struct group *g = &groups[i - 1];
        *g = (struct group){.key = by_place ? place_of(profile, sum->trace) : sum->text,
                            .trace = sum->trace,
                            .longest_ns = longest[i]};
        memcpy(g->value, sum->value, sizeof(g->value));
    }
}

/* ---- tables */

static void put_ms(FILE *out, int width, uint64_t ns)
{
    uint64_t us = (ns + NS_PER_US / 2) / NS_PER_US;
    fprintf(out, "%*" PRIu64 ".%03" PRIu64, width, us / 1000, us % 1000);
}

static void put_group(const struct report_how *r, const struct group *g, uint64_t whole_ns)
{
    fprintf(r->out, "%6.2f%% ", report_text_percent(g->value[TIME], whole_ns));
    put_ms(r->out, 10, g->value[TIME]);
    if (g->longest_ns)
        put_ms(r->out, 7, g->longest_ns);
    else
        fprintf(r->out, "%11s", "-");
    fprintf(r->out, " %9" PRIu64 " %14" PRIu64 " %14" PRIu64 "  ", g->value[CALLS], g->value[READ],
            g->value[WRITTEN]);
}

static void put_place(const struct report_how *r, struct profile *profile, const struct group *g)
{
    const struct profile_method *method = g->key ? profile_method_at(profile, g->key) : NULL;
    const char *klass =
        method && method->klass
            ? report_text_of(profile, profile_class_at(profile, method->klass)->name)
            : "";
    if (method)
        report_text_name(r->out, klass, report_text_of(profile, method->name), 0);
    else
        fputs("(no stack)", r->out);
}

static void fill_rows(const struct report_how *r, struct profile *profile,
                      const struct group *groups, size_t count, uint64_t whole_ns, bool by_place,
                      struct tabular *t)
{
    if (!report_rows_begin(r, t, by_place ? "io-places" : "io-files", by_place ? "method" : "file"))
        return;
    tabular_columns(t, "share ns longest_ns calls bytes_read bytes_written");
    for (size_t i = 0; i < count; i++) {
        const struct group *g = &groups[i];
        const struct profile_method *method =
            by_place && g->key ? profile_method_at(profile, g->key) : NULL;
        if (method)
            report_rows_method(
                t,
                method->klass
                    ? report_text_of(profile, profile_class_at(profile, method->klass)->name)
                    : "",
                report_text_of(profile, method->name));
        else
            report_rows_string(t, profile, by_place ? 0 : g->key);
        report_rows_share(t, g->value[TIME], whole_ns);
        tabular_unsigned(t, g->value[TIME]);
        if (g->longest_ns)
            tabular_unsigned(t, g->longest_ns);
        else
            tabular_nothing(t);
        tabular_unsigned(t, g->value[CALLS]);
        tabular_unsigned(t, g->value[READ]);
        tabular_unsigned(t, g->value[WRITTEN]);
    }
}

static int print_groups(const struct report_how *r, struct profile *profile,
                        const struct sums *sums, const uint64_t *longest, bool by_place)
{
    struct group *groups = calloc(sums->rows.count + (size_t)1, sizeof(*groups));
    if (!groups)
        return -ENOMEM;
    fill(profile, sums, longest, by_place, groups);
    size_t count = merge(groups, sums->rows.count);
    struct tabular t = {0};
    if (count > 0 && r->top > 0) {
        fill_rows(r, profile, groups, count, sums->total[TIME], by_place, &t);
        if (!report_rows_place(r, &t))
            count = 0;
    }
    if (count > 0 && r->top > 0)
        fprintf(r->out, "\nby %s\n%7s %14s %10s %9s %14s %14s  %s\n",
                by_place ? "place" : "file or peer", "share", "ms", "longest", "calls",
                "bytes read", "bytes written", by_place ? "method" : "file or peer");
    for (size_t i = 0; i < count && i < r->top; i++) {
        const struct group *g = &groups[tabular_at(&t, i)];
        put_group(r, g, sums->total[TIME]);
        if (by_place)
            put_place(r, profile, g);
        else
            say_clean(r->out, g->key ? report_text_of(profile, g->key) : "(none)");
        putc('\n', r->out);
        if (by_place && i < r->traces)
            report_text_stack(r, profile, g->trace, UINT32_MAX);
    }
    tabular_done(&t);
    free(groups);
    return 0;
}

/* ---- the head: what is shown, and what is not */

/* The counts of calls that are no events. */
struct left {
    enum quality calls, ns, read, written;
    const char *words;
};

static void print_left(const struct report_how *r, struct profile *profile, const struct sums *sums,
                       const struct left *left)
{
    uint64_t calls = quality_value(profile, left->calls), ns = quality_value(profile, left->ns),
             read = quality_value(profile, left->read),
             written = quality_value(profile, left->written);
    if (calls == 0)
        return;
    fprintf(r->out,
            "  not shown: %" PRIu64 " call%s %s, %" PRIu64 " bytes read, %" PRIu64
            " bytes written (%.2f%% of all bytes), ",
            calls, plural_s(calls), left->words, read, written,
            report_text_percent(read + written,
                                read + written + sums->total[READ] + sums->total[WRITTEN]));
    put_ms(r->out, 1, ns);
    fprintf(r->out, " ms (%.2f%% of the time)\n", report_text_percent(ns, ns + sums->total[TIME]));
}

static void print_head(const struct report_how *r, struct profile *profile, const struct sums *sums)
{
    static const struct left lefts[] = {
        {QUALITY_IO_SHORTER, QUALITY_IO_SHORTER_TIME, QUALITY_IO_SHORTER_READ,
         QUALITY_IO_SHORTER_WRITTEN, "below the threshold"},
        {QUALITY_IO_THROTTLED, QUALITY_IO_THROTTLED_TIME, QUALITY_IO_THROTTLED_READ,
         QUALITY_IO_THROTTLED_WRITTEN, "left out for iorate="},
    };
    fprintf(r->out, "  %" PRIu64 " call%s, %" PRIu64 " bytes read, %" PRIu64 " bytes written, ",
            sums->total[CALLS], plural_s(sums->total[CALLS]), sums->total[READ],
            sums->total[WRITTEN]);
    put_ms(r->out, 1, sums->total[TIME]);
    fputs(" ms\n", r->out);
    for (size_t i = 0; i < sizeof(lefts) / sizeof(lefts[0]); i++)
        print_left(r, profile, sums, &lefts[i]);
    uint64_t lost = quality_value(profile, QUALITY_IO_LOST);
    if (lost > 0)
        fprintf(r->out, "  lost for lack of room: %" PRIu64 " call%s\n", lost, plural_s(lost));
}

int report_io(const struct report_how *r, const char *title, struct profile *profile)
{
    const struct series *s = series_named("io");
    const struct sums *sums = profile_sums(profile, s->kind);
    uint64_t *longest = find_longest(profile, s, sums);
    if (!longest)
        return -ENOMEM;
    say_clean(r->out, title);
    fprintf(r->out, ": %s\n", kind_all[s->kind]->title);
    print_head(r, profile, sums);
    int result = print_groups(r, profile, sums, longest, false);
    if (result == 0)
        result = print_groups(r, profile, sums, longest, true);
    free(longest);
    return result;
}
