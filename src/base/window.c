/*
 * window.c - see window.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/window.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "safe/clock.h"

static const int64_t ns_per_day = 86400 * (int64_t)NS_PER_S;

/* Reads "12" or "12.345" as a count of 10^-9 and moves *at behind the number. Returns false if
 * there is no digit. */
static bool take_decimal(const char **at, int64_t *ret_nanos, bool *ret_fits)
{
    const char *start = *at;
    int64_t nanos = 0, digit_value = NS_PER_S / 10;
    *ret_fits = true;
    for (; isdigit((unsigned char)**at); (*at)++)
        if (__builtin_mul_overflow(nanos, 10, &nanos) ||
            __builtin_add_overflow(nanos, (int64_t)(**at - '0') * NS_PER_S, &nanos))
            *ret_fits = false;
    if (*at == start)
        return false;
    if (**at == '.' && isdigit((unsigned char)(*at)[1]))
        for (++*at; isdigit((unsigned char)**at); (*at)++, digit_value /= 10)
            if (__builtin_add_overflow(nanos, (**at - '0') * digit_value, &nanos))
                *ret_fits = false;
    *ret_nanos = nanos;
    return true;
}

/* Parses "2m": a number and its unit; without a unit the number is in seconds. */
static int parse_since_start(const char *text, struct window_edge *ret_edge)
{
    static const struct {
        const char *suffix;
        int64_t times, divided_by;
    } units[] = {{"", 1, 1}, {"s", 1, 1}, {"ms", 1, 1000}, {"m", 60, 1}, {"h", 3600, 1}};
    int64_t nanos;
    bool fits;
    if (!take_decimal(&text, &nanos, &fits))
        return E_SYNTAX;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (strcmp(text, units[i].suffix) != 0)
            continue;
        if (!fits || __builtin_mul_overflow(nanos, units[i].times, &nanos))
            return E_RANGE;
        *ret_edge = (struct window_edge){WINDOW_SINCE_START, nanos / units[i].divided_by};
        return 0;
    }
    return E_SYNTAX;
}

/* Reads two digits; the number is at most `max`. */
static bool take_pair(const char **at, int max, int *ret_number)
{
    if (!isdigit((unsigned char)(*at)[0]) || !isdigit((unsigned char)(*at)[1]))
        return false;
    *ret_number = ((*at)[0] - '0') * 10 + (*at)[1] - '0';
    *at += 2;
    return *ret_number <= max;
}

/* Reads "14:05", "14:05:00" or "14:05:00.250" as ns since midnight. */
static bool take_time_of_day(const char **at, int64_t *ret_ns)
{
    int hour, minute;
    int64_t second = 0;
    bool fits = true;
    if (!take_pair(at, 23, &hour) || *(*at)++ != ':' || !take_pair(at, 59, &minute))
        return false;
    if (**at == ':') {
        ++*at;
        if (!take_decimal(at, &second, &fits) || !fits || second >= 61 * (int64_t)NS_PER_S)
            return false;
    }
    *ret_ns = ((int64_t)hour * 60 + minute) * 60 * NS_PER_S + second;
    return true;
}

/* Reads "Z", "+01:00" or "-0530". Subtract *ret_seconds to get UTC. */
static bool take_zone(const char *at, int *ret_seconds)
{
    int sign = *at == '-' ? -1 : 1, hours, minutes;
    *ret_seconds = 0;
    if (strcmp(at, "Z") == 0)
        return true;
    if (*at != '+' && *at != '-')
        return false;
    at++;
    if (!take_pair(&at, 18, &hours))
        return false;
    at += *at == ':';
    if (!take_pair(&at, 59, &minutes) || *at != '\0')
        return false;
    *ret_seconds = sign * (hours * 60 + minutes) * 60;
    return true;
}

/* Parses "2026-01-31T14:05:00Z". */
static int parse_date(const char *text, struct window_edge *ret_edge)
{
    struct tm day = {.tm_isdst = -1};
    const char *at = strptime(text, "%Y-%m-%d", &day);
    int64_t of_day;
    int zone = 0;
    if (!at || (*at != 'T' && *at != ' '))
        return E_SYNTAX;
    at++;
    if (!take_time_of_day(&at, &of_day) || (*at != '\0' && !take_zone(at, &zone)))
        return E_SYNTAX;
    int64_t second = of_day / NS_PER_S;
    day.tm_hour = (int)(second / 3600);
    day.tm_min = (int)(second / 60 % 60);
    day.tm_sec = (int)(second % 60);
    int64_t since = *at != '\0' ? (int64_t)timegm(&day) - zone : (int64_t)mktime(&day);
    if (__builtin_mul_overflow(since, NS_PER_S, &since))
        return E_RANGE;
    *ret_edge = (struct window_edge){WINDOW_MOMENT, since + of_day % NS_PER_S};
    return 0;
}

