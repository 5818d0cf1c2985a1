/*
 * wildcard.c - see wildcard.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/wildcard.h"
#include <ctype.h>

static bool is_same(char a, char b, bool folds_case)
{
    return folds_case ? tolower((unsigned char)a) == tolower((unsigned char)b) : a == b;
}

bool wildcard_matches(const char *pattern, size_t pattern_len, const char *text, size_t len,
                      bool folds_case)
{
    const char *end = pattern + pattern_len, *text_end = text + len, *star = NULL, *tried = NULL;
    while (text < text_end) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            tried = text;
        } else if (pattern < end && (*pattern == '?' || is_same(*pattern, *text, folds_case))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++tried;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}
