/*
 * jfr_where.c - see jfr_where.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_where.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/window.h"
#include "command/amount.h"
#include "command/condition.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_units.h"
#include "command/say.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_nanotime.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

enum { MOMENT = 64, MS_PER_MINUTE = 60000 };

/* ---- numbers that people write, in the unit of a field: those of amount.h, and moments as
 * "14:05:00" */

static const char wanted_moment[] = "a moment is wanted: 14:05:00, 2026-01-31T14:05:00, nanotime:N";

static bool is_moment(const struct jfr_value *value)
{
    return value->field->content >= JFR_TICKS_STAMP;
}

/* The meaning of a field's number that is no moment. */
static enum amount amount_of(const struct jfr_value *value)
{
    const struct jfr_field *f = value->field;
    if (f->content != JFR_PLAIN)
        return AMOUNT_SPAN;
    return f->marks & JFR_BYTES_AMOUNT  ? AMOUNT_BYTES
           : f->marks & JFR_BITS_AMOUNT ? AMOUNT_BITS
           : f->marks & JFR_FREQUENCY   ? AMOUNT_HERTZ
           : f->marks & JFR_PERCENTAGE  ? AMOUNT_SHARE
                                        : AMOUNT_PLAIN;
}

static const char *wanted_of(const struct jfr_value *value)
{
    return is_moment(value) ? wanted_moment : amount_wanted(amount_of(value));
}

/* Reads "14:05:00.250 (2026-01-31)", as tables print it, in the local time of the machine that
 * recorded. */
static bool parse_printed(const char *text, const struct jfr_chunk *c, struct window_edge *ret_edge)
{
    int64_t minutes = c->metadata.gmt_offset_ms / MS_PER_MINUTE;
    const char *day = strstr(text, " (");
    char iso[MOMENT];
    if (!day || strlen(day) != strlen(" (2026-01-31)") || day[strlen(day) - 1] != ')')
        return false;
    int len = snprintf(iso, sizeof(iso), "%.10sT%.*s%c%02d:%02d", day + 2, (int)(day - text), text,
                       minutes < 0 ? '-' : '+', (int)(llabs(minutes) / 60 % 24),
                       (int)(llabs(minutes) % 60));
    return len < (int)sizeof(iso) && window_parse(iso, ret_edge) == 0;
}

/* Reads a point in time. A bare number counts from an unknown start, so it is refused; "nanotime:5"
 * is accepted. */
static int parse_moment(const char *text, const struct jfr_chunk *c, long double *ret_ns)
{
    struct window w = {0};
    if (!parse_printed(text, c, &w.from) &&
        (window_parse(text, &w.from) < 0 || w.from.kind == WINDOW_SINCE_START))
        return E_SYNTAX;
    if (jfr_nanotime_resolve(&w, c) < 0)
        return E_SYNTAX;
    *ret_ns = (long double)w.from_ns;
    return 0;
}

/* Reads the text as a number for the value's field: a span in nanoseconds, a point in time in
 * nanoseconds since the epoch, of which a double would know only every 256th. A span without a unit
 * is in nanoseconds. Errors: 0, E_SYNTAX. */
static int parse_number(const struct jfr_chunk *c, const struct jfr_value *value, const char *text,
                        long double *ret_number)
{
    double number = 0;
    if (is_moment(value))
        return parse_moment(text, c, ret_number);
    int r = amount_parse(amount_of(value), value->field->marks & JFR_FREQUENCY, text, &number);
    *ret_number = number;
    return r;
}

/* ---- conditions */

bool jfr_where_is(const char *condition)
{
    struct condition c;
    return condition_parse(condition, &c);
}

/* The number of a value. A point in time is in nanoseconds since the epoch, all other values are as
 * jfr_units_number() reads them. */
static bool number_of(const struct jfr_chunk *c, const struct jfr_value *value, long double *ret)
{
    bool has_moment = value->field && value->shape == JFR_NUMBER && is_moment(value);
    if (!has_moment || jfr_units_is_none(value)) {
        double number = 0;
        bool is_known = jfr_units_number(c, value, &number);
        *ret = number;
        return is_known;
    }
    *ret = value->field->content == JFR_TICKS_STAMP
               ? (long double)jfr_chunk_time_ns(c, value->number)
               : (long double)value->number * NS_PER_MS;
    return true;
}

