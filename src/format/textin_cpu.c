/*
 * textin_cpu.c - see textin_cpu.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin_cpu.h"
#include <string.h>
#include "base/err.h"

enum { US_PER_MS = 1000 };

static const char TOO_LARGE[] = "counts whose sum has more than 64 bits";

/* The columns that a row of CPU SAMPLES, CPU TIME and MONITOR TIME begins with. */
struct row {
    uint32_t self_hundredths; /* of a percent */
    uint64_t count;
    uint32_t trace; /* its serial */
};

/* Takes them and the blanks behind them off `s`. Returns 0 where they are not there. */
static int take_row(struct textin_span *s, struct row *ret_row)
{
    struct row row;
    uint64_t rank, serial;
    uint32_t accum;
    if (!textin_column(s, &rank))
        return 0;
    textin_percent(s, &row.self_hundredths);
    textin_percent(s, &accum);
    if (!textin_column(s, &row.count) || !textin_column(s, &serial) || serial > UINT32_MAX)
        return 0;
    textin_skip_blanks(s);
    row.trace = (uint32_t)serial;
    *ret_row = row;
    return 1;
}

/* The time of a row is not in the file, but its share of the total, with two digits of a percent.
 */
static uint64_t share_of(uint64_t total_us, const struct row *row)
{
    enum { WHOLE = 10000 };
    return total_us * (row->self_hundredths < WHOLE ? row->self_hundredths : WHOLE) / WHOLE;
}

/* "(total = N", ms. Returns 0 where it is not there. */
static int take_total(struct textin_span *s, uint64_t *ret_us)
{
    static const uint64_t max_ms = 1000000000000; /* 30 years; products of it fit 64 bits */
    uint64_t ms;
    if (!textin_take(s, "(total = ") || !textin_number(s, 10, max_ms, &ms))
        return 0;
    *ret_us = ms * US_PER_MS;
    return 1;
}

static int is_column_line(struct textin_span line)
{
    return textin_starts_with(line, "rank ");
}

/* Returns the ticks of the row. */
static uint64_t read_sample_row(struct textin *t, struct textin_span s)
{
    struct row row;
    if (!take_row(&s, &row)) {
        textin_fail(t, E_FORMAT,
                    "a row of CPU SAMPLES that is not rank, self, accum, count, trace");
        return 0;
    }
    uint64_t sum;
    if (__builtin_add_overflow(profile_ticks_total(t->profile), row.count, &sum)) {
        textin_fail(t, E_FORMAT, TOO_LARGE);
        return 0;
    }
    trace_id trace = textin_trace(t, row.trace, s);
    if (trace != 0)
        profile_add_ticks(t->profile, trace, row.count);
    return row.count;
}

