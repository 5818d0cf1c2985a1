/*
 * report_calls.c - see report_calls.h.
 *
 * What happened while a call lasted is found in the other events of the recording: those of the
 * same thread, and the pauses of all threads, whose time overlaps the call's. struct kind says how
 * events of a kind are counted. Samples stand for the time between two samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_calls.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "command/say.h"
#include "command/tabular.h"
#include "profile/found.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "profile/typed_events.h"
#include "reading/load.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_text.h"
#include "safe/clock.h"

enum {
    TIME = 0, /* indexes of the values of the kind */
    CALLS = 1,
    OFF_CARRIER = 2,
    LONGEST = 10, /* calls that are shown one by one */
    FRAMES = 4,   /* of the stack of each of them */
};

static const char timing[] = "jdk.MethodTiming";

static enum kind_id calls_kind(void)
{
    return series_named("method")->kind;
}

void report_calls_want(struct load_how *how)
{
    how->want.with_times = how->want.with_threads = how->want.with_types = true;
    how->want.types = timing;
}

static struct typed_type *timings_of(struct profile *profile)
{
    struct typed_events *all = profile_typed(profile);
    for (uint32_t i = 1; i <= typed_events_count(all); i++)
        if (strcmp(typed_events_at(all, i)->type.name, timing) == 0)
            return typed_events_at(all, i);
    return NULL;
}

bool report_calls_has(struct profile *profile)
{
    return profile_sums(profile, calls_kind())->rows.count > 0 || timings_of(profile);
}

/* ---- by method */

struct method {
    string_id name;
    uint64_t ns, calls, longest_ns, off_ns, thrown;
};

static int by_name(const void *left, const void *right)
{
    const struct method *l = left, *r = right;
    return l->name < r->name ? -1 : l->name > r->name;
}

static int by_time(const void *left, const void *right)
{
    const struct method *l = left, *r = right;
    if (l->ns != r->ns)
        return l->ns > r->ns ? -1 : 1;
    return by_name(left, right);
}

/* Adds up the rows of each method. Returns how many methods there are, ordered by name. */
static size_t add_up(const struct sums *sums, struct method *methods)
{
    size_t count = 0;
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *s = sums_at(sums, i);
        methods[i - 1] = (struct method){.name = s->text,
                                         .ns = s->value[TIME],
                                         .calls = s->value[CALLS],
                                         .off_ns = s->value[OFF_CARRIER],
                                         .thrown = s->klass ? s->value[CALLS] : 0};
    }
    qsort(methods, sums->rows.count, sizeof(*methods), by_name);
    for (uint32_t i = 0; i < sums->rows.count; i++) {
        if (count == 0 || methods[count - 1].name != methods[i].name) {
            methods[count++] = methods[i];
            continue;
        }
        methods[count - 1].ns += methods[i].ns;
        methods[count - 1].calls += methods[i].calls;
        methods[count - 1].off_ns += methods[i].off_ns;
        methods[count - 1].thrown += methods[i].thrown;
    }
    return count;
}

static void print_method(const struct report_how *r, struct profile *profile,
                         const struct method *m, uint64_t whole, bool has_off)
{
    fprintf(r->out, "%6.2f%% %10" PRIu64 " %12.3f %12.3f %8" PRIu64,
            report_text_percent(m->ns, whole), m->calls, (double)m->ns / NS_PER_MS,
            (double)m->longest_ns / NS_PER_MS, m->thrown);
    if (has_off)
        fprintf(r->out, " %12.3f", (double)m->off_ns / NS_PER_MS);
    fputs("  ", r->out);
    say_clean(r->out, report_text_of(profile, m->name));
    putc('\n', r->out);
}

static void print_methods(const struct report_how *r, struct profile *profile,
                          struct method *methods, size_t count)
{
    const struct sums *sums = profile_sums(profile, calls_kind());
    bool has_off = sums->total[OFF_CARRIER] > 0;
    if (count == 0 || r->top == 0)
        return;
    qsort(methods, count, sizeof(*methods), by_time);
    struct tabular t = {0};
    if (report_rows_begin(r, &t, "calls", "method share calls ns longest_ns thrown off_carrier_ns"))
        for (size_t i = 0; i < count; i++) {
            const struct method *m = &methods[i];
            report_rows_string(&t, profile, m->name);
            report_rows_share(&t, m->ns, sums->total[TIME]);
            tabular_unsigned(&t, m->calls);
            tabular_unsigned(&t, m->ns);
            tabular_unsigned(&t, m->longest_ns);
            tabular_unsigned(&t, m->thrown);
            tabular_unsigned(&t, m->off_ns);
        }
    if (!report_rows_place(r, &t)) {
        tabular_done(&t);
        return;
    }
    fprintf(r->out, "\nby method\n%7s %10s %12s %12s %8s%s  method\n", "share", "calls", "ms",
            "longest ms", "thrown", has_off ? "  off carrier" : "");
    for (size_t i = 0; i < count && i < r->top; i++)
        print_method(r, profile, &methods[tabular_at(&t, i)], sums->total[TIME], has_off);
    tabular_done(&t);
}

