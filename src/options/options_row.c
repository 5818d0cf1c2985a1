/*
 * options_row.c - see options_row.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_row.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/units.h"
#include "safe/clock.h"

enum verdict { GOOD, WRONG, BEYOND };

static bool is_beyond(const struct options_row *row, uint64_t value)
{
    return value < row->least || (row->most && value > row->most);
}

static enum verdict set_switch(bool *to, const char *value)
{
    if (strcmp(value, "y") != 0 && strcmp(value, "n") != 0)
        return WRONG;
    *to = value[0] == 'y';
    return GOOD;
}

static enum verdict set_number(long *to, const char *value)
{
    if (!value[0])
        return WRONG;
    *to = strtol(value, NULL, 0);
    return GOOD;
}

static enum verdict set_count(const struct options_row *row, int *to, const char *value)
{
    char *end;
    long count = strtol(value, &end, 10);
    if (end == value || *end || count < 0)
        return WRONG;
    if (is_beyond(row, (uint64_t)count))
        return BEYOND;
    *to = (int)count;
    return GOOD;
}

static enum verdict set_size(const struct options_row *row, uint64_t *to, const char *value)
{
    uint64_t bytes;
    if (units_parse_size(value, &bytes) != 0)
        return WRONG;
    if (is_beyond(row, bytes))
        return BEYOND;
    *to = bytes;
    return GOOD;
}

/* Accepts blanks and a plus sign in front of the number, because the original's strtol() does. */
static enum verdict set_time(const struct options_row *row, uint64_t *to, const char *value)
{
    uint64_t ns;
    int error;
    value += strspn(value, " \t\n\v\f\r");
    value += value[0] == '+';
    error = units_parse_duration(value, NS_PER_MS, &ns);
    if (error == E_RANGE)
        ns = INT64_MAX;
    else if (error || (ns == 0 && row->least > 0))
        return WRONG;
    if (is_beyond(row, ns))
        return BEYOND;
    *to = ns;
    return GOOD;
}

static enum verdict set_seconds(uint64_t *to, const char *value)
{
    uint64_t ns;
    if (units_parse_duration(value, NS_PER_S, &ns) != 0 || ns == 0)
        return WRONG;
    *to = ns;
    return GOOD;
}

/* Source: TimespanUnit of jdk.jfr, JDK 25. */
static const struct {
    const char *unit;
    double per_s;
} rates[] = {{"/s", 1},     {"/m", 1.0 / 60}, {"/h", 1.0 / 3600}, {"/d", 1.0 / 86400},
             {"/ms", 1000}, {"/us", 1e6},     {"/ns", 1e9}};

enum { RATES = sizeof(rates) / sizeof(rates[0]), RATES_SAID = 4 /* the first ones */ };

static enum verdict set_rate(double *to, const char *value)
{
    char *end;
    double rate = strtod(value, &end);
    if (strcmp(value, "off") == 0) {
        *to = HUGE_VAL;
        return GOOD;
    }
    for (int i = 0; end != value && isfinite(rate) && i < RATES; i++) {
        double per_s = rate * rates[i].per_s;
        if (strcmp(end, rates[i].unit) != 0 || !(per_s > 0))
            continue;
        *to = per_s;
        return GOOD;
    }
    return WRONG;
}

bool options_row_is_unbounded(double rate)
{
    return isinf(rate) != 0;
}

static enum verdict set_fraction(double *to, const char *value)
{
    char *end;
    double fraction = strtod(value, &end);
    if (end == value || *end || fraction < 0)
        return WRONG;
    *to = fraction;
    return GOOD;
}

static enum verdict set_text(char *to, const char *value, size_t size)
{
    size_t len = strlen(value);
    if (len >= size)
        return WRONG;
    memcpy(to, value, len + 1);
    return GOOD;
}

static enum verdict set_choice(const struct options_row *row, int *to, const char *value)
{
    for (const struct options_row_choice *c = row->choices; c->word; c++) {
        if (strcmp(value, c->word) == 0) {
            *to = c->value;
            return GOOD;
        }
    }
    return WRONG;
}

