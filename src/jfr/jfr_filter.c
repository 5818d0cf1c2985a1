/*
 * jfr_filter.c - see jfr_filter.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_filter.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/wildcard.h"
#include "jfr/jfr_type.h"

enum { ACRONYM = 32 };

/* Matches names of event types, fields and threads; the case matters. */
static bool matches(const char *text, const char *pattern, size_t len)
{
    return wildcard_matches(pattern, len, text, strlen(text), false);
}

bool jfr_filter_glob(const char *pattern, const char *text)
{
    return matches(text, pattern, strlen(pattern));
}

/* The length of the next pattern of a list; 0 at its end. */
static size_t next_pattern(const char **list, const char **ret_pattern)
{
    while (**list != '\0') {
        const char *at = *list + strspn(*list, ", ");
        size_t len = strcspn(at, ",");
        *list = at + len;
        *ret_pattern = at;
        while (len > 0 && at[len - 1] == ' ')
            len--;
        if (len > 0)
            return len;
    }
    return 0;
}

const char *jfr_filter_field(const struct jfr_type *type, const char *path)
{
    const char *names[] = {type->name, jfr_filter_simple(type->name)};
    for (int i = 0; i < 2; i++) {
        size_t len = strlen(names[i]);
        if (strncasecmp(path, names[i], len) == 0 && path[len] == '.' && jfr_type_is_event(type))
            return path + len + 1;
    }
    return NULL;
}

const char *jfr_filter_simple(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

bool jfr_filter_texts(const char *patterns, const char *text)
{
    const char *pattern;
    for (size_t len; (len = next_pattern(&patterns, &pattern)) > 0;)
        if (matches(text, pattern, len))
            return true;
    return false;
}

bool jfr_filter_names(const char *patterns, const char *name)
{
    const char *pattern;
    for (size_t len; (len = next_pattern(&patterns, &pattern)) > 0;)
        if (matches(name, pattern, len) || matches(jfr_filter_simple(name), pattern, len))
            return true;
    return false;
}

const char *jfr_filter_category(const struct jfr_type *type, unsigned number)
{
    char key[24];
    const char *value;
    snprintf(key, sizeof(key), "value-%u", number);
    value = jfr_type_annotation(&type->annotations, "jdk.jfr.Category", key);
    if (!value && number == 0)
        value = jfr_type_annotation(&type->annotations, "jdk.jfr.Category", "value");
    return !value && number == 0 ? "Uncategorized" : value;
}

/* Whether the pattern is the first letters of the category: JVM for "Java Virtual Machine". */
static bool is_acronym(const char *category, const char *pattern, size_t len)
{
    char letters[ACRONYM];
    size_t count = 0;
    bool is_new = true;
    if (!strchr(category, ' '))
        return false;
    for (; *category != '\0' && count < sizeof(letters); category++) {
        if (is_new && isupper((unsigned char)*category))
            letters[count++] = *category;
        is_new = isspace((unsigned char)*category);
    }
    return count == len && memcmp(letters, pattern, len) == 0;
}

static bool fits_category(const char *patterns, const struct jfr_type *type)
{
    const char *category, *pattern, *rest;
    for (unsigned i = 0; (category = jfr_filter_category(type, i)) != NULL; i++) {
        rest = patterns;
        for (size_t len; (len = next_pattern(&rest, &pattern)) > 0;)
            if (matches(category, pattern, len) || is_acronym(category, pattern, len))
                return true;
    }
    return false;
}

bool jfr_filter_fits(const struct jfr_filter *filter, const struct jfr_type *type)
{
    return (!filter->events || jfr_filter_names(filter->events, type->name)) &&
           (!filter->categories || fits_category(filter->categories, type));
}