static int parse_nanotime(const char *text, struct window_edge *ret_edge)
{
    bool is_negative = *text == '-';
    uint64_t value = 0;
    text += is_negative;
    if (*text == '\0')
        return E_SYNTAX;
    for (; *text != '\0'; text++) {
        if (!isdigit((unsigned char)*text))
            return E_SYNTAX;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value) || value > INT64_MAX)
            return E_RANGE;
    }
    *ret_edge =
        (struct window_edge){WINDOW_NANOTIME, is_negative ? -(int64_t)value : (int64_t)value};
    return 0;
}

int window_parse(const char *text, struct window_edge *ret_edge)
{
    static const char nanotime[] = "nanotime:";
    const char *at = text;
    int64_t of_day;
    if (strncmp(text, nanotime, sizeof(nanotime) - 1) == 0)
        return parse_nanotime(text + sizeof(nanotime) - 1, ret_edge);
    if (*text == '+')
        return parse_since_start(text + 1, ret_edge);
    if (strchr(text, '-'))
        return parse_date(text, ret_edge);
    if (!strchr(text, ':'))
        return parse_since_start(text, ret_edge);
    if (!take_time_of_day(&at, &of_day) || *at != '\0')
        return E_SYNTAX;
    *ret_edge = (struct window_edge){WINDOW_OF_DAY, of_day};
    return 0;
}

bool window_is_set(const struct window *w)
{
    return w->from.kind != WINDOW_OPEN || w->to.kind != WINDOW_OPEN;
}

bool window_is_empty(const struct window *w)
{
    return w->from.kind != WINDOW_OPEN && w->from.kind != WINDOW_OF_DAY &&
           w->from.kind == w->to.kind && w->from.value >= w->to.value;
}

/* The sum; at an overflow the largest or smallest value of 64 bits. */
static int64_t later(int64_t ns, int64_t by)
{
    int64_t sum;
    if (__builtin_add_overflow(ns, by, &sum))
        return by < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* The moment of that time of day nearest to the start. If a recording began at 23:50, 00:10 is a
 * time of the next day. */
static int64_t nearest_day(int64_t of_day, int64_t start_ns)
{
    time_t start = (time_t)(start_ns / NS_PER_S);
    struct tm local;
    if (start_ns < INT64_MIN + 2 * ns_per_day || start_ns > INT64_MAX - 2 * ns_per_day ||
        !localtime_r(&start, &local))
        return later(start_ns, of_day);
    local.tm_hour = local.tm_min = local.tm_sec = 0;
    local.tm_isdst = -1;
    int64_t moment = (int64_t)mktime(&local) * NS_PER_S + of_day;

    if (moment < start_ns - ns_per_day / 2)
        return moment + ns_per_day;
    return moment > start_ns + ns_per_day / 2 ? moment - ns_per_day : moment;
}

static int resolve_edge(const struct window_edge *edge, const struct window_clock *clock,
                        int64_t *ret_ns)
{
    switch (edge->kind) {
    case WINDOW_SINCE_START:
        *ret_ns = later(clock->start_ns, edge->value);
        return 0;
    case WINDOW_OF_DAY:
        *ret_ns = nearest_day(edge->value, clock->start_ns);
        return 0;
    case WINDOW_MOMENT:
        *ret_ns = edge->value;
        return 0;
    case WINDOW_NANOTIME:
        if (!clock->has_nanotime)
            return E_UNSUPPORTED;
        *ret_ns =
            later(clock->start_ns, (int64_t)((uint64_t)edge->value - (uint64_t)clock->nanotime_ns));
        return 0;
    default:
        return 0;
    }
}

int window_resolve(struct window *w, const struct window_clock *clock)
{
    if (w->is_resolved)
        return 0;
    w->from_ns = INT64_MIN;
    w->to_ns = INT64_MAX;
    int r = resolve_edge(&w->from, clock, &w->from_ns);
    if (r == 0)
        r = resolve_edge(&w->to, clock, &w->to_ns);
    w->is_resolved = r == 0;
    return r;
}

bool window_has(const struct window *w, int64_t time_ns)
{
    return time_ns >= w->from_ns && time_ns < w->to_ns;
}
