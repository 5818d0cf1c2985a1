/*
 * hprof_text_out.c - writes java.hprof.txt, the text form.
 *
 * The layout is that of the original agent, see docs/format/hprof-text.md. What is new stands
 * between the first line and the line of dashes, which readers skip. No decimal number is printed
 * with the C library's %f, because the application may have set a locale with a decimal comma.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/plain.h"
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_text.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/tally.h"

enum {
    AREA_LINES = 40, /* if one engine measures */
    /* if several engines measure: the heading, and all counts that there can be */
    AREA_LINES_MAX = 1 + TALLY_QUALITY_MAX,
    AREA_COLUMNS = 79, /* without the newline */
    AREA_BYTES_MAX = AREA_LINES_MAX * (AREA_COLUMNS + 1),
};

static const char prologue[] =
    "This file was written by hprof, a profiler of the Java virtual machine\n"
    "(Apache License 2.0). The records follow the line of dashes below, one kind\n"
    "of event or table each. Serial numbers tie them together.\n"
    "\n"
    "  THREAD START     a thread began: id is its serial number, obj its object\n"
    "  THREAD END       the thread of that serial number ended\n"
    "  TRACE            a stack, innermost call first; with thread=y it belongs to\n"
    "                   one thread. A trace is written once, before the first\n"
    "                   table that refers to it\n"
    "  SITES            where objects were made, a row a class and trace: live are\n"
    "                   those that were not collected; cutoff= as below\n"
    "  CPU SAMPLES      where CPU time went since the previous table, a row a trace:\n"
    "                   rank   the row's number, most samples first\n"
    "                   self   its share of all samples\n"
    "                   accum  the share of this row and all above it\n"
    "                   count  its samples\n"
    "                   trace  the serial number of its TRACE\n"
    "                   method the innermost call of that trace\n"
    "                   Rows below cutoff= are left out; total counts them too.\n"
    "  CPU TIME (ms)    the same for the time in methods, wall-clock time or, with\n"
    "                   clock=cpu, CPU time: self and accum are shares of it,\n"
    "                   count is the number of calls, and those that had not\n"
    "                   ended are in UNFINISHED CALLS\n"
    "  WAITING (ms)     the same for methods that do nothing but wait\n"
    "\n"
    "How far the numbers can be trusted, counted since the start and brought up to\n";

static const char prologue_end[] = "date with each table:\n";
static const char prologue_end_of_stream[] = "date behind each table, in indented lines.\n";

/* Counts that are a part of all samples, so that a percentage has a meaning. */
static const char *const shares[] = {
    "lost",
    "truncated",
#define WALK(name, word, text) word,
#include "safe/walk_cause.def"
#undef WALK
};

static int area_lines(const struct hprof_out *o)
{
    return o->config.is_stream || o->config.many_counts ? AREA_LINES_MAX : AREA_LINES;
}

/* Writes text into line `line` of the area, behind two blanks. The rest of the line stays blank. */
static void area_line(char *area, int line, const char *text)
{
    char *to = area + (size_t)line * (AREA_COLUMNS + 1) + 2;
    for (int i = 0; text[i] != '\0' && i < AREA_COLUMNS - 2; i++)
        to[i] = text[i];
}

/* Makes an area of blank lines. Returns how many bytes it has. */
static size_t area_clear(char *area, int lines)
{
    size_t bytes = (size_t)lines * (AREA_COLUMNS + 1);
    memset(area, ' ', bytes);
    for (int line = 0; line < lines; line++)
        area[(size_t)line * (AREA_COLUMNS + 1) + AREA_COLUMNS] = '\n';
    area_line(area, 0, "hprof quality");
    return bytes;
}

static bool is_share(const char *name)
{
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
        if (strcmp(shares[i], name) == 0)
            return true;
    }
    return false;
}

static void area_fill(char *area, int lines, const struct profile_quality *rows, uint32_t count)
{
    uint64_t samples = quality_among(rows, count, QUALITY_SAMPLES);
    for (uint32_t i = 0; i < count; i++) {
        char text[AREA_COLUMNS + 1];
        int line = (int)i + 1;
        if (line == lines - 1 && i + 1 < count) {
            snprintf(text, sizeof(text), "(%u more)", count - i);
            area_line(area, line, text);
            return;
        }
        int len = snprintf(text, sizeof(text), "%s = %" PRIu64, rows[i].name, rows[i].count);
        if (len > 0 && len < AREA_COLUMNS - 40 && samples > 0 && is_share(rows[i].name)) {
            char percent[32];
            hprof_text_percent(percent, sizeof(percent), rows[i].count, samples);
            snprintf(text + len, sizeof(text) - (size_t)len, " (%s%% of samples)", percent);
        }
        area_line(area, line, text);
    }
}

