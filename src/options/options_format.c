/*
 * options_format.c - see options_format.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_format.h"
#include <stddef.h>
#include <string.h>
#include "kind/kind.h"

const struct options_format options_format_all[] = {
    {"a", "hprof-text", "HPROF text", "", "java.hprof.txt", ".txt", KIND_SET_ALL, 'a',
     .has_objects = true},
    {"b", "hprof-binary", "binary HPROF", "", "java.hprof", "", KIND_SET_HPROF_BINARY, 'b',
     .has_objects = true},
    {"jfr", "jfr", "JFR", ".jfr", "java.jfr", ".jfr", KIND_SET_ALL, 'j', .is_drawn = true},
    {"collapsed", "collapsed", "collapsed stacks", ".collapsed .folded", "java.collapsed",
     ".collapsed", KIND_SET_ANY_ONE, 'c', .is_drawn = true},
    {"html", "flamegraph", "flame graphs", ".html .htm", "java.html", ".html", KIND_SET_ANY_ONE,
     'h', .is_drawn = true},
    {0},
};

const struct options_format *options_format_of(char letter)
{
    const struct options_format *f = options_format_all;
    while (f->letter && f->letter != letter)
        f++;
    return f->letter ? f : options_format_all;
}

static bool has_suffix(const char *suffixes, const char *file)
{
    size_t len = strlen(file);
    for (const char *at = suffixes; *at;) {
        size_t suffix = strcspn(at, " ");
        if (len > suffix && memcmp(file + len - suffix, at, suffix) == 0)
            return true;
        at += suffix + (at[suffix] == ' ');
    }
    return false;
}

const struct options_format *options_format_of_file(const char *file)
{
    for (const struct options_format *f = options_format_all; f->letter; f++)
        if (has_suffix(f->suffixes, file))
            return f;
    return NULL;
}