static int say_wrong(const char *condition, const struct condition *c, const char *why)
{
    say("jfr: --where '%s': '%s' cannot be compared with '%s': %s", condition, c->value, c->field,
        why);
    return E_SYNTAX;
}

/* Whether the text of the value matches. The text is written at the end of the printer's text and
 * removed again. */
static bool equals(struct jfr_printer *o, const struct jfr_value *value, const char *text)
{
    size_t start = o->text.len;
    bool is_equal;
    jfr_pretty_cell(o, value);
    textbuf_char(&o->text, '\0');
    is_equal = !o->text.is_bad && jfr_filter_glob(text, o->text.bytes + start);
    o->text.len = start;
    return is_equal;
}

bool jfr_where_path(const char *condition, char *to, size_t room)
{
    struct condition c;
    return condition_parse(condition, &c) && (size_t)snprintf(to, room, "%s", c.field) < room;
}

bool jfr_where_is_equality(const char *condition)
{
    struct condition c;
    return condition_parse(condition, &c) && c.order == '=';
}

bool jfr_where_holds_for(const char *condition, const char *text)
{
    struct condition c;
    return condition_parse(condition, &c) && (text && jfr_filter_glob(c.value, text)) != c.is_not;
}

bool jfr_where_has_field(const char *condition, const struct jfr_printer *o,
                         const struct jfr_value *event)
{
    struct condition c;
    struct jfr_value value;
    return condition_parse(condition, &c) && jfr_value_named(o->chunk, event, c.field, &value);
}

static int check_equal(const char *condition, const struct condition *c, struct jfr_printer *o,
                       const struct jfr_value *value)
{
    long double number, other;
    bool has_number = value->field && (value->shape == JFR_NUMBER || value->shape == JFR_REAL);
    bool is_same = value->shape != JFR_NULL && equals(o, value, c->value);
    if (!is_same && has_number && condition_has_number(c)) {
        if (parse_number(o->chunk, value, c->value, &other) < 0)
            return say_wrong(condition, c, wanted_of(value));
        is_same = number_of(o->chunk, value, &number) && number == other;
    }
    return is_same != c->is_not;
}

static int check_order(const char *condition, const struct condition *c, struct jfr_printer *o,
                       const struct jfr_value *value)
{
    long double number, other;
    if (value->shape == JFR_NULL)
        return 0;
    if (!value->field || (value->shape != JFR_NUMBER && value->shape != JFR_REAL))
        return say_wrong(condition, c, "it is no number, which = and != are for");
    if (parse_number(o->chunk, value, c->value, &other) < 0)
        return say_wrong(condition, c, wanted_of(value));
    if (!number_of(o->chunk, value, &number))
        return 0;
    return condition_holds(c, number, other);
}

int jfr_where_check(const char *condition, struct jfr_printer *o, const struct jfr_value *event)
{
    struct condition c;
    struct jfr_value value;
    if (!condition_parse(condition, &c) || !jfr_value_named(o->chunk, event, c.field, &value))
        return 0;
    return c.order == '=' ? check_equal(condition, &c, o, &value)
                          : check_order(condition, &c, o, &value);
}

int jfr_where_all(const struct jfr_where_set *set, struct jfr_printer *o,
                  const struct jfr_value *event)
{
    for (uint32_t i = 0; i < set->count; i++) {
        int verdict = jfr_where_check(set->of[i], o, event);
        if (verdict <= 0)
            return verdict;
    }
    return 1;
}

void jfr_where_words(const struct jfr_where_set *set, char words[JFR_WHERE_WORDS])
{
    size_t len = 0;
    words[0] = '\0';
    for (uint32_t i = 0; i < set->count && len < JFR_WHERE_WORDS; i++)
        len += (size_t)snprintf(words + len, JFR_WHERE_WORDS - len, "%s--where '%s'",
                                i > 0 ? " " : "", set->of[i]);
}
