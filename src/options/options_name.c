/*
 * options_name.c - see options_name.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"

enum { CYCLE_LEAST = 2, WORD = 128 };

/* The length of the "{MAX}" after %n; 0: there is none. */
static size_t cycle_at(const char *text, uint32_t *ret_max)
{
    size_t digits = text[0] == '{' ? strspn(text + 1, "0123456789") : 0;
    *ret_max = 0;
    if (digits == 0 || digits > 6 || text[1 + digits] != '}')
        return 0;
    *ret_max = (uint32_t)strtoul(text + 1, NULL, 10);
    return digits + 2;
}

/* The next placeholder from `at` on; NULL: there is none. */
static const char *next_place(const char *at)
{
    const char *place = strchr(at, '%');
    return place && place[1] ? place : NULL;
}

bool options_name_turns(const char *pattern)
{
    bool turns = false;
    uint32_t max;
    for (const char *at = pattern; (at = next_place(at)) != NULL; at += 2) {
        turns |= at[1] == 't' || at[1] == 'n';
        if (at[1] == 'n' && cycle_at(at + 2, &max) > 0 && max < CYCLE_LEAST)
            return false;
    }
    return turns;
}

uint32_t options_name_cycle(const char *pattern)
{
    uint32_t max, cycle = 0;
    for (const char *at = pattern; (at = next_place(at)) != NULL; at += 2) {
        if (at[1] == 't') /* all names differ */
            return 0;
        if (at[1] == 'n' && cycle_at(at + 2, &max) > 0)
            cycle = max;
    }
    return cycle;
}

static void write_time(char *piece, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(piece, size, "%Y%m%d-%H%M%S", &local);
}

/* The value of the variable in "{NAME}". NULL: there is no such variable; `piece` is its name. */
static const char *find_variable(const char *braces, char *piece, size_t size, size_t *ret_len)
{
    size_t len = strcspn(braces + 1, "}");
    *ret_len = len + 2;
    snprintf(piece, size, "%.*s", (int)(len < size ? len : size - 1), braces + 1);
    return getenv(piece);
}

/* The text for the placeholder or character at `p`; *ret_len is the length of what it replaces.
 * NULL: the variable does not exist; `piece` is its name. */
static const char *piece_of(const char *p, uint32_t turn, char *piece, size_t size, size_t *ret_len)
{
    uint32_t max;
    size_t more = 0;
    *ret_len = p[0] == '%' && p[1] && strchr("ptnc%", p[1]) ? 2 : 1;
    if (p[0] == '%' && p[1] == '{' && strchr(p, '}')) {
        const char *value = find_variable(p + 1, piece, size, ret_len);
        *ret_len += 1;
        return value;
    }
    if (*ret_len == 1 || p[1] == '%') {
        snprintf(piece, size, "%c", *p);
    } else if (p[1] == 'c') {
        snprintf(piece, size, ",");
    } else if (p[1] == 'p') {
        snprintf(piece, size, "%d", (int)getpid());
    } else if (p[1] == 't') {
        write_time(piece, size);
    } else {
        more = cycle_at(p + 2, &max);
        snprintf(piece, size, "%u", (unsigned)(max ? turn % max : turn));
    }
    *ret_len += more;
    return piece;
}

int options_name_expand(const char *pattern, uint32_t turn, char *ret, size_t size)
{
    size_t n = 0, len;
    for (const char *p = pattern; *p; p += len) {
        char own[WORD];
        const char *piece = piece_of(p, turn, own, sizeof(own), &len);
        if (!piece) {
            snprintf(ret, size, "%s", own);
            return E_NOT_FOUND;
        }
        if (n + strlen(piece) >= size)
            return E_LIMIT;
        memcpy(ret + n, piece, strlen(piece) + 1);
        n += strlen(piece);
    }
    ret[n] = '\0';
    return 0;
}