static enum verdict set_field(const struct options_row *row, void *to, const char *value)
{
    switch (row->kind) {
    case OPTIONS_ROW_SWITCH:
        return set_switch(to, value);
    case OPTIONS_ROW_NUMBER:
        return set_number(to, value);
    case OPTIONS_ROW_COUNT:
        return set_count(row, to, value);
    case OPTIONS_ROW_SIZE:
        return set_size(row, to, value);
    case OPTIONS_ROW_TIME:
        return set_time(row, to, value);
    case OPTIONS_ROW_SECONDS:
        return set_seconds(to, value);
    case OPTIONS_ROW_RATE:
        return set_rate(to, value);
    case OPTIONS_ROW_FRACTION:
        return set_fraction(to, value);
    case OPTIONS_ROW_WORD_OF:
        return set_text(to, value, OPTIONS_ROW_WORD);
    case OPTIONS_ROW_TEXT_OF:
        return set_text(to, value, OPTIONS_ROW_TEXT);
    case OPTIONS_ROW_CHOICE:
        return set_choice(row, to, value);
    default:
        return WRONG;
    }
}

/* Writes what a value of this kind must be, for rows without their own text. */
static void say_wrong(const struct options_row *row, char *ret_why, size_t size)
{
    size_t n = (size_t)snprintf(ret_why, size, "%s option value must be ", row->name);
    if (n >= size)
        return;
    if (row->kind == OPTIONS_ROW_SWITCH)
        snprintf(ret_why + n, size - n, "y|n");
    else if (row->kind == OPTIONS_ROW_NUMBER)
        snprintf(ret_why + n, size - n, "numeric");
    else if (row->kind == OPTIONS_ROW_SIZE)
        snprintf(ret_why + n, size - n, "a size");
    else if (row->kind == OPTIONS_ROW_CHOICE)
        for (const struct options_row_choice *c = row->choices; c->word && n < size; c++)
            n += (size_t)snprintf(ret_why + n, size - n, "%s%s", c == row->choices ? "" : "|",
                                  c->word);
    else
        snprintf(ret_why + n, size - n, "shorter");
}

int options_row_set(const struct options_row *row, void *into, const char *value, char *ret_why,
                    size_t size)
{
    union {
        bool is_set;
        long number;
    } forgotten;
    void *to = row->is_unused ? (void *)&forgotten : (char *)into + row->at;
    const char *why;
    if (!value[0] && row->missing) {
        snprintf(ret_why, size, "%s", row->missing);
        return E_SYNTAX;
    }
    if (row->kind == OPTIONS_ROW_OWN) {
        why = row->set(into, value);
    } else {
        enum verdict verdict = set_field(row, to, value);
        if (verdict == GOOD && row->said_at)
            *(bool *)((char *)into + row->said_at) = true;
        if (verdict == GOOD)
            return 0;
        why = verdict == BEYOND && row->beyond ? row->beyond : row->wrong;
        if (!why) {
            say_wrong(row, ret_why, size);
            return E_SYNTAX;
        }
    }
    if (why)
        snprintf(ret_why, size, "%s", why);
    return why ? E_SYNTAX : 0;
}

static size_t field_bytes(const struct options_row *row)
{
    switch (row->kind) {
    case OPTIONS_ROW_SWITCH:
        return sizeof(bool);
    case OPTIONS_ROW_NUMBER:
        return sizeof(long);
    case OPTIONS_ROW_COUNT:
    case OPTIONS_ROW_CHOICE:
        return sizeof(int);
    case OPTIONS_ROW_SIZE:
    case OPTIONS_ROW_TIME:
    case OPTIONS_ROW_SECONDS:
        return sizeof(uint64_t);
    case OPTIONS_ROW_RATE:
    case OPTIONS_ROW_FRACTION:
        return sizeof(double);
    case OPTIONS_ROW_WORD_OF:
        return OPTIONS_ROW_WORD;
    case OPTIONS_ROW_TEXT_OF:
        return OPTIONS_ROW_TEXT;
    default:
        return 0;
    }
}

