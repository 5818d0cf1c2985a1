/*
 * hprof_text_in.c - see hprof_text_in.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_in.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/hprof_file.h"
#include "format/hprof_text.h"
#include "profile/quality.h"
#include "profile/sieve.h"
#include "profile/sums.h"
#include "safe/clock.h"

/* ---- threads and traces, by their numbers */

thread_id hprof_text_in_thread(struct textin *t, uint32_t serial)
{
    if (serial == 0 || serial == HPROF_SERIAL_THREAD_UNKNOWN)
        return 0;
    thread_id thread = profile_thread_by_serial(t->profile, serial);
    return thread ? thread : profile_add_thread(t->profile, serial, 0, 0, 0, 0);
}

trace_id hprof_text_in_trace(struct textin *t, uint32_t serial, struct textin_span method)
{
    if (sieve_is_counting(t->sieve)) {
        t->counted = serial;
        return PROFILE_TRACE_EMPTY;
    }
    if (!hprof_file_passes(t->sieve, serial))
        return sieve_rest(t->sieve);
    trace_id trace = hprof_file_trace(t->file, serial);
    if (trace != 0)
        return trace;
    frame_id frame = 0;
    if (method.at < method.end && !textin_is(method, "<empty trace>")) {
        method_id id = textin_method(t, method, 0, 0);
        frame = id ? profile_frame(t->profile, id, -1, PROFILE_LINE_NONE) : 0;
    }
    return hprof_file_add_trace(t->file, serial, 0, &frame, frame != 0);
}

/* ---- CPU SAMPLES, CPU TIME, other tables with the same columns, and the table of cpu=old */

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

