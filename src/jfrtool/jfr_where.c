/*
 * jfr_where.c - see jfr_where.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_where.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_quantity.h"
#include "jfrtool/jfr_units.h"
#include "command/say.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

enum { NAME = 256 };

struct condition {
    char field[NAME];
    char order;   /* '=', '<' or '>' */
    bool is_not;  /* for '=': the condition is != */
    bool or_same; /* for '<' and '>': equal values are included */
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

const char *jfr_where_second(const char *condition)
{
    static const char *const words[] = {" and ", " or ", "&&", "||"};
    struct condition first, c;
    if (!parse(condition, &first))
        return NULL;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const char *at = strcasestr(first.value, words[i]);
        const char *rest = at ? at + strlen(words[i]) : NULL;
        if (rest && parse(rest + strspn(rest, " "), &c) && !strpbrk(c.field, " '\""))
            return at;
    }
    return NULL;
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
        *ret_number = fmin(fmax((double)span.seconds * NS_PER_S + span.nanos, -JFR_QUANTITY_EVER),
                           JFR_QUANTITY_EVER);
    }
    return true;
}

/* The number of a value. A point in time is in nanoseconds since the epoch, all other values are as
 * jfr_where_number() reads them. */
static bool number_of(const struct jfr_printer *o, const struct jfr_value *value, double *ret)
{
    if (!jfr_quantity_is_moment(value) || jfr_units_is_none(value))
        return jfr_where_number(o, value, ret);
    *ret = jfr_quantity_moment(o->chunk, value);
    return true;
}

/* Whether the text is a number, and not a word such as N/A or a pattern. */
static bool is_digits(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    return isdigit((unsigned char)at[*at == '.']) && !strpbrk(text, "*?");
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

static int check_equal(const char *condition, const struct condition *c, struct jfr_printer *o,
                       const struct jfr_value *value)
{
    double number, other;
    bool has_number = value->field && (value->shape == JFR_NUMBER || value->shape == JFR_REAL);
    bool is_same = value->shape != JFR_NULL && equals(o, value, c->value);
    if (!is_same && has_number && is_digits(c->value)) {
        if (jfr_quantity_parse(o->chunk, value, c->value, &other) < 0)
            return say_wrong(condition, c, jfr_quantity_wanted(value));
        is_same = number_of(o, value, &number) && number == other;
    }
    return is_same != c->is_not;
}

static int check_order(const char *condition, const struct condition *c, struct jfr_printer *o,
                       const struct jfr_value *value)
{
    double number, other;
    if (value->shape == JFR_NULL)
        return 0;
    if (!value->field || (value->shape != JFR_NUMBER && value->shape != JFR_REAL))
        return say_wrong(condition, c, "it is no number, which = and != are for");
    if (jfr_quantity_parse(o->chunk, value, c->value, &other) < 0)
        return say_wrong(condition, c, jfr_quantity_wanted(value));
    if (!number_of(o, value, &number))
        return 0;
    return c->order == '<' ? number < other || (c->or_same && number <= other)
                           : number > other || (c->or_same && number >= other);
}

int jfr_where_check(const char *condition, struct jfr_printer *o, const struct jfr_value *event)
{
    struct condition c;
    struct jfr_value value;
    if (!parse(condition, &c) || !jfr_value_named(o->chunk, event, c.field, &value))
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
