/*
 * textin_events.c - see textin_events.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin_events.h"
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "format/hprof_events.h"
#include "profile/sums.h"

/* The kind with this word; KIND_COUNT: the word is unknown. */
static enum kind_id kind_of(struct textin_span word)
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
    row->trace = textin_trace(t, trace, none);
    return true;
}

/* Reads a row: "rank self% accum% value ... trace class text". */
static void read_row(struct textin *t, struct textin_span s, enum kind_id kind)
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

static bool is_end(struct textin_span line, struct textin_span word)
{
    return textin_take(&line, HPROF_EVENTS_HEAD) && line.end - line.at > word.end - word.at &&
           memcmp(line.at, word.at, (size_t)(word.end - word.at)) == 0 &&
           (line.at += word.end - word.at, textin_is(line, " END"));
}

/* A table counts since the start, so a later table replaces an earlier one. */
void textin_events(struct textin *t, struct textin_span s)
{
    struct textin_span word = s;
    textin_skip_word(&s);
    word.end = s.at;
    enum kind_id kind = kind_of(word);
    bool is_known = kind != KIND_COUNT && textin_take(&s, " BEGIN (");

    if (is_known) {
        struct sums *sums = profile_sums(t->profile, kind);
        sums->is_measured = true;
        sums_clear(sums);
        sums->said = first_total(s);
    }
    while (textin_next(t)) {
        if (is_end(t->line, word))
            return;
        if (is_known && !textin_starts_with(t->line, " rank "))
            read_row(t, t->line, kind);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a table of EVENTS");
}
