/*
 * times_filter.c - see times_filter.h.
 *
 * Linear in the text for each `*`: a pattern goes back only to its last `*`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_filter.h"
#include <string.h>

enum whole { WHOLE, BEGINNING }; /* is the text all there is, or may more follow? */

/* Two texts behind each other; the second may be empty. */
struct text {
    const char *a, *b;
    size_t a_len, len;
};

static char at(const struct text *t, size_t i)
{
    char c = i < t->a_len ? t->a[i] : t->b[i - t->a_len];

    return c == '/' ? '.' : c;
}

static int matches(const char *pattern, size_t pattern_len, const struct text *t, enum whole whole)
{
    size_t p = 0, i = 0, star = pattern_len, retry = 0;

    while (i < t->len) {
        if (p < pattern_len && pattern[p] == '*') {
            star = p++;
            retry = i;
        } else if (p < pattern_len && (pattern[p] == '/' ? '.' : pattern[p]) == at(t, i)) {
            p++;
            i++;
        } else if (star < pattern_len) {
            p = star + 1;
            i = ++retry;
        } else {
            return 0;
        }
    }
    if (whole == BEGINNING)
        return 1; /* the rest of the pattern is for what follows */
    while (p < pattern_len && pattern[p] == '*')
        p++;
    return p == pattern_len;
}

/* Whether any pattern of the list matches. */
static int any(const char *patterns, const struct text *t, enum whole whole)
{
    for (const char *p = patterns; *p;) {
        size_t len = strcspn(p, ":");

        if (len > 0 && matches(p, len, t, whole))
            return 1;
        p += len;
        p += *p == ':';
    }
    return 0;
}

int times_filter_has_class(const char *patterns, const char *class_name, size_t class_len)
{
    struct text t = {class_name, "", class_len, class_len};

    return any(patterns, &t, WHOLE);
}

int times_filter_may_have(const char *patterns, const char *class_name, size_t class_len)
{
    struct text t = {class_name, ".", class_len, class_len + 1};

    return times_filter_has_class(patterns, class_name, class_len) || any(patterns, &t, BEGINNING);
}

int times_filter_has(const char *patterns, const char *class_name, size_t class_len,
                     const char *name, size_t name_len)
{
    char both[512];
    struct text t = {class_name, both, class_len, class_len + 1 + name_len};

    if (times_filter_has_class(patterns, class_name, class_len))
        return 1;
    if (name_len > sizeof(both) - 1)
        return 0;
    both[0] = '.';
    memcpy(both + 1, name, name_len);
    return any(patterns, &t, WHOLE);
}
