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
#include <strings.h>
#include "base/err.h"
#include "base/window.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_units.h"
#include "command/say.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_nanotime.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

enum { NAME = 256, UNIT = 16, MOMENT = 64, MS_PER_MINUTE = 60000 };

/* ---- numbers that people write, in the unit of a field: "0.1ms", "1 m 3 s", "4 kB", "12.5%",
 * "14:05:00"
 *
 * All units that our tables print can be read, and the prefixes mean the same: 1 kB is 1,024 bytes.
 * A number with an unknown unit is an error. */

static const double NEARLY = 1e-4;

/* The meanings that a field's number can have. */
enum sort { PLAIN, SPAN, MOMENTS, BYTES, BITS, HERTZ, SHARE };

static const char *const wanted[] = {
    [PLAIN] = "a number is wanted",
    [SPAN] = "a span of time is wanted, in ns, us, ms, s, m, h or d",
    [MOMENTS] = "a moment is wanted: 14:05:00, 2026-01-31T14:05:00, nanotime:N",
    [BYTES] = "an amount is wanted, in bytes, kB, MB, GB, TB",
    [BITS] = "an amount is wanted, in bits, kbit, Mbit, Gbit",
    [HERTZ] = "a rate is wanted, in Hz, kHz, MHz, GHz",
    [SHARE] = "a share is wanted, as 12.5% or 0.125",
};

static enum sort sort_of(const struct jfr_value *value)
{
    const struct jfr_field *f = value->field;
    if (f->content >= JFR_TICKS_STAMP)
        return MOMENTS;
    if (f->content != JFR_PLAIN)
        return SPAN;
    return f->marks & JFR_BYTES_AMOUNT  ? BYTES
           : f->marks & JFR_BITS_AMOUNT ? BITS
           : f->marks & JFR_FREQUENCY   ? HERTZ
           : f->marks & JFR_PERCENTAGE  ? SHARE
                                        : PLAIN;
}

/* Moves *at after a number; E_SYNTAX if there is none. "inf" and "nan" are not numbers. */
static int take_number(const char **at, double *ret_number)
{
    const char *digits = *at + (**at == '-' || **at == '+');
    char *end;
    if (!isdigit((unsigned char)digits[digits[0] == '.']))
        return E_SYNTAX;
    *ret_number = strtod(*at, &end);
    *at = end;
    return 0;
}

/* Moves *at after blanks and the unit that follows, which ends at the next blank or digit. */
static int take_unit(const char **at, char unit[UNIT])
{
    *at += strspn(*at, " ");
    size_t len = strcspn(*at, " 0123456789");

    if (len >= UNIT)
        return E_SYNTAX;
    memcpy(unit, *at, len);
    unit[len] = '\0';
    *at += len;
    *at += strspn(*at, " ");
    return 0;
}

static int span_unit(const char *unit, double *ret_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},  {"us", 1e3}, {"\302\265s", 1e3}, {"\316\274s", 1e3}, {"ms", 1e6},
                 {"s", 1e9}, {"m", 60e9}, {"min", 60e9},      {"h", 3600e9},      {"d", 86400e9}};
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(units[i].name, unit) == 0) {
            *ret_ns = units[i].ns;
            return 0;
        }
    return E_SYNTAX;
}

/* Reads "1 d 3 h", or any longer text that tables print. */
static int parse_span(const char *text, double *ret_ns)
{
    bool is_negative = *text == '-', is_first = true;
    double sum = 0, number, each;
    char unit[UNIT];
    if (strcasecmp(text, "Forever") == 0) {
        *ret_ns = JFR_UNITS_EVER;
        return 0;
    }
    for (text += is_negative; *text != '\0' || is_first; is_first = false) {
        if (*text == '-' || *text == '+' || take_number(&text, &number) < 0 ||
            take_unit(&text, unit) < 0)
            return E_SYNTAX;
        if (is_first && unit[0] == '\0' && *text == '\0')
            each = 1;
        else if (span_unit(unit, &each) < 0)
            return E_SYNTAX;
        sum += number * each;
    }
    /* 0.7 ms is a whole number of nanoseconds, but not as a double. */
    if (fabs(sum - round(sum)) < NEARLY)
        sum = round(sum);
    *ret_ns = is_negative ? -sum : sum;
    return 0;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Reads a unit with or without a prefix: "B", "kB", "KiB". */
static int prefixed_unit(const char *unit, const char *const *words, double step, double *ret_each)
{
    static const char prefixes[] = "kmgtpe";
    const char *prefix = *unit ? strchr(prefixes, tolower((unsigned char)*unit)) : NULL;
    *ret_each = 1;
    if (is_one_of(unit, words))
        return 0;
    if (!prefix)
        return E_SYNTAX;
    for (const char *p = prefixes; p <= prefix; p++)
        *ret_each *= step;
    return is_one_of(unit + 1 + (unit[1] == 'i'), words) ? 0 : E_SYNTAX;
}

/* Reads a number and at most one unit that fits the field. */
static int parse_amount(enum sort sort, bool is_rate, const char *text, double *ret_number)
{
    static const char *const words[][6] = {
        [PLAIN] = {"", NULL},
        [BYTES] = {"", "B", "byte", "bytes", NULL},
        [BITS] = {"", "bit", "bits", "bps", NULL},
        [HERTZ] = {"", "Hz", NULL},
        [SHARE] = {"", NULL},
    };
    char unit[UNIT];
    double number, each = 1;
    if (take_number(&text, &number) < 0 || take_unit(&text, unit) < 0 || *text != '\0')
        return E_SYNTAX;
    size_t len = strlen(unit);
    if (is_rate && len > 2 && strcmp(unit + len - 2, "/s") == 0)
        unit[len - 2] = '\0';
    if (sort == SHARE && strcmp(unit, "%") == 0)
        number /= 100;
    else if ((sort == SHARE && unit[0] != '\0') ||
             prefixed_unit(unit, words[sort], sort == HERTZ ? 1000 : 1024, &each) < 0)
        return E_SYNTAX;
    *ret_number = number * each;
    return 0;
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
    enum sort sort = sort_of(value);
    double number = 0;
    if (sort == MOMENTS)
        return parse_moment(text, c, ret_number);
    int r = sort == SPAN ? parse_span(text, &number)
                         : parse_amount(sort, value->field->marks & JFR_FREQUENCY, text, &number);
    *ret_number = number;
    return r;
}

/* ---- conditions */

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

/* The number of a value. A point in time is in nanoseconds since the epoch, all other values are as
 * jfr_units_number() reads them. */
static bool number_of(const struct jfr_chunk *c, const struct jfr_value *value, long double *ret)
{
    bool is_moment = value->field && value->shape == JFR_NUMBER && sort_of(value) == MOMENTS;
    if (!is_moment || jfr_units_is_none(value)) {
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
    long double number, other;
    bool has_number = value->field && (value->shape == JFR_NUMBER || value->shape == JFR_REAL);
    bool is_same = value->shape != JFR_NULL && equals(o, value, c->value);
    if (!is_same && has_number && is_digits(c->value)) {
        if (parse_number(o->chunk, value, c->value, &other) < 0)
            return say_wrong(condition, c, wanted[sort_of(value)]);
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
        return say_wrong(condition, c, wanted[sort_of(value)]);
    if (!number_of(o->chunk, value, &number))
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
