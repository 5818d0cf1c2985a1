/*
 * java_name.c - see java_name.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/java_name.h"
#include <stdlib.h>
#include <string.h>
#include "profile/profile.h"

/* Names of C++ contain colons and parentheses. Names of libraries end in .so or a number. */
bool java_name_is(const char *name, size_t len)
{
    const char *dot = memrchr(name, '.', len), *end = name + len;
    return dot && dot > name && dot + 1 < end && (dot[1] < '0' || dot[1] > '9') &&
           !(end - dot == 3 && memcmp(dot, ".so", 3) == 0) && *name != '[' &&
           !memchr(name, ':', len) && !memchr(name, '(', len);
}

/* Replaces slashes by dots. The name of a hidden class ends with a slash and an address; this slash
 * stays. */
static void dots_for_slashes(char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (name[i] == '/' && strncmp(name + i, "/0x", len - i < 3 ? len - i : 3) != 0)
            name[i] = '.';
}

method_id java_name_method(struct profile *p, const char *name, size_t len, string_id descriptor,
                           string_id source)
{
    char *text = malloc(len + 1);
    const char *dot;
    size_t class_len, skip;
    string_id klass = 0;
    if (!text)
        return 0;
    memcpy(text, name, len);
    dots_for_slashes(text, len);
    dot = memrchr(text, '.', len);
    class_len = dot ? (size_t)(dot - text) : 0;
    skip = dot ? class_len + 1 : 0;
    if (class_len > 0)
        klass = profile_string(p, text, class_len);
    method_id method = profile_method(p, klass ? profile_class_named(p, klass) : 0,
                                      len > skip ? profile_string(p, text + skip, len - skip) : 0,
                                      descriptor, source);
    free(text);
    return method;
}