/* ---- the sums of all calls */

/* The place of a field among the values of the type; the number of values: it has no such field. */
static uint32_t field_of(const struct custom_type *type, const char *name)
{
    uint32_t i = 0;
    while (i < type->field_count && strcmp(type->fields[i].name, name) != 0)
        i++;
    return i;
}

/* The last event of a method. */
struct timed {
    const char *method;
    uint64_t time_ns;
    int64_t calls, mean_ns, least_ns, most_ns;
};

static int by_method(const void *left, const void *right)
{
    const struct timed *l = left, *r = right;
    int order = strcmp(l->method, r->method);
    if (order == 0)
        order = l->time_ns < r->time_ns ? -1 : l->time_ns > r->time_ns;
    return order;
}

static int by_whole_time(const void *left, const void *right)
{
    const struct timed *l = left, *r = right;
    double a = (double)l->mean_ns * (double)l->calls, b = (double)r->mean_ns * (double)r->calls;
    return a != b ? (a > b ? -1 : 1) : by_method(left, right);
}

/* The last event of each method: each event has the sums since the beginning. Methods of one name
 * and moment are different methods (overloads), and stay apart. */
static size_t take_timed(const struct typed_type *type, struct timed *rows)
{
    const struct custom_type *t = &type->type;
    uint32_t method = field_of(t, "method"), calls = field_of(t, "invocations"),
             least = field_of(t, "minimum"), mean = field_of(t, "average"),
             most = field_of(t, "maximum");
    size_t count = 0, kept = 0;
    uint32_t fields = t->field_count;
    if (method == fields || calls == fields || least == fields || mean == fields || most == fields)
        return 0;
    for (uint32_t i = 1; i <= type->kept.count; i++) {
        const struct typed_event *e = typed_events_kept(type, i);
        if (e->values[method].text)
            rows[count++] = (struct timed){e->values[method].text,  e->time_ns,
                                           e->values[calls].number, e->values[mean].number,
                                           e->values[least].number, e->values[most].number};
    }
    qsort(rows, count, sizeof(*rows), by_method);
    for (size_t i = 0, last; i < count; i = last + 1) {
        size_t first = i;
        for (last = i; last + 1 < count && strcmp(rows[last + 1].method, rows[i].method) == 0;)
            last++;
        while (rows[first].time_ns != rows[last].time_ns)
            first++;
        while (first <= last)
            rows[kept++] = rows[first++];
    }
    return kept;
}

/* A time in ms; "-" if it is not known. */
static void print_ms(const struct report_how *r, int64_t ns)
{
    if (ns >= 0)
        fprintf(r->out, " %12.6f", (double)ns / NS_PER_MS);
    else
        fprintf(r->out, " %12s", "-");
}

static void put_known(struct tabular *t, int64_t ns)
{
    if (ns >= 0)
        tabular_number(t, ns);
    else
        tabular_nothing(t);
}

static void fill_timings(const struct report_how *r, const struct timed *rows, size_t count,
                         struct tabular *t)
{
    if (!report_rows_begin(r, t, "timings", "method calls mean_ns shortest_ns longest_ns"))
        return;
    for (size_t i = 0; i < count; i++) {
        tabular_text(t, rows[i].method);
        tabular_number(t, rows[i].calls);
        put_known(t, rows[i].mean_ns);
        put_known(t, rows[i].least_ns);
        put_known(t, rows[i].most_ns);
    }
}

static int print_timings(const struct report_how *r, struct profile *profile)
{
    const struct typed_type *type = timings_of(profile);
    struct timed *rows = type ? calloc(type->kept.count + (size_t)1, sizeof(*rows)) : NULL;
    if (type && !rows)
        return -ENOMEM;
    size_t count = type ? take_timed(type, rows) : 0;
    struct tabular t = {0};
    if (count > 0 && r->top > 0) {
        qsort(rows, count, sizeof(*rows), by_whole_time);
        fill_timings(r, rows, count, &t);
        if (!report_rows_place(r, &t))
            count = 0;
    }
    if (count > 0 && r->top > 0) {
        fprintf(r->out, "\nall calls that have ended (%s)\n%10s %12s %12s %12s  method\n", timing,
                "calls", "mean ms", "shortest ms", "longest ms");
    }
    for (size_t i = 0; i < count && i < r->top; i++) {
        const struct timed *row = &rows[tabular_at(&t, i)];
        fprintf(r->out, "%10" PRId64, row->calls);
        print_ms(r, row->mean_ns);
        print_ms(r, row->least_ns);
        print_ms(r, row->most_ns);
        fputs("  ", r->out);
        say_clean(r->out, row->method);
        putc('\n', r->out);
    }
    tabular_done(&t);
    free(rows);
    return 0;
}

