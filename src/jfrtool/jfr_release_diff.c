/*
 * jfr_release_diff.c - see jfr_release_diff.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_release_diff.h"
#include <stdbool.h>
#include <string.h>
#include "base/sink.h"
#include "jfrtool/jfr_catalogue.h"
#include "jfr/jfr_filter.h"

enum { INDENT = 6 };

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
    sink_printf(d->s, "%*c %s %s: ", INDENT, sign,
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

void jfr_release_diff_put(struct sink *s, unsigned before, unsigned after, const char *names)
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
