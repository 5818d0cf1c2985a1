/*
 * jfr_events.c - `hprof jfr events`: lists the events of JDKs, what a file has of them, and how the
 * events of one JDK differ from those of another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/nearest.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "jfrtool/jfr_census.h"
#include "jfrtool/jfr_output.h"
#include "jfrtool/jfr_shown_event.h"
#include "command/say.h"
#include "jfr/jfr_filter.h"

enum { DIFF_INDENT = 6 };

/* The user's request. */
struct asked {
    char names[JFRTOOL_NAMES]; /* patterns; empty: all events */
    unsigned releases;
    const char *file; /* NULL: none */
    struct jfr_census census;
    struct jfr_shown_event *events;
    size_t count;
};

/* A word that looks like the name of a file is a file, even if there is no such file. */
static bool is_file(const char *word)
{
    return access(word, F_OK) == 0 || strchr(word, '/') || strstr(word, ".jfr");
}

static bool is_wanted(const struct asked *a, const struct jfr_catalogue_row *event)
{
    return event->releases & a->releases &&
           (a->names[0] == '\0' || jfr_filter_names(a->names, event->name));
}

/* Adds events. If there is a file, only events that it declares are added, unless the user names
 * the event. */
static void add_from(struct asked *a, const struct jfr_catalogue *all)
{
    for (size_t i = 0, rows; i < all->count; i += rows) {
        rows = jfr_catalogue_rows_of(all, i);
        if (!is_wanted(a, &all->rows[i]) ||
            (a->file && a->names[0] == '\0' && !jfr_census_find(&a->census, all->rows[i].name)))
            continue;
        a->events[a->count++] = (struct jfr_shown_event){
            .facts = {all->rows + i, rows},
            .releases = a->releases,
            .census = a->file ? &a->census : NULL,
            .file = a->file,
        };
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct jfr_shown_event *)a)->facts.rows->name,
                  ((const struct jfr_shown_event *)b)->facts.rows->name);
}

static int choose(struct asked *a)
{
    const struct jfr_catalogue all = jfr_catalogue_all(),
                               own = {a->census.known, a->census.known_count};
    a->events = calloc(all.count + own.count, sizeof(*a->events));
    if (!a->events)
        return -ENOMEM;
    add_from(a, &all);
    add_from(a, &own);
    if (a->count > 0)
        qsort(a->events, a->count, sizeof(*a->events), by_name);
    return 0;
}

static void say_unknown(const struct asked *a)
{
    const struct jfr_catalogue all = jfr_catalogue_all();
    const char *best = NULL;
    unsigned distance = NEAREST_FAR;
    for (size_t i = 0; i < all.count; i += jfr_catalogue_rows_of(&all, i)) {
        const char *name = all.rows[i].name;
        const char *known = strchr(a->names, '.') ? name : jfr_filter_simple(name);
        unsigned d = nearest_distance(a->names, known);
        if (d < distance) {
            distance = d;
            best = name;
        }
    }
    if (best)
        say("jfr: no event '%s' is known; did you mean %s?", a->names, best);
    else
        say("jfr: no event '%s' is known; 'hprof jfr events' lists all", a->names);
}

static void put_all(struct sink *s, const struct asked *a)
{
    bool is_list = a->names[0] == '\0' || (a->count > 1 && strchr(a->names, '*'));
    if (is_list && a->file)
        sink_text(s, "event                                count         bytes  what it is\n");
    else if (is_list)
        sink_text(s, "event                           JDK           what it is\n");
    for (size_t i = 0; i < a->count; i++)
        if (is_list)
            jfr_shown_event_line(s, &a->events[i]);
        else
            jfr_shown_event_whole(s, &a->events[i]);
}

/* ---- how the events of one JDK differ from those of another */

/* The bits of both releases, and the output. */
struct diff {
    struct sink *s;
    unsigned before, after;
    bool is_named; /* the line with the event's name was written */
};

static bool has(const struct jfr_catalogue_row *row, unsigned bit)
{
    return row->releases & bit;
}

static const char *type_of(const struct jfr_catalogue_row *field)
{
    return *field->unit != '\0' ? field->unit : field->type;
}

/* The row of the same kind and name in the other release; NULL: there is none. */
static const struct jfr_catalogue_row *other_of(const struct jfr_catalogue *event,
                                                const struct jfr_catalogue_row *row, unsigned bit)
{
    for (size_t i = 0; i < event->count; i++)
        if (event->rows[i].kind == row->kind && has(&event->rows[i], bit) &&
            strcmp(event->rows[i].name, row->name) == 0)
            return &event->rows[i];
    return NULL;
}

static void name_event(struct diff *d, const struct jfr_catalogue_row *event)
{
    if (!d->is_named)
        sink_printf(d->s, "~ %s\n", event->name);
    d->is_named = true;
}