/* ---- the longest calls, and what happened inside */

struct call {
    uint64_t start_ns, end_ns, off_ns;
    const struct sum *sum;
    thread_id thread;
    struct {
        uint64_t number, events; /* ns of a span, or a sum */
    } inside[KIND_COUNT];
};

static thread_id thread_of(struct profile *profile, const struct sum *sum)
{
    return profile_trace_at(profile, sum->trace)->thread;
}

/* Finds the longest calls, and the longest one of each method; `methods` are ordered by name. */
static size_t find_longest(struct profile *profile, struct method *methods, size_t method_count,
                           struct call *calls)
{
    const struct sums *sums = profile_sums(profile, calls_kind());
    struct moments_at at = moments_begin(profile_moments(profile));
    size_t count = 0;
    struct moment m;
    while (moments_next(&at, &m)) {
        if (m.kind != calls_kind())
            continue;
        const struct sum *sum = sums_at(sums, m.row);
        const struct method key = {.name = sum->text};
        struct method *method = bsearch(&key, methods, method_count, sizeof(*methods), by_name);
        uint64_t ns = m.value[TIME];
        if (method && ns > method->longest_ns)
            method->longest_ns = ns;
        size_t place = count;
        while (place > 0 && calls[place - 1].end_ns - calls[place - 1].start_ns < ns)
            place--;
        if (place == LONGEST)
            continue;
        count += count < LONGEST;
        memmove(&calls[place + 1], &calls[place], (count - place - 1) * sizeof(*calls));
        calls[place] = (struct call){.start_ns = m.time_ns,
                                     .end_ns = m.time_ns + ns,
                                     .off_ns = m.value[OFF_CARRIER],
                                     .sum = sum,
                                     .thread = thread_of(profile, sum)};
    }
    return count;
}

/* How long both times overlap. */
static uint64_t overlap(const struct call *c, uint64_t start_ns, uint64_t length_ns)
{
    uint64_t end_ns = start_ns + length_ns;
    uint64_t from_ns = start_ns > c->start_ns ? start_ns : c->start_ns;
    uint64_t to_ns = end_ns < c->end_ns ? end_ns : c->end_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void add_moment(struct call *c, const struct moment *m, uint64_t sample_ns)
{
    bool is_in = m->time_ns >= c->start_ns && m->time_ns < c->end_ns;
    uint64_t part;
    switch (kind_all[m->kind]->inside) {
    case KIND_INSIDE_SAMPLES:
        part = is_in ? m->value[0] * sample_ns : 0;
        c->inside[m->kind].number += part;
        c->inside[m->kind].events += is_in ? m->value[0] : 0;
        return;
    case KIND_INSIDE_SPAN:
    case KIND_INSIDE_PAUSE:
        part = overlap(c, m->time_ns, m->value[0]);
        c->inside[m->kind].number += part;
        c->inside[m->kind].events += part > 0;
        return;
    case KIND_INSIDE_SUM:
        c->inside[m->kind].number += is_in ? m->value[0] : 0;
        c->inside[m->kind].events += is_in && m->value[0] > 0;
        return;
    default:
        return;
    }
}

/* Whether the moment is the call itself, or a call around it. */
static bool is_around(const struct call *c, const struct moment *m)
{
    return m->kind == calls_kind() && m->time_ns <= c->start_ns &&
           m->time_ns + m->value[TIME] >= c->end_ns;
}

static void look_inside(struct profile *profile, struct call *calls, size_t count)
{
    const struct moments *moments = profile_moments(profile);
    struct moments_at at = moments_begin(moments);
    struct moment m;
    while (moments_next(&at, &m)) {
        enum kind_inside how = kind_all[m.kind]->inside;
        thread_id thread = how == KIND_INSIDE_NOTHING
                               ? 0
                               : thread_of(profile, sums_at(profile_sums(profile, m.kind), m.row));
        for (size_t i = 0; how != KIND_INSIDE_NOTHING && i < count; i++) {
            bool is_same = calls[i].thread && calls[i].thread == thread;
            if ((how == KIND_INSIDE_PAUSE || is_same) && !is_around(&calls[i], &m))
                add_moment(&calls[i], &m, moments->sample_ns);
        }
    }
}

/* "1 pause", "9 pauses" */
static void print_count(FILE *out, uint64_t count, const char *words)
{
    size_t len = strlen(words);
    bool is_cut = count == 1 && len > 0 && words[len - 1] == 's';
    fprintf(out, "%" PRIu64 " %.*s", count, (int)(len - is_cut), words);
}

static void print_inside(const struct report_how *r, const struct call *c)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct kind *k = kind_all[kind];
        uint64_t number = c->inside[kind].number, events = c->inside[kind].events;
        bool is_sum = k->inside == KIND_INSIDE_SUM;
        const char *word = k->series[0].word ? k->series[0].word : k->word;
        if (events == 0)
            continue;
        fprintf(r->out, "    %-10s", kind == (int)calls_kind() ? "calls" : word);
        if (is_sum) {
            fprintf(r->out, " %12" PRIu64 " %s\n", number, k->values[0].words);
            continue;
        }
        fprintf(r->out, " %12.3f ms in ", (double)number / NS_PER_MS);
        print_count(r->out, events,
                    k->values[k->inside == KIND_INSIDE_SAMPLES ? TIME : CALLS].words);
        putc('\n', r->out);
    }
}