void hprof_text_in_exact(struct textin *t, struct textin_span s)
{
    (void)s;
    t->exact.count = 0;
    if (!take_exact_title(t->line, &t->exact.kind, &t->exact.total_ns))
        return; /* a block for a table that is unknown here */
    while (textin_next(t)) {
        if (textin_starts_with(t->line, HPROF_TEXT_IN_EXACT))
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
    event.trace = hprof_text_in_trace(t, row.trace, s);
    event.value[0] = row.count;
    if (event.trace != 0)
        textin_count(t, &event);
    return row.count;
}

void hprof_text_in_samples(struct textin *t, enum kind_id kind, struct textin_span s)
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

/* A table whose rows are shares of a total time. */
struct shares {
    enum kind_id kind;
    /* The last column is the innermost method of the row's trace; otherwise it is a text. */
    bool has_methods;
    const char *no_total; /* details of errors in a damaged table */
    const char *no_row;
    const char *cut;
};

static void read_time_row(struct textin *t, struct textin_span s, const struct shares *table,
                          uint64_t total_ns)
{
    static const struct textin_span none = {0};
    struct row row;
    if (!take_row(&s, &row)) {
        textin_fail(t, E_FORMAT, table->no_row);
        return;
    }
    const struct event event = {
        .kind = table->kind,
        .trace = hprof_text_in_trace(t, row.trace, table->has_methods ? s : none),
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

static void read_shares(struct textin *t, struct textin_span s, const struct shares *table)
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

void hprof_text_in_times(struct textin *t, enum kind_id kind, struct textin_span s)
{
    const struct shares table = {
        .kind = kind,
        .has_methods = true,
        .no_total = "a table of method times without its total",
        .no_row = "a row of method times that is not rank, self, accum, count, trace",
        .cut = "the file ends within a table of method times",
    };
    if (kind_all[kind]->text.begins_dump)
        forget_unfinished(t);
    read_shares(t, s, &table);
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
void hprof_text_in_old(struct textin *t, struct textin_span s)
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

/* ---- MONITOR DUMP and MONITOR TIME */

/* Reads "N, trace N, status: WORD". */
static void read_thread(struct textin *t, struct textin_span s)
{
    uint32_t serial, trace;
    if (!textin_u4(&s, &serial) || !textin_take(&s, ", trace ") || !textin_u4(&s, &trace) ||
        !textin_take(&s, ", status: ")) {
        textin_fail(t, E_FORMAT, "a THREAD of MONITOR DUMP that is not number, trace, status");
        return;
    }
    static const struct textin_span none = {0};
    sieve_need(t->sieve, trace);
    const struct hprof_file_thread row = {
        .thread = hprof_text_in_thread(t, serial),
        .trace = hprof_text_in_trace(t, trace, none),
        .status = textin_string(t, s),
    };
    hprof_file_add_thread(t->file, &row);
}

/* Takes " thread N" off `s`. The agent of JVMPI's time writes " <unknown thread>" for a thread of
 * whose start it was not told; then *ret_thread is 0. Returns false if neither is there. */
static bool take_thread(struct textin *t, struct textin_span *s, thread_id *ret_thread)
{
    uint32_t serial;
    *ret_thread = 0;
    if (textin_take(s, " <unknown thread>"))
        return true;
    if (!textin_take(s, " thread ") || !textin_u4(s, &serial))
        return false;
    *ret_thread = hprof_text_in_thread(t, serial);
    return true;
}

/* Reads "\towner: thread N, entry count: N", the line behind the monitor's own line. If the line is
 * something else it is put back. */
static void read_owner(struct textin *t, struct hprof_file_monitor *row)
{
    struct textin_span s;
    if (!textin_next(t))
        return;
    s = t->line;
    if (!textin_take(&s, "\towner:")) {
        textin_put_back(t);
        return;
    }
    if (!take_thread(t, &s, &row->owner) || !textin_take(&s, ", entry count: ") ||
        !textin_u4(&s, &row->entry_count))
        textin_fail(t, E_FORMAT, "an owner that is not thread, entry count");
    row->has_unknown_owner = !row->owner;
}

/* Reads "SIGNATURE" or "SIGNATURE unowned". A raw monitor has its name in quotes and its address
 * instead of a signature. */
static void read_monitor(struct textin *t, struct textin_span s, bool is_raw)
{
    static const char unowned[] = " unowned";
    struct hprof_file_monitor row = {.is_raw = is_raw};
    const char *at = textin_find_last(s, unowned);
    if (at && at + sizeof(unowned) - 1 == s.end)
        s.end = at;
    else
        at = NULL;
    row.signature = textin_string(t, s);
    if (!at)
        read_owner(t, &row);
    hprof_file_add_monitor(t->file, &row);
}

/* Reads " thread N, thread N". */
static void read_waiters(struct textin *t, struct textin_span s, bool is_entering)
{
    thread_id thread;
    while (take_thread(t, &s, &thread)) {
        hprof_file_add_waiter(t->file, thread, is_entering);
        textin_take(&s, ",");
    }
    if (s.at < s.end)
        textin_fail(t, E_FORMAT, "a list of waiting threads that is not thread N, thread N");
}

void hprof_text_in_monitors(struct textin *t, struct textin_span s)
{
    const struct hprof_file *f = t->file;
    hprof_file_begin_dump(t->file);
    while (textin_next(t)) {
        s = t->line;
        if (textin_is(s, "MONITOR DUMP END"))
            return;
        if (textin_take(&s, "    THREAD "))
            read_thread(t, s);
        else if (textin_take(&s, "    MONITOR "))
            read_monitor(t, s, false);
        else if (textin_take(&s, "    RAW MONITOR "))
            read_monitor(t, s, true);
        else if (f->monitors.count > 0 && textin_take(&s, "\twaiting to enter:"))
            read_waiters(t, s, 1);
        else if (f->monitors.count > 0 && textin_take(&s, "\twaiting to be notified:"))
            read_waiters(t, s, 0);
        else
            textin_fail(t, E_FORMAT, "a line of MONITOR DUMP that is no thread and no monitor");
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a MONITOR DUMP");
}

void hprof_text_in_monitor_time(struct textin *t, enum kind_id kind, struct textin_span s)
{
    const struct shares table = {
        .kind = kind,
        .no_total = "a MONITOR TIME table without its total",
        .no_row = "a row of MONITOR TIME that is not rank, self, accum, count, trace",
        .cut = "the file ends within a MONITOR TIME table",
    };
    read_shares(t, s, &table);
}

/* ---- SITES */

/* Reads a row: "rank self% accum% live-bytes live-objects bytes objects trace class". */
static void read_site(struct textin *t, enum kind_id kind, struct textin_span s)
{
    static const struct textin_span none = {0};
    struct event site = {.kind = kind};
    /* The order of the columns: live bytes and objects, then allocated bytes and objects. */
    uint64_t *const counts[] = {&site.value[2], &site.value[3], &site.value[0], &site.value[1]};
    uint32_t number;
    bool ok = textin_rank(&s);
    for (size_t i = 0; ok && i < sizeof(counts) / sizeof(*counts); i++)
        ok = textin_column(&s, counts[i]);
    textin_skip_blanks(&s);
    ok = ok && textin_u4(&s, &number);
    textin_skip_blanks(&s);
    if (!ok) {
        textin_fail(t, E_FORMAT,
                    "a row of SITES that is not rank, self, accum, counts, trace, class");
        return;
    }
    string_id name = textin_string(t, s);
    site.klass = name ? profile_class_named(t->profile, name) : 0;
    site.trace = hprof_text_in_trace(t, number, none);
    if (site.klass != 0 && site.trace != 0)
        textin_count(t, &site);
}

/* The two lines above the rows, which different JDKs indent in different ways; and "...", which
 * documents about the agent have in place of rows. */
static bool is_heading(struct textin_span s)
{
    textin_skip_blanks(&s);
    return textin_starts_with(s, "percent ") || textin_starts_with(s, "rank ") ||
           textin_is(s, "...");
}

/* A table counts since the start, so a later table replaces an earlier one. */
void hprof_text_in_sites(struct textin *t, enum kind_id kind, struct textin_span s)
{
    (void)s;
    struct sums *sums = profile_sums(t->profile, kind);
    sums->is_measured = true;
    sums_clear(sums);
    while (textin_next(t)) {
        if (textin_is(t->line, "SITES END"))
            return;
        if (!is_heading(t->line))
            read_site(t, kind, t->line);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a SITES table");
}

/* ---- HISTOGRAM and LIVE HISTOGRAM */

/* Reads a row: "rank self% accum% bytes objects class". */
static void read_class(struct textin *t, struct textin_span s, enum kind_id kind)
{
    struct event row = {.kind = kind};
    if (!textin_rank(&s) || !textin_column(&s, &row.value[0]) ||
        !textin_column(&s, &row.value[1]) || !textin_take(&s, " ")) {
        textin_fail(t, E_FORMAT, "a row of HISTOGRAM that is not rank, self, accum, counts, class");
        return;
    }
    string_id name = textin_string(t, s);

    row.klass = name ? profile_class_named(t->profile, name) : 0;
    row.trace = profile_trace(t->profile, 0, NULL, 0);
    if (row.klass != 0 && row.trace != 0)
        textin_count(t, &row);
}

/* A table shows the heap at one moment, so a later table replaces an earlier one. */
void hprof_text_in_histo(struct textin *t, enum kind_id kind, struct textin_span s)
{
    struct sums *sums = profile_sums(t->profile, kind);
    sums->is_measured = true;
    sums_clear(sums);
    if (!textin_take(&s, "(total = ") || !textin_column(&s, &sums->said)) {
        textin_fail(t, E_FORMAT, "a HISTOGRAM without its total");
        return;
    }
    while (textin_next(t)) {
        struct textin_span line = t->line;
        if (textin_take(&line, kind_all[kind]->text.title) && textin_is(line, " END"))
            return;
        if (!textin_starts_with(t->line, "          percent") &&
            !textin_starts_with(t->line, " rank "))
            read_class(t, t->line, kind);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a HISTOGRAM");
}

/* ---- EVENTS, a table of any kind */

/* The kind with this word; KIND_COUNT: the word is unknown. */
static enum kind_id kind_named(struct textin_span word)
{
    int kind = 0;
    while (kind < KIND_COUNT && !textin_is(word, kind_all[kind]->word))
        kind++;
    return (enum kind_id)kind;
}

/* The total of the first value in "(time_ns=12 pauses=3) ". It also counts rows that the table
 * leaves out. */
static uint64_t first_total(struct textin_span s)
{
    uint64_t total = 0;
    while (s.at < s.end && *s.at != '=')
        s.at++;
    textin_take(&s, "=");
    textin_number(&s, 10, UINT64_MAX, &total);
    return total;
}

/* Reads the rest of a row: "trace class text". A row without a class has "-"; the text may be
 * missing. */
static bool read_what(struct textin *t, struct textin_span s, struct event *row)
{
    static const struct textin_span none = {0};
    uint32_t trace;
    textin_skip_blanks(&s);
    if (!textin_u4(&s, &trace) || !textin_take(&s, " "))
        return false;
    struct textin_span klass = s;

    textin_skip_word(&s);
    klass.end = s.at;
    if (!textin_is(klass, "-")) {
        string_id name = textin_string(t, klass);
        row->klass = name ? profile_class_named(t->profile, name) : 0;
    }
    if (textin_take(&s, " "))
        row->text = textin_string(t, s);
    row->trace = hprof_text_in_trace(t, trace, none);
    return true;
}

/* Reads a row: "rank self% accum% value ... trace class text". */
static void read_event(struct textin *t, struct textin_span s, enum kind_id kind)
{
    struct event row = {.kind = kind};
    bool ok = textin_rank(&s);
    for (uint32_t i = 0; ok && i < kind_value_count(kind); i++)
        ok = textin_column(&s, &row.value[i]);
    if (!ok || !read_what(t, s, &row)) {
        textin_fail(t, E_FORMAT,
                    "a row of EVENTS that is not rank, self, accum, values, trace, class, text");
        return;
    }
    if (row.trace != 0)
        textin_count(t, &row);
}

static bool is_events_end(struct textin_span line, struct textin_span word)
{
    return textin_take(&line, HPROF_TEXT_EVENTS) && line.end - line.at > word.end - word.at &&
           memcmp(line.at, word.at, (size_t)(word.end - word.at)) == 0 &&
           (line.at += word.end - word.at, textin_is(line, " END"));
}

/* A table counts since the start, so a later table replaces an earlier one. */
void hprof_text_in_events(struct textin *t, struct textin_span s)
{
    struct textin_span word = s;
    textin_skip_word(&s);
    word.end = s.at;
    enum kind_id kind = kind_named(word);
    bool is_known = kind != KIND_COUNT && textin_take(&s, " BEGIN (");

    if (is_known) {
        struct sums *sums = profile_sums(t->profile, kind);
        sums->is_measured = true;
        sums_clear(sums);
        sums->said = first_total(s);
    }
    while (textin_next(t)) {
        if (is_events_end(t->line, word))
            return;
        if (is_known && !textin_starts_with(t->line, " rank "))
            read_event(t, t->line, kind);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a table of EVENTS");
}