static void put_value(struct diff *d, const struct jfr_catalogue_row *row)
{
    if (row->kind == JFR_CATALOGUE_FIELD)
        sink_printf(d->s, "%s", type_of(row));
    else if (strcmp(row->by_default, row->by_profile) == 0)
        sink_printf(d->s, "%s", row->by_default);
    else
        sink_printf(d->s, "%s (profile: %s)", row->by_default, row->by_profile);
}

static void put_row(struct diff *d, const struct jfr_catalogue_row *event, char sign,
                    const struct jfr_catalogue_row *row, const struct jfr_catalogue_row *now)
{
    name_event(d, event);
    sink_printf(d->s, "%*c %s %s: ", DIFF_INDENT, sign,
                row->kind == JFR_CATALOGUE_FIELD ? "field" : "setting", row->name);
    put_value(d, row);
    if (now) {
        sink_text(d->s, " -> ");
        put_value(d, now);
    }
    sink_text(d->s, "\n");
}

/* Only rows of one of the releases are differences. A row that both have is equal in both. */
static void put_changes(struct diff *d, const struct jfr_catalogue *event)
{
    d->is_named = false;
    for (size_t i = 1; i < event->count; i++) {
        const struct jfr_catalogue_row *row = &event->rows[i];
        if (has(row, d->before) == has(row, d->after))
            continue;
        const struct jfr_catalogue_row *other =
            other_of(event, row, has(row, d->before) ? d->after : d->before);
        if (has(row, d->before))
            put_row(d, event->rows, other ? '~' : '-', row, other);
        else if (!other)
            put_row(d, event->rows, '+', row, NULL);
    }
}

/* `before` and `after` are numbers of known JDKs; `names` are patterns of events, empty for all. */
static void put_diff(struct sink *s, unsigned before, unsigned after, const char *names)
{
    struct diff d = {s, jfr_catalogue_release_bit(before), jfr_catalogue_release_bit(after), false};
    const struct jfr_catalogue all = jfr_catalogue_all();
    for (size_t i = 0, rows; i < all.count; i += rows) {
        const struct jfr_catalogue_row *row = &all.rows[i];
        const char *sentence = jfr_catalogue_sentence(row->name);
        rows = jfr_catalogue_rows_of(&all, i);
        if (*names != '\0' && !jfr_filter_names(names, row->name))
            continue;
        if (has(row, d.before) && has(row, d.after))
            put_changes(&d, &(struct jfr_catalogue){row, rows});
        else if (has(row, d.before) || has(row, d.after))
            sink_printf(s, "%c %s  %s\n", has(row, d.after) ? '+' : '-', row->name,
                        sentence ? sentence : "");
    }
}

/* ---- the output */

static int write_all(const struct jfrtool_events *e, const struct asked *a)
{
    struct jfr_output out;
    int r = jfr_output_open(&out, e->path);
    if (r < 0)
        return jfr_output_close(&out, r);
    if (e->diff_with > 0)
        put_diff(&out.sink, e->jdk, e->diff_with, a->names);
    else if (e->is_page)
        jfr_shown_event_page(&out.sink, a->events, a->count);
    else
        put_all(&out.sink, a);
    return jfr_output_close(&out, 0);
}

/* Sorts the words into names of events and a file. Errors: 0, or negative after saying why. */
static int take_words(struct asked *a, const char *const *words, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_file(words[i])) {
            if (a->file) {
                say("jfr: events looks into one file: '%s' or '%s'", a->file, words[i]);
                return E_SYNTAX;
            }
            a->file = words[i];
            continue;
        }
        len += (size_t)snprintf(a->names + len, sizeof(a->names) - len, "%s%s", len > 0 ? "," : "",
                                words[i]);
        if (len >= sizeof(a->names)) {
            say("jfr: events: too many names");
            return E_SYNTAX;
        }
    }
    return 0;
}

int jfr_events_print(const struct jfrtool_events *e, const char *const *words, size_t count)
{
    struct asked a = {.releases = e->jdk > 0 ? jfr_catalogue_release_bit(e->jdk) : ~0u};
    int damage = 0;
    if (take_words(&a, words, count) < 0)
        return CMD_USAGE;
    if (a.file)
        damage = jfr_census_take(&a.census, a.file, a.names[0] != '\0' ? a.names : NULL);
    int r = damage < 0 && damage != E_TRUNCATED ? damage : choose(&a);
    if (r == 0 && a.count == 0 && e->diff_with == 0) {
        say_unknown(&a);
        r = E_NOT_FOUND;
    } else if (r == 0) {
        r = write_all(e, &a);
    }
    free(a.events);
    jfr_census_done(&a.census);
    return r == 0 && damage == 0 ? CMD_OK : CMD_FAILED;
}
