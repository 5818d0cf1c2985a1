/*
 * smaps.c - see smaps.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/smaps.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "process/process.h"

enum {
    FIRST_BYTES = 1 << 18,
    READ_BYTES = 1 << 16, /* free before each read */
    TEXT_BYTES = 1 << 29, /* of 65,530 mappings smaps has 50 MB */
    ROLLUP_BYTES = 4096,
    TRIES = 5,
    KB = 1024,
};

/* ---- lines */

/* Takes a number of base 16 or 10 off the front of the text. Returns whether there is one. */
static bool take_number(const char **text, int base, uint64_t *ret)
{
    char *end;
    bool is_digit =
        base == 16 ? strspn(*text, "0123456789abcdefABCDEF") > 0 : strspn(*text, "0123456789") > 0;
    if (!is_digit)
        return false;
    errno = 0;
    *ret = strtoull(*text, &end, base);
    *text = end;
    return errno == 0;
}

static bool take_char(const char **text, char c)
{
    if (**text != c)
        return false;
    ++*text;
    return true;
}

/* Reads "55d0c0000000-55d0c0001000 r-xp 00001000 fe:00 1234   /path". */
static bool parse_head(char *line, struct smaps_region *ret)
{
    const char *at = line;
    uint64_t unused;
    struct smaps_region r = {0};
    if (!take_number(&at, 16, &r.start) || !take_char(&at, '-') || !take_number(&at, 16, &r.end) ||
        !take_char(&at, ' ') || strnlen(at, 5) < 5 || at[4] != ' ')
        return false;
    r.can_read = at[0] == 'r';
    r.can_write = at[1] == 'w';
    r.can_execute = at[2] == 'x';
    r.is_shared = at[3] == 's';
    at += 5;
    if (!take_number(&at, 16, &r.offset) || !take_char(&at, ' ') ||
        !take_number(&at, 16, &unused) || !take_char(&at, ':') || !take_number(&at, 16, &unused) ||
        !take_char(&at, ' ') || !take_number(&at, 10, &r.inode))
        return false;
    r.path = at + strspn(at, " ");
    *ret = r;
    return r.start < r.end;
}

/* The number of "Name:   12 kB" in bytes, if the line begins with this name and a colon. */
static bool parse_size(const char *line, const char *name, uint64_t *ret)
{
    size_t len = strlen(name);
    uint64_t kb;
    if (strncmp(line, name, len) != 0 || line[len] != ':')
        return false;
    line += len + 1;
    line += strspn(line, " \t");
    if (!take_number(&line, 10, &kb) || kb > UINT64_MAX / KB)
        return false;
    *ret = kb * KB;
    return true;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void parse_field(const char *line, struct smaps_region *r)
{
    uint64_t bytes, most = r->end - r->start;
    if (parse_size(line, "Rss", &bytes))
        r->resident = less(bytes, most);
    else if (parse_size(line, "Swap", &bytes))
        r->swapped = less(bytes, most);
    else if (parse_size(line, "Shared_Hugetlb", &bytes) ||
             parse_size(line, "Private_Hugetlb", &bytes))
        r->huge = less(r->huge + less(bytes, most), most);
}

/* ---- the file */

static struct smaps_region *add_row(struct smaps *s, uint32_t *room, struct smaps_region row)
{
    if (s->count == *room) {
        uint32_t wanted = *room == 0 ? 256 : *room * 2;
        struct smaps_region *rows = reallocarray(s->rows, wanted, sizeof(*rows));
        if (!rows)
            return NULL;
        s->rows = rows;
        *room = wanted;
    }
    s->rows[s->count] = row;
    return &s->rows[s->count++];
}

int smaps_parse(char *text, struct smaps *ret)
{
    uint32_t room = 0;
    struct smaps_region *last = NULL;
    *ret = (struct smaps){.text = text};
    for (char *line = text, *end; *line != '\0'; line = end) {
        struct smaps_region row;
        end = line + strcspn(line, "\n");
        if (*end == '\n')
            *end++ = '\0';
        if (!parse_head(line, &row)) {
            if (last)
                parse_field(line, last);
            continue;
        }
        bool is_next = ret->count == 0 || row.start >= ret->rows[ret->count - 1].end;
        last = is_next ? add_row(ret, &room, row) : NULL;
        if (is_next && !last)
            return -ENOMEM;
    }
    for (uint32_t i = 0; i < ret->count; i++)
        ret->resident += ret->rows[i].resident;
    return ret->count > 0 ? 0 : E_FORMAT;
}

int smaps_parse_rollup(const char *text, uint64_t *ret)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (parse_size(line, "Rss", ret))
            return 0;
        if (*line == '\0')
            break;
    }
    return E_FORMAT;
}

void smaps_done(struct smaps *s)
{
    free(s->rows);
    free(s->text);
    *s = (struct smaps){0};
}

int smaps_rollup(pid_t task, uint64_t *ret)
{
    char *text;
    ssize_t len = process_file(task, "smaps_rollup", ROLLUP_BYTES, &text);
    if (len < 0)
        return (int)len;
    int error = smaps_parse_rollup(text, ret);
    free(text);
    return error;
}

/* Reads a file to its end into *text, which has `room` bytes and grows. Returns the length. */
static ssize_t read_whole(int fd, char **text, size_t room)
{
    size_t len = 0;
    for (ssize_t n; (n = read(fd, *text + len, room - 1 - len)) != 0;) {
        if (n < 0)
            return -errno;
        len += (size_t)n;
        if (room - 1 - len >= READ_BYTES)
            continue;
        char *grown = room < TEXT_BYTES ? realloc(*text, room * 2) : NULL;
        if (!grown)
            return -ENOMEM;
        *text = grown;
        room *= 2;
    }
    return (ssize_t)len;
}

static int read_once(pid_t task, struct smaps *ret)
{
    char path[64], *text = malloc(FIRST_BYTES);
    *ret = (struct smaps){0};
    if (!text)
        return -ENOMEM;
    snprintf(path, sizeof(path), "/proc/%d/smaps", (int)task);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read_whole(fd, &text, FIRST_BYTES) : -errno;
    if (fd >= 0)
        close(fd);
    if (len < 0) {
        free(text);
        return len == -ENOENT ? -ESRCH : (int)len;
    }
    text[len] = '\0';
    return smaps_parse(text, ret);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

int smaps_read(pid_t task, struct smaps *ret, uint64_t *ret_rollup)
{
    int error = 0;
    *ret = (struct smaps){0};
    for (int i = 0; i < TRIES; i++) {
        uint64_t before, after;
        struct smaps now;
        bool has_before = smaps_rollup(task, &before) == 0;
        error = read_once(task, &now);
        if (error < 0) {
            smaps_done(&now);
            break;
        }
        if (smaps_rollup(task, &after) < 0)
            after = now.resident;
        if (!has_before || distance(after, now.resident) < distance(before, now.resident))
            before = after;
        if (ret->count == 0 ||
            distance(before, now.resident) < distance(*ret_rollup, ret->resident)) {
            smaps_done(ret);
            *ret = now;
            *ret_rollup = before;
        } else {
            smaps_done(&now);
        }
        if (*ret_rollup == ret->resident)
            break;
    }
    return ret->count > 0 ? 0 : error;
}

const struct smaps_region *smaps_at(const struct smaps *s, uint64_t address)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->rows[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->rows[low].start <= address ? &s->rows[low] : NULL;
}
