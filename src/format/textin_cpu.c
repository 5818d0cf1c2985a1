/*
 * textin_cpu.c - see textin_cpu.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin_cpu.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/hprof_file.h"
#include "profile/quality.h"
#include "profile/sums.h"
#include "safe/clock.h"

/* The first columns of a row of CPU SAMPLES, CPU TIME and MONITOR TIME. */
struct row {
    uint64_t rank;
    uint32_t self_hundredths; /* of a percent */
    uint64_t count;
    uint32_t trace; /* serial number */
};

/* Takes the first columns of a row, and the blanks behind them, off `s`. Returns false if they are
 * not there. */
static bool take_row(struct textin_span *s, struct row *ret_row)
{
    struct row row;
    uint64_t serial;
    uint32_t accum;
    if (!textin_column(s, &row.rank))
        return false;
    textin_percent(s, &row.self_hundredths);
    textin_percent(s, &accum);
    if (!textin_column(s, &row.count) || !textin_column(s, &serial) || serial > UINT32_MAX)
        return false;
    textin_skip_blanks(s);
    row.trace = (uint32_t)serial;
    *ret_row = row;
    return true;
}

/* "  12 345678901": the time of the row of this rank, in ns. */
static void read_exact_row(struct textin *t, struct textin_span s)
{
    struct textin_exact *e = &t->exact;
    uint64_t rank, ns;
    if (!textin_column(&s, &rank) || !textin_column(&s, &ns) || rank != e->count + UINT64_C(1) ||
        e->count == TABLE_ROWS_MAX) {
        textin_fail(t, E_FORMAT, "a row of exact times that is not the next rank and ns");
        return;
    }
    if (e->count == e->room) {
        uint32_t room = e->room ? e->room * 2 : 256;
        uint64_t *more = realloc(e->ns, room * sizeof(*more));
        if (!more) {
            textin_fail(t, -ENOMEM, NULL);
            return;
        }
        e->ns = more;
        e->room = room;
    }
    e->ns[e->count++] = ns;
}

static bool take_exact_title(struct textin_span line, enum kind_id *ret_kind,
                             uint64_t *ret_total_ns)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        struct textin_span s = line;
        if (kind_all[kind]->text.exact && textin_take(&s, kind_all[kind]->text.exact) &&
            textin_take(&s, " BEGIN (total = ") &&
            textin_number(&s, 10, UINT64_MAX, ret_total_ns)) {
            *ret_kind = (enum kind_id)kind;
            return true;
        }
    }
    return false;
}

