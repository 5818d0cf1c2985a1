/*
 * properties.c - see properties.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/properties.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "command/textbuf.h"

enum { HEX_DIGITS = 4 };

static void put_char(struct textbuf *t, unsigned c)
{
    if (c < 0x80) {
        textbuf_char(t, (char)c);
    } else if (c < 0x800) {
        textbuf_char(t, (char)(0xc0 | c >> 6));
        textbuf_char(t, (char)(0x80 | (c & 0x3f)));
    } else {
        if (c > 0xffff) {
            textbuf_char(t, (char)(0xf0 | c >> 18));
            textbuf_char(t, (char)(0x80 | (c >> 12 & 0x3f)));
        } else {
            textbuf_char(t, (char)(0xe0 | c >> 12));
        }
        textbuf_char(t, (char)(0x80 | (c >> 6 & 0x3f)));
        textbuf_char(t, (char)(0x80 | (c & 0x3f)));
    }
}

/* The number of the four digits after \u; -1: there are not four digits. */
static int hex(const char *p, const char *end)
{
    int value = 0;
    if (end - p < HEX_DIGITS)
        return -1;
    for (int i = 0; i < HEX_DIGITS; i++) {
        if (!isxdigit((unsigned char)p[i]))
            return -1;
        value = value * 16 + (isdigit((unsigned char)p[i]) ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
    }
    return value;
}

/* Writes the character of an escape; `p` is after the backslash. If the escape is the high half of
 * a surrogate pair, the low half is read with it. Returns the address after the escape. */
static const char *put_escaped(struct textbuf *t, const char *p, const char *end)
{
    static const char letters[] = "tnrf", meant[] = "\t\n\r\f";
    const char *letter = strchr(letters, *p);
    int c = *p == 'u' ? hex(p + 1, end) : -1;
    if (c < 0) {
        textbuf_char(t, letter && *letter != '\0' ? meant[letter - letters] : *p);
        return p + 1;
    }
    p += 1 + HEX_DIGITS;
    int low = c >= 0xd800 && c < 0xdc00 && end - p > 2 && p[0] == '\\' && p[1] == 'u'
                  ? hex(p + 2, end)
                  : -1;
    if (low >= 0xdc00 && low < 0xe000) {
        put_char(t, 0x10000u + ((unsigned)c - 0xd800u) * 0x400u + ((unsigned)low - 0xdc00u));
        return p + 2 + HEX_DIGITS;
    }
    put_char(t, (unsigned)c);
    return p;
}

/* Writes a name or a value. A name ends at a separator that is not escaped, a value at the end of
 * the line. */
static const char *put_part(struct textbuf *t, const char *p, const char *end, bool is_name)
{
    while (p < end && !(is_name && (*p == '=' || *p == ':' || *p == ' '))) {
        if (*p == '\\' && p + 1 < end)
            p = put_escaped(t, p + 1, end);
        else
            put_char(t, (unsigned char)*p++);
    }
    textbuf_char(t, '\0');
    return p;
}

int properties_add(struct properties *p, const char *name, const char *value)
{
    struct properties_row *rows = realloc(p->rows, (p->count + 1) * sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    p->rows = rows;
    struct properties_row row = {strdup(name), strdup(value)};
    if (!row.name || !row.value) {
        free(row.name);
        free(row.value);
        return -ENOMEM;
    }
    rows[p->count++] = row;
    return 0;
}

static int add_line(struct properties *p, const char *line, const char *end)
{
    struct textbuf name = {0}, value = {0};
    line = put_part(&name, line, end, true);
    put_part(&value, line < end ? line + 1 : end, end, false);
    /* The texts are copied, because a text buffer is large and a line may have only one byte. */
    int error = name.is_bad || value.is_bad ? -ENOMEM : properties_add(p, name.bytes, value.bytes);
    textbuf_done(&name);
    textbuf_done(&value);
    return error;
}

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const struct properties_row *)a)->name,
                  ((const struct properties_row *)b)->name);
}

void properties_sort(struct properties *p)
{
    if (p->count > 0)
        qsort(p->rows, p->count, sizeof(*p->rows), compare_rows);
}

int properties_read(struct properties *p, const char *text, size_t len)
{
    int error = 0;
    for (const char *line = text, *all = text + len; line < all && error == 0;) {
        const char *end = memchr(line, '\n', (size_t)(all - line));
        const char *next = end ? end + 1 : all;
        end = end ? end : all;
        if (end > line && end[-1] == '\r')
            end--;
        if (end > line && *line != '#' && *line != '!')
            error = add_line(p, line, end);
        line = next;
    }
    properties_sort(p);
    return error;
}

const char *properties_find(const struct properties *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->rows[i].name, name) == 0)
            return p->rows[i].value;
    return NULL;
}

void properties_done(struct properties *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->rows[i].name);
        free(p->rows[i].value);
    }
    free(p->rows);
    *p = (struct properties){0};
}