/* Writes the lines of the area, without blank lines and without blanks at the end of a line. */
static void put_area(struct hprof_out *o, const char *area)
{
    for (int line = 0; line < area_lines(o); line++) {
        const char *at = area + (size_t)line * (AREA_COLUMNS + 1);
        int len = AREA_COLUMNS;
        while (len > 0 && at[len - 1] == ' ')
            len--;
        if (len > 0)
            sink_printf(o->sink, "%.*s\n", len, at);
    }
}

static void text_quality(struct writer_out *w)
{
    struct hprof_out *o = w->state;
    uint32_t count;
    const struct profile_quality *rows = tally_quality(o->tally, &count);
    char area[AREA_BYTES_MAX];
    size_t bytes = area_clear(area, area_lines(o));
    area_fill(area, area_lines(o), rows, count);
    if (o->config.is_old)
        return;
    if (o->config.is_stream && count > 0)
        put_area(o, area);
    else if (o->quality_offset != 0)
        sink_rewrite(o->sink, o->quality_offset, area, bytes);
}

static int text_begin(struct writer_out *w)
{
    struct hprof_out *o = w->state;
    if (o->config.is_old)
        return 0;
    sink_text(o->sink, "JAVA PROFILE 1.0.1, created ");
    hprof_text_date(o->sink, (time_t)(o->config.created_ms / 1000));
    sink_text(o->sink, "\n");
    if (profile_program(o->profile) != 0) {
        sink_text(o->sink, HPROF_TEXT_PROGRAM);
        hprof_text_name(o, profile_program(o->profile));
        sink_text(o->sink, "\n\n");
    }
    sink_text(o->sink, prologue);
    sink_text(o->sink, o->config.is_stream ? prologue_end_of_stream : prologue_end);
    if (!o->config.is_stream) {
        char area[AREA_BYTES_MAX];
        size_t bytes = area_clear(area, area_lines(o));
        area_line(area, 1, "no table has been written yet");
        o->quality_offset = sink_position(o->sink);
        sink_bytes(o->sink, area, bytes);
    }
    sink_text(o->sink, "\n--------\n\n");
    sink_flush(o->sink);
    return 0;
}

static void text_thread(struct writer_out *w, thread_id thread, bool has_begun)
{
    struct hprof_out *o = w->state;
    const struct profile_thread *t = profile_thread_at(o->profile, thread);
    if (o->config.is_old)
        return;
    if (!has_begun) {
        sink_printf(o->sink, "THREAD END (id = %" PRIu32 ")\n", t->serial);
        return;
    }
    sink_printf(o->sink, "THREAD START (obj=%" PRIx32 ", id = %" PRIu32 ", name=\"", t->object,
                t->serial);
    hprof_text_name(o, t->name);
    sink_text(o->sink, "\", group=\"");
    hprof_text_name(o, t->group);
    sink_text(o->sink, "\")\n");
}

static void text_traces(struct writer_out *w)
{
    hprof_text_traces(w->state);
}

static void text_untimed(struct writer_out *w, const struct writer_untimed *rows, uint32_t count)
{
    const struct hprof_out *o = w->state;
    if (o->config.is_old || count == 0)
        return;
    sink_printf(o->sink, "NOT TIMED BEGIN (methods = %" PRIu32 ")\n", count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(rows[i].why, rows[i - 1].why) != 0)
            sink_printf(o->sink, "  %s:\n", rows[i].why);
        sink_text(o->sink, "\t");
        plain_put(o->sink, rows[i].method, strlen(rows[i].method));
        sink_text(o->sink, "\n");
    }
    sink_text(o->sink, "NOT TIMED END\n");
}

const struct writer hprof_text_out = {
    .kinds = KIND_SET_ALL,
    .abilities = WRITER_MONITORS,
    .begin = text_begin,
    .thread = text_thread,
    .sums = hprof_out_sums,
    .next = hprof_out_next,
    .table = hprof_text_table,
    .sites = hprof_text_sites,
    .traces = text_traces,
    .wait = hprof_text_wait,
    .monitors = hprof_text_monitors,
    .untimed = text_untimed,
    .quality = text_quality,
    .again = hprof_out_again,
    .end = hprof_out_end,
};