void textin_cpu_exact(struct textin *t, struct textin_span s)
{
    (void)s;
    t->exact.count = 0;
    if (!take_exact_title(t->line, &t->exact.kind, &t->exact.total_ns))
        return; /* a block for a table that is unknown here */
    while (textin_next(t)) {
        if (textin_starts_with(t->line, TEXTIN_CPU_EXACT))
            return;
        read_exact_row(t, t->line);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within exact times");
}

/* Whether the last block of exact times belongs to this table. In a file in which records are
 * missing, a block may have lost its table. Such a block is not used any more. */
static bool has_exact(struct textin *t, enum kind_id kind, uint64_t total_ns)
{
    const struct textin_exact *e = &t->exact;
    uint64_t ms = e->total_ns / NS_PER_MS + (e->total_ns % NS_PER_MS >= NS_PER_MS / 2);
    if (e->kind != kind || ms != total_ns / NS_PER_MS)
        t->exact.count = 0;
    return e->count > 0;
}

/* The time of a row. Without exact times it is the row's share of the total, and the share has two
 * digits of a percent. */
static uint64_t share_of(const struct textin *t, uint64_t total_ns, const struct row *row)
{
    enum { WHOLE = 10000 }; /* 1 ms is a multiple of 10000 ns */
    if (row->rank > 0 && row->rank <= t->exact.count)
        return t->exact.ns[row->rank - 1];
    return total_ns / WHOLE * (row->self_hundredths < WHOLE ? row->self_hundredths : WHOLE);
}

/* Takes "(total = N" off `s`; N is in ms. Returns false if it is not there. */
static bool take_total(struct textin_span *s, uint64_t *ret_ns)
{
    /* 30 years; as ns it still fits into 64 bits. */
    static const uint64_t max_ms = 1000000000000;
    uint64_t ms;
    if (!textin_take(s, "(total = ") || !textin_number(s, 10, max_ms, &ms))
        return false;
    *ret_ns = ms * NS_PER_MS;
    return true;
}

static bool is_column_line(struct textin_span line)
{
    return textin_starts_with(line, "rank ");
}

/* Adds what a table says about the sum of the first value: in its rows, or in rows that it leaves
 * out. */
static void said(struct textin *t, enum kind_id kind, uint64_t value)
{
    struct sums *sums = profile_sums(t->profile, kind);
    if (__builtin_add_overflow(sums->said, value, &sums->said))
        textin_fail(t, E_FORMAT, textin_too_large);
}

/* Reads a row of CPU SAMPLES. Returns its samples. */
static uint64_t read_sample_row(struct textin *t, enum kind_id kind, struct textin_span s)
{
    struct event event = {.kind = kind};
    struct row row;
    if (!take_row(&s, &row)) {
        textin_fail(t, E_FORMAT,
                    "a row of CPU SAMPLES that is not rank, self, accum, count, trace");
        return 0;
    }
    event.trace = textin_trace(t, row.trace, s);
    event.value[0] = row.count;
    if (event.trace != 0)
        textin_count(t, &event);
    return row.count;
}

void textin_cpu_samples(struct textin *t, enum kind_id kind, struct textin_span s)
{
    uint64_t missing = 0;
    if (!textin_take(&s, "(total = ") || !textin_number(&s, 10, UINT64_MAX, &missing)) {
        textin_fail(t, E_FORMAT, "a CPU SAMPLES table without its total");
        return;
    }
    struct sums *sums = profile_sums(t->profile, kind);
    uint64_t counted = 0;
    sums->is_measured = true;
    while (textin_next(t) && !textin_is(t->line, "CPU SAMPLES END")) {
        if (is_column_line(t->line))
            continue;
        uint64_t samples = read_sample_row(t, kind, t->line);
        missing -= missing < samples ? missing : samples;
        counted += samples; /* no overflow if sums are kept: textin_count() refuses it */
    }
    if (!textin_is(t->line, "CPU SAMPLES END")) {
        textin_fail(t, E_TRUNCATED, "the file ends within a CPU SAMPLES table");
        missing = 0;
    }
    said(t, kind, counted);
    said(t, kind, missing);
    if (sums->said > sums->total[0])
        profile_set_quality(t->profile, quality_name(QUALITY_BELOW_CUTOFF),
                            sums->said - sums->total[0]);
}

static void read_time_row(struct textin *t, struct textin_span s,
                          const struct textin_cpu_table *table, uint64_t total_ns)
{
    static const struct textin_span none = {0};
    struct row row;
    if (!take_row(&s, &row)) {
        textin_fail(t, E_FORMAT, table->no_row);
        return;
    }
    const struct event event = {
        .kind = table->kind,
        .trace = textin_trace(t, row.trace, table->has_methods ? s : none),
        .text = table->has_methods ? 0 : textin_string(t, s),
        .value = {share_of(t, total_ns, &row), row.count},
    };
    if (row.rank > t->exact.count && event.value[0] > 0)
        t->file->rounded_kinds |= UINT32_C(1) << table->kind;
    if (event.trace != 0)
        textin_count(t, &event);
}

/* Whether a line ends the table of a kind, like "CPU TIME (ms) END". */
static bool is_end(struct textin_span line, enum kind_id kind)
{
    return textin_take(&line, kind_all[kind]->text.title) && textin_is(line, " END");
}

void textin_cpu_table(struct textin *t, struct textin_span s, const struct textin_cpu_table *table)
{
    uint64_t total_ns;
    if (!take_total(&s, &total_ns)) {
        textin_fail(t, E_FORMAT, table->no_total);
        return;
    }
    struct sums *sums = profile_sums(t->profile, table->kind);
    if (has_exact(t, table->kind, total_ns))
        total_ns = t->exact.total_ns;
    sums->is_measured = true;
    said(t, table->kind, total_ns);
    while (textin_next(t) && !is_end(t->line, table->kind))
        if (!is_column_line(t->line))
            read_time_row(t, t->line, table, total_ns);
    if (!is_end(t->line, table->kind))
        textin_fail(t, E_TRUNCATED, table->cut);
    t->exact.count = 0;
}

/* A new dump begins. If it has no table of calls that have not ended, there are no such calls, so
 * the table of the dump before must not stay. */
static void forget_unfinished(struct textin *t)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        struct sums *sums = profile_sums(t->profile, kind);
        if (!kind_all[kind]->text.of_dump)
            continue;
        sums_clear(sums);
        sums->is_measured = false;
        t->file->rounded_kinds &= ~(UINT32_C(1) << kind);
    }
}