static void print_call(const struct report_how *r, struct profile *profile, const struct call *c)
{
    uint64_t from_ns = profile_found(profile)->from_ns;
    fprintf(r->out, "\n%12.3f ms  ", (double)(c->end_ns - c->start_ns) / NS_PER_MS);
    say_clean(r->out, report_text_of(profile, c->sum->text));
    fputs("\n    in ", r->out);
    if (c->thread)
        report_text_thread(r->out, profile, c->thread);
    else
        fputs("a thread that the recording does not tell apart: of it only pauses are known",
              r->out);
    if (from_ns && c->start_ns >= from_ns)
        fprintf(r->out, ", from second %.3f on", (double)(c->start_ns - from_ns) / NS_PER_S);
    if (c->sum->klass) {
        fputs(", ended by ", r->out);
        say_clean(r->out, report_text_of(profile, profile_class_at(profile, c->sum->klass)->name));
    }
    putc('\n', r->out);
    if (c->off_ns)
        fprintf(r->out, "    off        %12.3f ms without a carrier\n",
                (double)c->off_ns / NS_PER_MS);
    print_inside(r, c);
    report_text_stack(r, profile, c->sum->trace, FRAMES);
}

static void fill_longest(const struct report_how *r, struct profile *profile,
                         const struct call *calls, size_t count, struct tabular *t)
{
    uint64_t from_ns = profile_found(profile)->from_ns;
    if (!report_rows_begin(r, t, "longest-calls", "ns method thread at_ns off_carrier_ns ended_by"))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct call *c = &calls[i];
        tabular_unsigned(t, c->end_ns - c->start_ns);
        report_rows_string(t, profile, c->sum->text);
        report_rows_thread(t, profile, c->thread);
        if (from_ns && c->start_ns >= from_ns)
            tabular_unsigned(t, c->start_ns - from_ns);
        else
            tabular_nothing(t);
        tabular_unsigned(t, c->off_ns);
        report_rows_class(t, profile, c->sum->klass);
    }
}

static void print_longest(const struct report_how *r, struct profile *profile, struct call *calls,
                          size_t count)
{
    if (count == 0 || r->top == 0)
        return;
    struct tabular t = {0};
    fill_longest(r, profile, calls, count, &t);
    if (!report_rows_place(r, &t)) {
        tabular_done(&t);
        return;
    }
    look_inside(profile, calls, count);
    if (count == 1)
        fputs("\nthe longest call, and what happened in its thread meanwhile\n", r->out);
    else
        fprintf(r->out, "\nthe %zu longest calls, and what happened in their threads meanwhile\n",
                count);
    for (size_t i = 0; i < count && i < r->top; i++)
        print_call(r, profile, &calls[tabular_at(&t, i)]);
    tabular_done(&t);
}

int report_calls(const struct report_how *r, const char *title, struct profile *profile)
{
    const struct sums *sums = profile_sums(profile, calls_kind());
    struct method *methods = calloc(sums->rows.count + (size_t)1, sizeof(*methods));
    struct call *calls = calloc(LONGEST + 1, sizeof(*calls));
    int error = methods && calls ? 0 : -ENOMEM;
    if (!error) {
        size_t count = add_up(sums, methods), longest = 0;
        if (!profile_moments(profile)->is_broken)
            longest = find_longest(profile, methods, count, calls);
        say_clean(r->out, title);
        fprintf(r->out, ": %s\n", kind_all[calls_kind()]->title);
        if (count > 0)
            fprintf(r->out, "  %" PRIu64 " calls, %.3f ms\n", sums->total[CALLS],
                    (double)sums->total[TIME] / NS_PER_MS);
        print_methods(r, profile, methods, count);
        error = print_timings(r, profile);
        print_longest(r, profile, calls, longest);
    }
    free(methods);
    free(calls);
    return error;
}