void textin_cpu_samples(struct textin *t, struct textin_span s)
{
    uint64_t missing = 0;
    if (!textin_take(&s, "(total = ") || !textin_number(&s, 10, UINT64_MAX, &missing)) {
        textin_fail(t, E_FORMAT, "a CPU SAMPLES table without its total");
        return;
    }
    profile_found(t->profile)->seen[FOUND_SAMPLES]++;
    while (textin_next(t)) {
        if (textin_is(t->line, "CPU SAMPLES END")) {
            t->below_cutoff += missing;
            if (t->below_cutoff > 0)
                profile_set_quality(t->profile, "below_cutoff", t->below_cutoff);
            return;
        }
        if (is_column_line(t->line))
            continue;
        uint64_t ticks = read_sample_row(t, t->line);
        missing -= missing < ticks ? missing : ticks;
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a CPU SAMPLES table");
}

static void add_time(struct textin *t, enum found_kind kind, const struct found_time *row)
{
    if (found_add_time(profile_found(t->profile), kind, row) < 0)
        textin_fail(t, E_FORMAT, TOO_LARGE);
}

static void read_time_row(struct textin *t, struct textin_span s,
                          const struct textin_cpu_table *table, uint64_t total_us)
{
    static const struct textin_span none = {0};
    struct row row;
    if (!take_row(&s, &row)) {
        textin_fail(t, E_FORMAT, table->no_row);
        return;
    }
    const struct found_time time = {
        .trace = textin_trace(t, row.trace, table->has_methods ? s : none),
        .name = table->has_methods ? 0 : textin_string(t, s),
        .us = share_of(total_us, &row),
        .count = row.count,
    };
    if (time.trace != 0)
        add_time(t, table->kind, &time);
}

void textin_cpu_table(struct textin *t, struct textin_span s, const struct textin_cpu_table *table)
{
    struct found *f = profile_found(t->profile);
    uint64_t total_us;
    if (!take_total(&s, &total_us)) {
        textin_fail(t, E_FORMAT, table->no_total);
        return;
    }
    f->seen[table->kind]++;
    f->total_us[table->kind] += total_us;
    while (textin_next(t)) {
        if (textin_is(t->line, table->end))
            return;
        if (!is_column_line(t->line))
            read_time_row(t, t->line, table, total_us);
    }
    textin_fail(t, E_TRUNCATED, table->cut);
}

static void read_times(struct textin *t, struct textin_span s, enum found_kind kind,
                       const char *end)
{
    const struct textin_cpu_table table = {
        .kind = kind,
        .end = end,
        .has_methods = 1,
        .no_total = "a table of method times without its total",
        .no_row = "a row of method times that is not rank, self, accum, count, trace",
        .cut = "the file ends within a table of method times",
    };
    textin_cpu_table(t, s, &table);
}

void textin_cpu_times(struct textin *t, struct textin_span s)
{
    /* A dump that has no table of calls that have not ended has none of them. */
    found_clear_times(profile_found(t->profile), FOUND_OPEN);
    found_clear_times(profile_found(t->profile), FOUND_OPEN_WAITS);
    read_times(t, s, FOUND_TIMES, "CPU TIME (ms) END");
}

void textin_cpu_unfinished(struct textin *t, struct textin_span s)
{
    read_times(t, s, FOUND_OPEN, "UNFINISHED CALLS (ms) END");
}

void textin_cpu_waits(struct textin *t, struct textin_span s)
{
    read_times(t, s, FOUND_WAITS, "WAITING (ms) END");
}

void textin_cpu_unfinished_waits(struct textin *t, struct textin_span s)
{
    read_times(t, s, FOUND_OPEN_WAITS, "UNFINISHED WAITS (ms) END");
}

/* CLASS.METHOD and its descriptor, whose end is the blank behind its parenthesis, or `unknown`.
 * Takes it and the blank off `s`. Returns 0 where neither is there; *ret_method 0 for unknown. */
static int take_method(struct textin *t, struct textin_span *s, const char *unknown,
                       method_id *ret_method)
{
    *ret_method = 0;
    if (textin_take(s, unknown))
        return textin_take(s, " ");
    const char *open = memchr(s->at, '(', (size_t)(s->end - s->at));
    const char *close = open ? memchr(open, ')', (size_t)(s->end - open)) : NULL;
    const char *blank = close ? memchr(close, ' ', (size_t)(s->end - close)) : NULL;
    if (!blank)
        return 0;
    const struct textin_span name = {s->at, open}, descriptor = {open, blank};
    *ret_method = textin_method(t, name, textin_string(t, descriptor), 0);
    s->at = blank + 1;
    return 1;
}

static void read_old_row(struct textin *t, struct textin_span s)
{
    method_id methods[2];
    frame_id frames[2];
    struct found_time row = {0};
    uint64_t ms;
    uint32_t depth = 0;
    if (!textin_column(&s, &row.count) || !textin_take(&s, " ") ||
        !take_method(t, &s, "<unknown callee>", &methods[0]) ||
        !take_method(t, &s, "<unknown caller>", &methods[1]) ||
        !textin_number(&s, 10, UINT32_MAX, &ms)) {
        textin_fail(t, E_FORMAT, "a row of cpu=old that is not count, callee, caller, time");
        return;
    }
    row.us = ms * US_PER_MS;
    for (int i = 0; i < 2 && methods[i] != 0; i++)
        if ((frames[depth] = profile_frame(t->profile, methods[i], -1, PROFILE_LINE_NONE)) != 0)
            depth++;
    row.trace = profile_trace(t->profile, 0, frames, depth);
    if (row.trace != 0)
        add_time(t, FOUND_OLD, &row);
}

/* The table has no end of its own: it goes on as long as its lines begin with a number. */
void textin_cpu_old(struct textin *t, struct textin_span s)
{
    (void)s;
    profile_found(t->profile)->seen[FOUND_OLD]++;
    while (textin_next(t)) {
        if (t->line.at == t->line.end || *t->line.at < '0' || *t->line.at > '9') {
            textin_put_back(t);
            return;
        }
        read_old_row(t, t->line);
    }
}