void textin_cpu_times(struct textin *t, enum kind_id kind, struct textin_span s)
{
    const struct textin_cpu_table table = {
        .kind = kind,
        .has_methods = true,
        .no_total = "a table of method times without its total",
        .no_row = "a row of method times that is not rank, self, accum, count, trace",
        .cut = "the file ends within a table of method times",
    };
    if (kind_all[kind]->text.begins_dump)
        forget_unfinished(t);
    textin_cpu_table(t, s, &table);
}

/* Takes CLASS.METHOD and its descriptor off `s`, or the text `unknown`, and the blank behind it.
 * The blank after the closing parenthesis is the end of the descriptor. Returns false if neither is
 * there. *ret_method is 0 for `unknown`. */
static bool take_method(struct textin *t, struct textin_span *s, const char *unknown,
                        method_id *ret_method)
{
    *ret_method = 0;
    if (textin_take(s, unknown))
        return textin_take(s, " ");
    const char *open = memchr(s->at, '(', (size_t)(s->end - s->at));
    const char *close = open ? memchr(open, ')', (size_t)(s->end - open)) : NULL;
    const char *blank = close ? memchr(close, ' ', (size_t)(s->end - close)) : NULL;
    if (!blank)
        return false;
    const struct textin_span name = {s->at, open}, descriptor = {open, blank};
    *ret_method = textin_method(t, name, textin_string(t, descriptor), 0);
    s->at = blank + 1;
    return true;
}

static void read_old_row(struct textin *t, struct textin_span s)
{
    struct event event = {.kind = kind_of_text(KIND_TEXT_PAIRS)};
    method_id methods[2];
    frame_id frames[2];
    uint64_t ms;
    uint32_t depth = 0;
    if (!textin_column(&s, &event.value[1]) || !textin_take(&s, " ") ||
        !take_method(t, &s, "<unknown callee>", &methods[0]) ||
        !take_method(t, &s, "<unknown caller>", &methods[1]) ||
        !textin_number(&s, 10, UINT32_MAX, &ms)) {
        textin_fail(t, E_FORMAT, "a row of cpu=old that is not count, callee, caller, time");
        return;
    }
    event.value[0] = ms * NS_PER_MS;
    for (int i = 0; i < 2 && methods[i] != 0; i++)
        if ((frames[depth] = profile_frame(t->profile, methods[i], -1, PROFILE_LINE_NONE)) != 0)
            depth++;
    event.trace = profile_trace(t->profile, 0, frames, depth);
    if (event.trace != 0)
        textin_count(t, &event);
}

/* The table has no END line: it goes on as long as lines begin with a digit. */
void textin_cpu_old(struct textin *t, struct textin_span s)
{
    (void)s;
    profile_sums(t->profile, kind_of_text(KIND_TEXT_PAIRS))->is_measured = true;
    while (textin_next(t)) {
        if (t->line.at == t->line.end || *t->line.at < '0' || *t->line.at > '9') {
            textin_put_back(t);
            return;
        }
        read_old_row(t, t->line);
    }
}
