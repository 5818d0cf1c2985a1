/*
 * method_filter.c - see method_filter.h.
 *
 * A comparison goes back only to the last `*` of the pattern, so each `*` costs at most one pass
 * over the text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/method_filter.h"
#include <string.h>

enum whole { WHOLE, BEGINNING }; /* the text is the whole name, or only its beginning */

/* The concatenation of two texts; the second may be empty. */
struct text {
    const char *a, *b;
    size_t a_len, len;
};

static char at(const struct text *t, size_t i)
{
    char c = i < t->a_len ? t->a[i] : t->b[i - t->a_len];
    return c == '/' ? '.' : c;
}

static bool matches(const char *pattern, size_t pattern_len, const struct text *t, enum whole whole)
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
            return false;
        }
    }
    if (whole == BEGINNING)
        return true; /* the rest of the pattern may match the text that follows */
    while (p < pattern_len && pattern[p] == '*')
        p++;
    return p == pattern_len;
}

/* Whether a pattern of the list matches. */
static bool any(const char *patterns, const struct text *t, enum whole whole)
{
    for (const char *p = patterns; *p;) {
        size_t len = strcspn(p, ":");
        if (len > 0 && matches(p, len, t, whole))
            return true;
        p += len;
        p += *p == ':';
    }
    return false;
}

static bool has_class(const char *patterns, const char *class_name, size_t class_len)
{
    struct text t = {class_name, "", class_len, class_len};
    return any(patterns, &t, WHOLE);
}

static bool may_have(const char *patterns, const char *class_name, size_t class_len)
{
    struct text t = {class_name, ".", class_len, class_len + 1};
    return has_class(patterns, class_name, class_len) || any(patterns, &t, BEGINNING);
}

static bool has(const char *patterns, const char *class_name, size_t class_len, const char *name,
                size_t name_len)
{
    char both[512];
    struct text t = {class_name, both, class_len, class_len + 1 + name_len};
    if (has_class(patterns, class_name, class_len))
        return true;
    if (name_len > sizeof(both) - 1)
        return false;
    both[0] = '.';
    memcpy(both + 1, name, name_len);
    return any(patterns, &t, WHOLE);
}

static bool is_empty(const char *patterns)
{
    return !patterns || !patterns[0];
}

bool method_filter_wants(const struct method_filter *f, const char *class_name, size_t class_len,
                         const char *name, size_t name_len)
{
    return (is_empty(f->include) || has(f->include, class_name, class_len, name, name_len)) &&
           (is_empty(f->exclude) || !has(f->exclude, class_name, class_len, name, name_len));
}

bool method_filter_wants_some(const struct method_filter *f, const char *class_name,
                              size_t class_len)
{
    return (is_empty(f->include) || may_have(f->include, class_name, class_len)) &&
           (is_empty(f->exclude) || !has_class(f->exclude, class_name, class_len));
}

bool method_filter_wants_class(const struct method_filter *f, const char *class_name,
                               size_t class_len)
{
    return (is_empty(f->include) || has_class(f->include, class_name, class_len)) &&
           (is_empty(f->exclude) || !has_class(f->exclude, class_name, class_len));
}