bool options_row_is_given(const struct options_row *row, const void *own, const void *defaults)
{
    const char *value = (const char *)own + row->at, *other = (const char *)defaults + row->at;
    bool is_text = row->kind == OPTIONS_ROW_WORD_OF || row->kind == OPTIONS_ROW_TEXT_OF;
    if (row->is_unused)
        return false;
    if (row->kind == OPTIONS_ROW_OWN)
        return row->said_at && *(const bool *)((const char *)own + row->said_at);
    return (is_text ? strcmp(value, other) : memcmp(value, other, field_bytes(row))) != 0;
}

void options_row_list(char *text, size_t size, const char *const *names)
{
    size_t n = strlen(text);
    for (int i = 0; names[i] && n < size; i++) {
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        n += (size_t)snprintf(text + n, size - n, "%s%s", before, names[i]);
    }
}

int options_row_check(const struct options_row *row, const char *word, char *ret_why, size_t size)
{
    const char *why;
    if (!word[0])
        return 0;
    if (row->refuse) {
        why = row->refuse(word);
        if (why)
            snprintf(ret_why, size, "%s=%s %s", row->name, word, why);
        return why ? E_NOT_FOUND : 0;
    }
    for (int i = 0; row->names[i]; i++)
        if (strcmp(word, row->names[i]) == 0)
            return 0;
    snprintf(ret_why, size, "no %s %s: use ", row->what, word);
    options_row_list(ret_why, size, row->names);
    return E_NOT_FOUND;
}

void options_row_copy(const struct options_row *row, void *into, const void *from)
{
    memcpy((char *)into + row->at, (const char *)from + row->at, field_bytes(row));
}

double options_row_number(const struct options_row *row, const void *own)
{
    const void *at = (const char *)own + row->at;
    switch (row->kind) {
    case OPTIONS_ROW_SWITCH:
        return *(const bool *)at;
    case OPTIONS_ROW_COUNT:
    case OPTIONS_ROW_CHOICE:
        return *(const int *)at;
    case OPTIONS_ROW_SIZE:
    case OPTIONS_ROW_TIME:
    case OPTIONS_ROW_SECONDS:
        return (double)*(const uint64_t *)at;
    case OPTIONS_ROW_RATE:
    case OPTIONS_ROW_FRACTION:
        return *(const double *)at;
    default:
        return 0;
    }
}

static void say_time(uint64_t ns, char *ret, size_t size)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{NS_PER_MS, "ms"}, {1000, "us"}, {1, "ns"}};
    int i = 0;
    while (ns % units[i].ns != 0)
        i++;
    snprintf(ret, size, "%llu %s", (unsigned long long)(ns / units[i].ns), units[i].unit);
}

/* Writes the rate in the first unit in which it is 1 or more, because the JDK reads no
 * fractions. */
static void say_rate(double rate, char *ret, size_t size)
{
    int i = 0;
    while (i + 1 < RATES_SAID && rate / rates[i].per_s < 1)
        i++;
    if (options_row_is_unbounded(rate))
        snprintf(ret, size, "off");
    else
        snprintf(ret, size, "%.0f%s", rate / rates[i].per_s, rates[i].unit);
}

void options_row_say(const struct options_row *row, const void *own, char *ret, size_t size)
{
    double number = options_row_number(row, own);
    switch (row->kind) {
    case OPTIONS_ROW_SWITCH:
        snprintf(ret, size, "%s", number != 0 ? "true" : "false");
        break;
    case OPTIONS_ROW_TIME:
    case OPTIONS_ROW_SECONDS:
        say_time(*(const uint64_t *)((const char *)own + row->at), ret, size);
        break;
    case OPTIONS_ROW_RATE:
        say_rate(number, ret, size);
        break;
    case OPTIONS_ROW_COUNT:
    case OPTIONS_ROW_SIZE:
        snprintf(ret, size, "%.0f", number);
        break;
    default:
        ret[0] = '\0';
    }
}
