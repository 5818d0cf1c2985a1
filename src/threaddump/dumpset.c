/*
 * dumpset.c - see dumpset.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpset.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "gzip/tarfile.h"
#include "gzip/unpackread.h"
#include "threaddump/dumpjson.h"
#include "threaddump/dumplocks.h"

enum { PIECE = 64 << 10 };

static uint64_t count_lines(const struct textbuf *t)
{
    uint64_t count = 0;
    for (const char *at = t->bytes, *end = at + t->len;
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        count++;
    return count;
}

static int take(void *with, struct dumpfeed_dump *about)
{
    struct dumpset *s = with;
    s->lines += count_lines(&about->text);
    if (s->count == DUMPSET_DUMPS || s->bytes + about->text.len > DUMPSET_BYTES ||
        s->lines > DUMPSET_LINES)
        return E_LIMIT;
    if (s->count == s->room) {
        uint32_t room = s->room == 0 ? 8 : s->room * 2;
        struct dumpset_dump *dumps = reallocarray(s->dumps, room, sizeof(*dumps));
        if (!dumps)
            return -ENOMEM;
        s->dumps = dumps;
        s->room = room;
    }
    struct dumpset_dump *d = &s->dumps[s->count++];
    *d = (struct dumpset_dump){.file = s->file, .about = *about};
    about->text = (struct textbuf){0};
    int error = threaddump_parse(&d->threads, d->about.text.bytes, d->about.text.len);
    s->bytes += d->about.text.len;
    if (error == 0)
        error = dumplocks_find_deadlocks(&d->threads);
    return error;
}

/* ---- where the bytes come from: a file, a file within an archive, the memory */

struct source {
    struct unpackread *file;    /* NULL: there is none */
    struct tarfile *member;     /* NULL: the same */
    const unsigned char *begun; /* bytes that come first, or are all */
    size_t len;
};

static ssize_t read_piece(struct source *s, void *to, size_t room)
{
    size_t len = s->len < room ? s->len : room;
    if (len > 0) {
        memcpy(to, s->begun, len);
        s->begun += len;
        s->len -= len;
        return (ssize_t)len;
    }
    return s->file     ? unpackread_read(s->file, to, room)
           : s->member ? tarfile_read(s->member, to, room)
                       : 0;
}

/* JSON is read as a whole. */
static int read_json(struct dumpset *set, struct source *from, struct textbuf *begun)
{
    ssize_t got = 1;
    while (got > 0) {
        char *to = textbuf_room(begun, PIECE);
        got = !to ? -ENOMEM : begun->len > DUMPFEED_BYTES ? E_LIMIT : read_piece(from, to, PIECE);
        begun->len += got > 0 ? (size_t)got : 0;
    }
    int error = begun->len > 0 ? dumpjson_read(begun->bytes, begun->len, take, set) : 0;
    return got < 0 ? (int)got : error;
}

/* The lines of `text` that are whole; what is left of it moves to its front. */
static int feed_lines(struct dumpfeed *feed, struct textbuf *text, bool is_end, bool *is_cut)
{
    size_t at = 0;
    int error = 0;
    while (error == 0 && at < text->len) {
        /* NOLINTNEXTLINE(clang-analyzer-*): there is one where `len` is not 0 */
        const char *line = text->bytes + at, *end = memchr(line, '\n', text->len - at);
        size_t len = end ? (size_t)(end - line) : text->len - at;
        if (!end && !is_end && len < DUMPFEED_LINE)
            break;
        if (!*is_cut)
            error = dumpfeed_line(feed, line, len);
        *is_cut = !end && !is_end;
        at += len + (end != NULL);
    }
    if (at > 0)
        memmove(text->bytes, text->bytes + at, text->len - at);
    text->len -= at;
    return error;
}

static int read_lines(struct dumpset *set, struct source *from, struct textbuf *text)
{
    struct dumpfeed *feed = malloc(sizeof(*feed));
    bool is_cut = false; /* the rest of a line that was too long comes */
    ssize_t got = 1;
    int error = feed ? 0 : -ENOMEM;
    if (feed)
        dumpfeed_init(feed, take, set);
    while (error == 0 && got > 0) {
        error = feed_lines(feed, text, false, &is_cut);
        char *to = error == 0 ? textbuf_room(text, PIECE) : NULL;
        got = to ? read_piece(from, to, PIECE) : -ENOMEM;
        text->len += got > 0 ? (size_t)got : 0;
    }
    if (error == 0)
        error = feed_lines(feed, text, true, &is_cut);
    if (error == 0)
        error = dumpfeed_end(feed);
    if (feed)
        dumpfeed_done(feed);
    free(feed);
    return error < 0 ? error : got < 0 ? (int)got : 0;
}

static int read_source(struct dumpset *set, struct source *from, struct textbuf *text)
{
    size_t blanks = 0;
    while (blanks < text->len && isspace((unsigned char)text->bytes[blanks]))
        blanks++;
    return blanks < text->len && text->bytes[blanks] == '{' ? read_json(set, from, text)
                                                            : read_lines(set, from, text);
}

static ssize_t read_more(void *from, unsigned char *to, size_t room)
{
    return read_piece(from, to, room);
}

/* The archive of `hprof bundle` has its dumps in files whose names begin with "threads". */
static int read_archive(struct dumpset *set, struct source *from, const struct textbuf *begun)
{
    from->begun = (const unsigned char *)begun->bytes;
    from->len = begun->len;
    struct tarfile tar = {.read = read_more, .from = from};
    int got, error = 0;
    while (error == 0 && (got = tarfile_next(&tar)) > 0) {
        struct source member = {.member = &tar};
        struct textbuf text = {0};
        if (strncmp(tar.name, "threads", 7) == 0)
            error = read_source(set, &member, &text);
        textbuf_done(&text);
    }
    return error < 0 ? error : got;
}

/* Reads the first bytes, which tell what the file is. */
static int read_any(struct dumpset *set, const char *file, struct source *from)
{
    struct textbuf text = {0};
    uint32_t before = set->count;
    ssize_t got = 1;
    set->file = file;
    while (got > 0 && text.len < TARFILE_BLOCK) {
        char *to = textbuf_room(&text, PIECE);
        got = to ? read_piece(from, to, PIECE) : -ENOMEM;
        text.len += got > 0 ? (size_t)got : 0;
    }
    int error = got < 0                                ? (int)got
                : tarfile_is_one(text.bytes, text.len) ? read_archive(set, from, &text)
                                                       : read_source(set, from, &text);
    textbuf_done(&text);
    return error < 0 ? error : (int)(set->count - before);
}

int dumpset_read(struct dumpset *set, const char *file, int fd)
{
    struct source from = {0};
    int error = unpackread_open(fd, &from.file);
    if (error < 0)
        return error;
    error = read_any(set, file, &from);
    unpackread_close(from.file);
    return error;
}

int dumpset_read_text(struct dumpset *set, const char *file, const char *text, size_t len)
{
    struct source from = {.begun = (const unsigned char *)text, .len = len};
    return read_any(set, file, &from);
}

void dumpset_done(struct dumpset *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        threaddump_done(&s->dumps[i].threads);
        textbuf_done(&s->dumps[i].about.text);
    }
    free(s->dumps);
    *s = (struct dumpset){0};
}
