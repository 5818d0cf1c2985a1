/*
 * heaphisto.c - see heaphisto.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaphisto.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/err.h"
#include "base/javaname.h"

enum {
    NAME = 1024,
    LINE = 2048,       /* a longer line is no row, nor is what is left of it */
    LINES_BEFORE = 64, /* that may stand in front of the first row */
    ROWS_MAX = 1 << 24,
};

/* A row of the table. */
struct row {
    uint64_t objects, bytes;
    char name[NAME];
};

/* Takes digits and what ends them. Returns where the text goes on; NULL: there are none. */
static const char *take_number(const char *text, uint64_t *ret_value)
{
    char *end;
    text += strspn(text, " ");
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *ret_value = strtoull(text, &end, 10);
    return errno == 0 ? end : NULL;
}

/* "   1:         50743       43367440  [B (java.base@25.0.3)". Returns whether it is a row. */
static bool take_row(char *line, struct row *ret)
{
    uint64_t number;
    const char *at = take_number(line, &number);
    if (!at || *at != ':')
        return false;
    at = take_number(at + 1, &ret->objects);
    at = at && *at == ' ' ? take_number(at, &ret->bytes) : NULL;
    if (!at || *at != ' ')
        return false;
    char *name = line + (at - line) + strspn(at, " ");
    name[strcspn(name, "\r\n")] = '\0';
    char *module = strstr(name, " (");
    if (module)
        *module = '\0';
    if (*name == '[')
        javaname_of_type(name, ret->name, sizeof(ret->name));
    else
        snprintf(ret->name, sizeof(ret->name), "%s", name);
    return *name != '\0';
}

bool heaphisto_is(const char *path)
{
    struct row row;
    char line[LINE];
    bool is_row = false;
    FILE *from = fopen(path, "re");
    for (int i = 0; from && i < LINES_BEFORE && !is_row && fgets(line, sizeof(line), from); i++)
        is_row = take_row(line, &row);
    if (from)
        fclose(from);
    return is_row;
}

int heaphisto_read(const char *path, heaphisto_visit *visit, void *with, int64_t *ret_ms)
{
    struct row row;
    struct stat st;
    char line[LINE];
    uint64_t rows = 0;
    bool wants_more = true;
    FILE *from = fopen(path, "re");
    if (!from)
        return -errno;
    int error = fstat(fileno(from), &st) == 0 ? 0 : -errno;
    while (error == 0 && wants_more && rows < ROWS_MAX && fgets(line, sizeof(line), from)) {
        if (!take_row(line, &row))
            continue;
        rows++;
        wants_more = visit(with, row.name, row.objects, row.bytes);
    }
    if (error == 0 && ferror(from))
        error = -EIO;
    *ret_ms = error == 0 ? (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000 : 0;
    fclose(from);
    return error == 0 && rows == 0 ? E_FORMAT : error;
}
