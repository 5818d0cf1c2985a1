/*
 * hprof_split.c - see hprof_split.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_split.h"
#include <stdbool.h>
#include <string.h>
#include "format/hprof_text.h"
#include "kind/kind.h"

enum {
    BIN_HEADER = 4 + 8, /* bytes behind the NUL of the format's name */
    BIN_TAG = 1 + 4 + 4,
};

/* Titles of the tables that are no table of a kind. */
static const char *const others[] = {
    "SITES ERRORS",
    "CPU TIME RAW (us)",
    "MONITOR DUMP",
    "HEAP DUMP",
};
enum {
    OTHERS = sizeof(others) / sizeof(others[0]),
    /* The number of the first block of exact times. The tables of shares have smaller numbers. */
    EXACTS = KIND_COUNT,
    FIRST_OTHER = 2 * KIND_COUNT,
    TABLES = FIRST_OTHER + OTHERS, /* the number of every EVENTS table */
};

/* The words in front of " BEGIN" and " END" of the table with this number; NULL: there is no such
 * table. */
static const char *title_of(int table)
{
    if (table >= FIRST_OTHER)
        return others[table - FIRST_OTHER];
    return table >= EXACTS ? kind_all[table - EXACTS]->text.exact : kind_all[table]->text.title;
}

/* Begins a new record. */
static void begin(struct hprof_split *s)
{
    s->state = s->format == 'b' ? HPROF_SPLIT_TAG : HPROF_SPLIT_LINE;
    s->is_over = s->tag = 0;
    s->lines = s->used = s->in_line = 0;
}

static void keep_head(struct hprof_split *s, const unsigned char *bytes, size_t len)
{
    size_t room = sizeof(s->head) - s->used, n = len < room ? len : room;
    memcpy(s->head + s->used, bytes, n);
    s->used += (uint32_t)n;
}

static void keep_line(struct hprof_split *s, const unsigned char *bytes, size_t len)
{
    size_t room = sizeof(s->line) - s->in_line, n = len < room ? len : room;
    memcpy(s->line + s->in_line, bytes, n);
    s->in_line += (uint32_t)n;
}

/* ---- text */

static bool line_is(const struct hprof_split *s, const char *word, const char *then)
{
    size_t len = word ? strlen(word) : 0, then_len = strlen(then);
    return word && s->in_line >= len + then_len && memcmp(s->line, word, len) == 0 &&
           memcmp(s->line + len, then, then_len) == 0;
}

/* "EVENTS gc BEGIN ...". No table lies within another, so the word of the kind need not be kept. */
static bool is_events(const struct hprof_split *s, const char *then)
{
    return line_is(s, HPROF_TEXT_EVENTS, "") && memmem(s->line, s->in_line, then, strlen(then));
}

/* Called when the present line is complete: decides what may follow it. Returns whether the record
 * ends with this line. */
static int line_ends(struct hprof_split *s)
{
    s->lines++;
    switch (s->state) {
    case HPROF_SPLIT_FIRST:
        s->format = 'a';
        s->state = line_is(s, "JAVA PROFILE ", "") ? HPROF_SPLIT_PROLOGUE : HPROF_SPLIT_BLOCK;
        break;
    case HPROF_SPLIT_PROLOGUE:
        if (line_is(s, "--------", ""))
            s->state = HPROF_SPLIT_BLOCK;
        break;
    case HPROF_SPLIT_LINE:
        s->state = HPROF_SPLIT_BLOCK;
        s->table = TABLES;
        if (is_events(s, " BEGIN"))
            s->state = HPROF_SPLIT_TABLE;
        for (int i = 0; i < TABLES; i++) {
            if (line_is(s, title_of(i), " BEGIN")) {
                s->state = HPROF_SPLIT_TABLE;
                s->table = i;
            }
        }
        break;
    case HPROF_SPLIT_TABLE:
        return s->table == TABLES ? is_events(s, " END") : line_is(s, title_of(s->table), " END");
    default:
        break;
    }
    return 0;
}

/* Takes a whole line, or a part of one line. */
static size_t take_text(struct hprof_split *s, const unsigned char *bytes, size_t len,
                        bool *ret_end)
{
    const unsigned char *newline = memchr(bytes, '\n', len);
    size_t n = newline ? (size_t)(newline - bytes) : len;
    if (s->state == HPROF_SPLIT_BLOCK && s->in_line == 0 && bytes[0] != ' ' && bytes[0] != '\t' &&
        bytes[0] != '\n') {
        *ret_end = 1;
        return 0;
    }
    keep_line(s, bytes, n);
    if (s->lines == 0)
        keep_head(s, bytes, n);
    if (!newline)
        return n;
    *ret_end = line_ends(s);
    s->in_line = 0;
    return n + 1;
}

/* ---- binary */

static size_t take_counted(struct hprof_split *s, const unsigned char *bytes, size_t len,
                           bool *ret_end)
{
    size_t n = len < s->rest ? len : (size_t)s->rest;
    keep_head(s, bytes, n);
    s->rest -= n;
    *ret_end = s->rest == 0;
    return n;
}

static size_t take_tag(struct hprof_split *s, const unsigned char *bytes, size_t len, bool *ret_end)
{
    size_t wanted = BIN_TAG - s->in_line, n = len < wanted ? len : wanted;
    const unsigned char *length = (const unsigned char *)s->line + 5;
    keep_line(s, bytes, n);
    s->tag = (uint8_t)s->line[0];
    if (s->in_line == BIN_TAG) {
        s->rest = (uint64_t)length[0] << 24 | (uint64_t)length[1] << 16 | (uint64_t)length[2] << 8 |
                  length[3];
        s->state = HPROF_SPLIT_BODY;
        *ret_end = s->rest == 0;
    }
    return n;
}

/* ---- both formats */

/* The name of the binary format ends with a NUL, a line of text with a newline. */
static size_t take_first(struct hprof_split *s, const unsigned char *bytes, size_t len,
                         bool *ret_end)
{
    const unsigned char *newline = memchr(bytes, '\n', len), *nul = memchr(bytes, '\0', len);
    size_t n;
    if (!nul || (newline && newline < nul))
        return take_text(s, bytes, len, ret_end);
    n = (size_t)(nul - bytes) + 1;
    keep_head(s, bytes, n);
    s->format = 'b';
    s->state = HPROF_SPLIT_HEADER;
    s->rest = BIN_HEADER;
    return n;
}

size_t hprof_split_take(struct hprof_split *s, const unsigned char *bytes, size_t len,
                        bool *ret_end)
{
    size_t at = 0;
    *ret_end = 0;
    if (s->is_over && len > 0)
        begin(s);
    while (at < len && !*ret_end) {
        switch (s->state) {
        case HPROF_SPLIT_FIRST:
            at += take_first(s, bytes + at, len - at, ret_end);
            break;
        case HPROF_SPLIT_HEADER:
        case HPROF_SPLIT_BODY:
            at += take_counted(s, bytes + at, len - at, ret_end);
            break;
        case HPROF_SPLIT_TAG:
            at += take_tag(s, bytes + at, len - at, ret_end);
            break;
        default:
            at += take_text(s, bytes + at, len - at, ret_end);
            break;
        }
    }
    s->is_over = (uint8_t)*ret_end;
    return at;
}
