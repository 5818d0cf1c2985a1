/*
 * smaps.c - see smaps.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/smaps.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum { KB = 1024, FIELDS_BEFORE_NAME = 5 };

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Reads "low-high rwxp offset dev inode name". Returns whether the line is a mapping. */
static bool read_head(char *line, struct smaps_row *ret)
{
    char *at;
    if (!is_hex(line[0]))
        return false;
    *ret = (struct smaps_row){.low = strtoull(line, &at, 16)};
    if (*at != '-')
        return false;
    ret->high = strtoull(at + 1, &at, 16);
    if (*at != ' ' || strnlen(at, 6) < 6 || ret->high < ret->low)
        return false;
    ret->can_write = at[2] == 'w';
    ret->can_execute = at[3] == 'x';
    ret->is_shared = at[4] == 's';
    at += 5;
    for (int field = 2; field < FIELDS_BEFORE_NAME; field++) {
        at += strspn(at, " ");
        if (field == FIELDS_BEFORE_NAME - 1)
            ret->inode = strtoull(at, NULL, 10);
        at += strcspn(at, " ");
    }
    ret->name = at + strspn(at, " ");
    return true;
}

/* The bytes of a line "NAME: N kB"; false: it is another line. */
static bool read_field(const char *line, const char *name, uint64_t *ret_bytes)
{
    size_t len = strlen(name);
    if (strncmp(line, name, len) != 0 || line[len] != ':')
        return false;
    *ret_bytes = strtoull(line + len + 1, NULL, 10) * KB;
    return true;
}

static struct smaps_row *add(struct smaps *s)
{
    if (s->count == s->room) {
        size_t room = s->room ? s->room * 2 : 512;
        struct smaps_row *rows = realloc(s->rows, room * sizeof(*rows));
        if (!rows)
            return NULL;
        s->rows = rows;
        s->room = room;
    }
    return &s->rows[s->count++];
}

int smaps_parse(char *text, size_t len, struct smaps *ret)
{
    struct smaps_row row, *last = NULL;
    *ret = (struct smaps){0};
    for (char *line = text; line < text + len;) {
        char *end = memchr(line, '\n', (size_t)(text + len - line));
        if (!end)
            return E_FORMAT;
        *end = '\0';
        if (read_head(line, &row)) {
            if (last && row.low < last->high)
                return E_FORMAT;
            last = add(ret);
            if (!last)
                return -ENOMEM;
            *last = row;
        } else if (!last) {
            return E_FORMAT;
        } else if (read_field(line, "Rss", &last->rss_bytes)) {
            ret->rss_bytes += last->rss_bytes;
        } else {
            (void)read_field(line, "Swap", &last->swap_bytes);
        }
        line = end + 1;
    }
    return ret->count > 0 ? 0 : E_FORMAT;
}

void smaps_done(struct smaps *s)
{
    free(s->rows);
    *s = (struct smaps){0};
}

uint64_t smaps_field(const char *text, const char *name)
{
    uint64_t bytes;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (read_field(line, name, &bytes))
            return bytes;
    }
    return 0;
}
