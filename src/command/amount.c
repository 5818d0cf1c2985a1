/*
 * amount.c - see amount.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/amount.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/err.h"

enum { UNIT = 16 };

static const double NEARLY = 1e-4;

const char *amount_wanted(enum amount of)
{
    static const char *const wanted[] = {
        [AMOUNT_PLAIN] = "a number is wanted",
        [AMOUNT_SPAN] = "a span of time is wanted, in ns, us, ms, s, m, h or d",
        [AMOUNT_BYTES] = "an amount is wanted, in bytes, kB, MB, GB, TB",
        [AMOUNT_BITS] = "an amount is wanted, in bits, kbit, Mbit, Gbit",
        [AMOUNT_HERTZ] = "a rate is wanted, in Hz, kHz, MHz, GHz",
        [AMOUNT_SHARE] = "a share is wanted, as 12.5% or 0.125",
    };
    return wanted[of];
}

/* Moves *at after a number; E_SYNTAX if there is none. */
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
        *ret_ns = AMOUNT_EVER;
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
static int parse_amount(enum amount of, bool is_rate, const char *text, double *ret_number)
{
    static const char *const words[][6] = {
        [AMOUNT_PLAIN] = {"", NULL},
        [AMOUNT_BYTES] = {"", "B", "byte", "bytes", NULL},
        [AMOUNT_BITS] = {"", "bit", "bits", "bps", NULL},
        [AMOUNT_HERTZ] = {"", "Hz", NULL},
        [AMOUNT_SHARE] = {"", NULL},
    };
    char unit[UNIT];
    double number, each = 1;
    if (take_number(&text, &number) < 0 || take_unit(&text, unit) < 0 || *text != '\0')
        return E_SYNTAX;
    size_t len = strlen(unit);
    if (is_rate && len > 2 && strcmp(unit + len - 2, "/s") == 0)
        unit[len - 2] = '\0';
    if (of == AMOUNT_SHARE && strcmp(unit, "%") == 0)
        number /= 100;
    else if ((of == AMOUNT_SHARE && unit[0] != '\0') ||
             prefixed_unit(unit, words[of], of == AMOUNT_HERTZ ? 1000 : 1024, &each) < 0)
        return E_SYNTAX;
    *ret_number = number * each;
    return 0;
}

int amount_parse(enum amount of, bool is_rate, const char *text, double *ret_number)
{
    return of == AMOUNT_SPAN ? parse_span(text, ret_number)
                             : parse_amount(of, is_rate, text, ret_number);
}
