/*
 * jfr_where.c - see jfr_where.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_where.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "cli/jfr_pretty.h"
#include "cli/jfr_printer.h"
#include "cli/jfr_units.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"

enum { NAME = 256, NS_PER_S = 1000000000 };

struct condition {
    char field[NAME];
    char order;   /* '=', '<' or '>' */
    bool is_not;  /* of '=' */
    bool or_same; /* of the others */
    const char *value;
};

static bool parse(const char *text, struct condition *c)
{
    size_t len = strcspn(text, "!=<>");
    const char *at = text + len;

    *c = (struct condition){.is_not = *at == '!'};
    at += c->is_not;
    if (len == 0 || len >= sizeof(c->field) || *at == '\0' || (c->is_not && *at != '='))
        return false;
    c->order = *at++;
    c->or_same = c->order != '=' && *at == '=';
    at += c->or_same || (c->order == '=' && *at == '=');
    memcpy(c->field, text, len);
    while (len > 0 && c->field[len - 1] == ' ')
        len--;
    c->field[len] = '\0';
    c->value = at + strspn(at, " ");
    return true;
}

bool jfr_where_is(const char *condition)
{
    struct condition c;

    return parse(condition, &c);
}

bool jfr_where_number(const struct jfr_printer *o, const struct jfr_value *value,
                      double *ret_number)
{
    if (jfr_units_is_none(value))
        return false;
    if (value->shape == JFR_REAL) {
        *ret_number = value->real;
    } else if (value->field->content == JFR_PLAIN || value->field->content >= JFR_TICKS_STAMP) {
        int64_t number = jfr_value_widened(value);

        *ret_number =
            value->field->marks & JFR_UNSIGNED ? (double)(uint64_t)number : (double)number;
    } else {
        struct javatext_span span = jfr_units_span(o->chunk, value->field, value->number);

        *ret_number = fmin(fmax((double)span.seconds * NS_PER_S + span.nanos, -JFR_WHERE_EVER),
                           JFR_WHERE_EVER);
    }
    return true;
}

/* What the user wrote, in the unit of the field. NAN: it is no number, as "true" is none. */
static double wanted(const struct jfr_value *value, const char *text)
{
    uint64_t number;
    char *end;

    if (value->shape == JFR_NUMBER && value->field->content != JFR_PLAIN &&
        units_parse_duration(text, 1, &number) == 0)
        return (double)number;
    if (value->shape == JFR_NUMBER && units_parse_size(text, &number) == 0)
        return (double)number;
    double real = strtod(text, &end);
    return end > text ? real : NAN;
}

/* The text is made where the printer writes, and taken back. */
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

    return parse(condition, &c) && (size_t)snprintf(to, room, "%s", c.field) < room;
}

bool jfr_where_is_equality(const char *condition)
{
    struct condition c;

    return parse(condition, &c) && c.order == '=';
}

bool jfr_where_holds_for(const char *condition, const char *text)
{
    struct condition c;

    return parse(condition, &c) && (text && jfr_filter_glob(c.value, text)) != c.is_not;
}

bool jfr_where_has_field(const char *condition, const struct jfr_printer *o,
                         const struct jfr_value *event)
{
    struct condition c;
    struct jfr_value value;

    return parse(condition, &c) && jfr_value_named(o->chunk, event, c.field, &value);
}

bool jfr_where_holds(const char *condition, struct jfr_printer *o, const struct jfr_value *event)
{
    struct condition c;
    struct jfr_value value;
    double number;

    if (!parse(condition, &c) || !jfr_value_named(o->chunk, event, c.field, &value))
        return false;
    bool is_number = jfr_where_number(o, &value, &number);
    if (c.order == '=')
        return (is_number ? number == wanted(&value, c.value) || equals(o, &value, c.value)
                          : value.shape != JFR_NULL && equals(o, &value, c.value)) != c.is_not;
    if (!is_number)
        return false;
    double other = wanted(&value, c.value);
    return c.order == '<' ? number < other || (c.or_same && number <= other)
                          : number > other || (c.or_same && number >= other);
}
