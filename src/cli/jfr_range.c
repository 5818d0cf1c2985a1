/*
 * jfr_range.c - see jfr_range.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_range.h"
#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include "base/err.h"
#include "base/units.h"
#include "jfr/jfr_chunk.h"

enum { NS_PER_MS = 1000000, SECONDS_PER_DAY = 86400, YEARS_MAX = 2200 };

static const int64_t ns_per_s = 1000000000;

/* `digits` of them. Returns -1 where there are none. */
static int64_t take_digits(const char **text, int digits)
{
    int64_t number = 0;

    for (int i = 0; i < digits; i++, (*text)++) {
        if (!isdigit((unsigned char)**text))
            return -1;
        number = number * 10 + (**text - '0');
    }
    return number;
}

static bool take_mark(const char **text, char mark)
{
    if (**text != mark)
        return false;
    (*text)++;
    return true;
}

/* Since 1970-01-01, of the Gregorian calendar. Source: Hinnant, chrono-compatible date algorithms.
 */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month <= 2 ? year - 1 : year;
    int64_t era = shifted / 400, of_era = shifted - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "15:04:52.123" in ns. Returns false where it is none. */
static bool take_clock(const char **text, int64_t *ret_ns)
{
    int64_t hour = take_digits(text, 2);

    if (hour < 0 || hour > 23 || !take_mark(text, ':'))
        return false;
    int64_t minute = take_digits(text, 2), second = 0, fraction = 0;
    if (minute < 0 || minute > 59)
        return false;
    if (take_mark(text, ':'))
        second = take_digits(text, 2);
    if (second < 0 || second > 60)
        return false;
    if (take_mark(text, '.'))
        for (int64_t unit = ns_per_s / 10; isdigit((unsigned char)**text); unit /= 10, (*text)++)
            fraction += (**text - '0') * unit;
    *ret_ns = ((hour * 60 + minute) * 60 + second) * ns_per_s + fraction;
    return true;
}

/* "2026-11-23T" or with a blank, in ns since the epoch. */
static bool take_day(const char **text, int64_t *ret_ns)
{
    int64_t year = take_digits(text, 4);

    if (year < 1970 || year > YEARS_MAX || !take_mark(text, '-'))
        return false;
    int64_t month = take_digits(text, 2);
    if (month < 1 || month > 12 || !take_mark(text, '-'))
        return false;
    int64_t day = take_digits(text, 2);
    if (day < 1 || day > 31 || (!take_mark(text, 'T') && !take_mark(text, ' ')))
        return false;
    *ret_ns = days_of(year, month, day) * SECONDS_PER_DAY * ns_per_s;
    return true;
}

/* "Z" or "+01:00", behind a time at that offset. */
static bool take_offset(const char **text, int64_t *ret_ns)
{
    int sign = **text == '-' ? -1 : 1;

    *ret_ns = 0;
    if (take_mark(text, 'Z'))
        return true;
    if (!take_mark(text, '+') && !take_mark(text, '-'))
        return false;
    int64_t hours = take_digits(text, 2);
    int64_t minutes = hours >= 0 && take_mark(text, ':') ? take_digits(text, 2) : -1;
    if (minutes < 0)
        return false;
    *ret_ns = sign * (hours * 60 + minutes) * 60 * ns_per_s;
    return true;
}

static int parse_time(const char *text, struct jfr_range_moment *ret_moment)
{
    const char *at = text;
    int64_t day_ns = 0, clock_ns, offset_ns;
    bool has_day = take_day(&at, &day_ns);

    if (!has_day)
        at = text;
    if (!take_clock(&at, &clock_ns))
        return E_SYNTAX;
    ret_moment->kind = has_day ? JFR_RANGE_TIME : JFR_RANGE_CLOCK;
    ret_moment->value = day_ns + clock_ns;
    if (*at == '\0')
        return 0;
    if (!has_day || !take_offset(&at, &offset_ns) || *at != '\0')
        return E_SYNTAX;
    ret_moment->kind = JFR_RANGE_UTC;
    ret_moment->value -= offset_ns;
    return 0;
}

int jfr_range_parse(const char *text, struct jfr_range_moment *ret_moment)
{
    bool is_number = *text != '\0' && strspn(text, "0123456789") == strlen(text);
    uint64_t ns;

    if (strchr(text, ':'))
        return parse_time(text, ret_moment);
    if (units_parse_duration(text, 1, &ns) < 0)
        return E_SYNTAX;
    *ret_moment = (struct jfr_range_moment){is_number ? JFR_RANGE_NANOTIME : JFR_RANGE_SINCE_START,
                                            (int64_t)ns};
    return 0;
}

bool jfr_range_is_open(const struct jfr_range *r)
{
    return r->from.kind == JFR_RANGE_OPEN && r->to.kind == JFR_RANGE_OPEN;
}

/* What a file says may be any number: sums wrap. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t resolve(const struct jfr_range *r, const struct jfr_range_moment *m,
                       const struct jfr_chunk *c, int64_t open)
{
    int64_t offset = (int64_t)((uint64_t)c->metadata.gmt_offset_ms * NS_PER_MS);
    int64_t day_ns = SECONDS_PER_DAY * ns_per_s, local = sum(r->start_ns, offset);

    switch (m->kind) {
    case JFR_RANGE_NANOTIME:
        return jfr_chunk_time_ns(c, m->value);
    case JFR_RANGE_SINCE_START:
        return sum(r->start_ns, m->value);
    case JFR_RANGE_TIME:
        return sum(m->value, -offset);
    case JFR_RANGE_UTC:
        return m->value;
    case JFR_RANGE_CLOCK:
        return sum(local - local % day_ns, m->value - offset);
    default:
        return open;
    }
}

int jfr_range_chunk(struct jfr_range *r, const struct jfr_chunk *c)
{
    bool wants_nanotime = r->from.kind == JFR_RANGE_NANOTIME || r->to.kind == JFR_RANGE_NANOTIME;

    if (!r->has_begun)
        r->start_ns = c->header.start_ns;
    r->has_begun = true;
    if (wants_nanotime && c->header.ticks_per_second != (double)ns_per_s)
        return E_UNSUPPORTED;
    r->from_ns = resolve(r, &r->from, c, INT64_MIN);
    r->to_ns = resolve(r, &r->to, c, INT64_MAX);
    return 0;
}

bool jfr_range_takes(const struct jfr_range *r, const struct jfr_chunk *c,
                     const struct jfr_type *type, const struct jfr_record *record)
{
    struct leb l = record->payload;
    int64_t start = (int64_t)leb_number(&l), end = start;

    if (type->field_count > 1 && strcmp(type->fields[1].name, "duration") == 0)
        end = sum(start, (int64_t)leb_number(&l));
    return jfr_chunk_time_ns(c, start) <= r->to_ns && jfr_chunk_time_ns(c, end) >= r->from_ns;
}
