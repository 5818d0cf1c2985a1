/*
 * shorten.c - shortens names.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/shorten.h"
#include <stdbool.h>
#include <string.h>

static const char gap[] = "...";

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t shorten_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++)
        columns += !is_continuation(*text);
    return columns;
}

/* The dot before "Class" in "a.b.Class.method", where packages end. NULL: no package. */
static char *end_of_packages(char *text)
{
    char *last = strrchr(text, '.');
    if (!last || last == text)
        return NULL;
    for (char *dot = last - 1; dot > text; dot--)
        if (*dot == '.')
            return dot;
    return NULL;
}

/* Turns "com.sun.tools." into "c.sun.tools.", then "c.s.tools.", until `excess` columns are
 * saved. */
static void abbreviate(char *text, size_t excess)
{
    char *end = end_of_packages(text);
    char *part = text;
    while (end && part < end && excess > 0) {
        char *dot = strchr(part, '.');
        char *second = part + 1;
        while (is_continuation(*second))
            second++;
        if (dot > second) {
            char kept = *dot;
            *dot = '\0';
            size_t saved = shorten_columns(second);
            *dot = kept;
            memmove(second, dot, strlen(dot) + 1);
            end -= dot - second;
            excess -= saved < excess ? saved : excess;
        }
        part = strchr(part, '.') + 1;
    }
}

static char *at_column(char *text, size_t column)
{
    for (; *text != '\0'; text++)
        if (!is_continuation(*text) && column-- == 0)
            break;
    return text;
}

/* Keeps more of the end than of the beginning, because the method stands at the end. */
static void cut_middle(char *text, size_t columns)
{
    size_t have = shorten_columns(text), gap_len = sizeof(gap) - 1;
    if (columns <= gap_len) {
        *at_column(text, columns) = '\0';
        return;
    }
    size_t head = (columns - gap_len) / 3, tail = columns - gap_len - head;
    char *cut = at_column(text, head), *rest = at_column(text, have - tail);

    memmove(cut + gap_len, rest, strlen(rest) + 1);
    memcpy(cut, gap, gap_len);
}

void shorten_text(char *text, size_t columns)
{
    if (columns != 0 && shorten_columns(text) > columns)
        cut_middle(text, columns);
}

void shorten_name(char *text, size_t columns)
{
    size_t have = shorten_columns(text);
    if (columns == 0 || have <= columns)
        return;
    abbreviate(text, have - columns);
    if (shorten_columns(text) > columns)
        cut_middle(text, columns);
}
