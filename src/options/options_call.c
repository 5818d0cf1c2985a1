/*
 * options_call.c - see options_call.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_call.h"
#include <string.h>
#include "base/units.h"
#include "options/options_on.h"
#include "safe/clock.h"

static const char between[] = "::", than[] = ":>";

/* The same as options_on_read_class(), for a name with stars, which are no letters of a class. */
static bool read_pattern(char *name, size_t len)
{
    char plain[OPTIONS_ON_TEXT];
    if (len >= sizeof(plain))
        return false;
    for (size_t i = 0; i < len; i++)
        plain[i] = name[i] == '*' ? 'x' : name[i];
    if (!options_on_read_class(plain, len))
        return false;
    for (size_t i = 0; i < len; i++)
        name[i] = name[i] == '.' ? '/' : name[i];
    return true;
}

bool options_call_check(char *text, bool may_match)
{
    char *method = strstr(text, between), *time = strstr(text, than);
    uint64_t ns;
    if (!method || (time && time < method))
        return false;
    size_t class_len = (size_t)(method - text);
    if (!(may_match ? read_pattern(text, class_len) : options_on_read_class(text, class_len)))
        return false;
    method += strlen(between);
    if (time && units_parse_duration(time + strlen(than), NS_PER_MS, &ns) != 0)
        return false;
    size_t len = time ? (size_t)(time - method) : strlen(method);
    return len > 0 && strcspn(method, "(:") >= len && (may_match || !memchr(method, '*', len));
}

struct options_call options_call_split(char *text)
{
    char *method = strstr(text, between), *time = strstr(text, than);
    struct options_call call = {.klass = text, .method = method + strlen(between)};
    if (time) {
        call.has_least = true;
        (void)units_parse_duration(time + strlen(than), NS_PER_MS, &call.least_ns);
        *time = '\0';
    }
    *method = '\0';
    return call;
}
