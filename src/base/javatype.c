/*
 * javatype.c - see javatype.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/javatype.h"
#include <string.h>

static const char *primitive_name(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } primitives[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"},  {'S', "short"},
                      {'I', "int"},     {'J', "long"}, {'F', "float"}, {'D', "double"}};
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
        if (primitives[i].letter == letter)
            return primitives[i].name;
    return NULL;
}

char *javatype_name(const char *signature, char *ret, size_t size)
{
    size_t dimensions = strspn(signature, "["), n;
    const char *element = signature + dimensions, *primitive = primitive_name(element[0]);
    if (element[0] == 'L' && element[1]) {
        n = strlen(element + 1);
        if (element[n] == ';')
            n--;
        element++;
    } else {
        element = primitive ? primitive : element;
        n = strlen(element);
    }
    if (n >= size)
        n = size - 1;
    for (size_t i = 0; i < n; i++)
        ret[i] = element[i] == '/' && !primitive ? '.' : element[i];
    for (; dimensions > 0 && n + 2 < size; dimensions--) {
        ret[n++] = '[';
        ret[n++] = ']';
    }
    ret[n] = '\0';
    return ret;
}
