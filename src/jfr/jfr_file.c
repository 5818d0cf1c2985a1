/*
 * jfr_file.c - see jfr_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_file.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/be.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/feed.h"
#include "base/plural.h"

enum { VERSION = JFR_LAYOUT_SIZE_AT /* bytes of the magic and both version numbers */ };

void jfr_file_damage(struct jfr_file *f, uint64_t offset, uint64_t lost, const char *what)
{
    if (f->damage_count < JFR_DAMAGES)
        f->damages[f->damage_count] = (struct jfr_damage){offset, lost, what};
    f->damage_count++;
    f->lost += lost;
}

void jfr_file_tell_damage(const struct jfr_file *f, const char *name, struct diag *diag)
{
    uint32_t count = f->damage_count;
    for (uint32_t i = 0; i < count && i < JFR_DAMAGES; i++) {
        const struct jfr_damage *d = &f->damages[i];
        if (d->lost > 0)
            diag_tell(diag, E_TRUNCATED, name, "offset %" PRIu64 ": %s (%" PRIu64 " byte%s)",
                      d->offset, d->what, d->lost, plural_s(d->lost));
        else
            diag_tell(diag, E_TRUNCATED, name, "offset %" PRIu64 ": %s", d->offset, d->what);
    }
    if (count > JFR_DAMAGES)
        diag_tell(diag, E_TRUNCATED, name, "and %" PRIu32 " more such place%s", count - JFR_DAMAGES,
                  plural_s(count - JFR_DAMAGES));
}

void jfr_file_tell_version(const struct jfr_file *f, const char *name, struct diag *diag)
{
    diag_tell(diag, E_UNSUPPORTED, name,
              "a JFR file of version %u.%u: read are 1 and 2, those of JDK 8u262 and later",
              f->chunk.header.major, f->chunk.header.minor);
}

int jfr_file_open(struct jfr_file *f, struct feed *feed, const struct jfr_chunk_reading *how)
{
    *f = (struct jfr_file){.how = *how};
    return jfr_file_follow(f, feed);
}

int jfr_file_follow(struct jfr_file *f, struct feed *feed)
{
    f->feed = feed;
    f->offset = f->claimed = 0;
    f->at = 0;
    f->chunks = 0;
    return feed_has(feed, 0, VERSION) && jfr_chunk_begins(feed->bytes, feed->len) ? 0 : E_FORMAT;
}

static void close_chunk(struct jfr_file *f)
{
    if (f->is_open)
        jfr_chunk_close(&f->chunk);
    f->is_open = false;
}

void jfr_file_close(struct jfr_file *f)
{
    close_chunk(f);
}

/* The next offset from `at` on where a chunk of a known version begins; the end of the file if
 * there is none. What was passed is given back, for it may be most of the file. */
static size_t find_chunk(struct feed *feed, size_t at)
{
    for (; feed_has(feed, at, VERSION); at++) {
        feed_release(feed, at);
        const uint8_t *found = memchr(feed->bytes + at, 'F', feed->len - at);
        if (!found)
            at = feed->len - 1;
        else
            at = (size_t)(found - feed->bytes);
        if (feed_has(feed, at, VERSION) && jfr_chunk_begins(feed->bytes + at, VERSION) &&
            be_2(feed->bytes + at + JFR_LAYOUT_MAJOR_AT) <= JFR_LAYOUT_MAJOR &&
            feed->bytes[at + JFR_LAYOUT_MINOR_AT] == 0)
            return at;
    }
    return feed->len;
}

/* The end of the current chunk; the next one begins there. */
static size_t find_next(struct jfr_file *f)
{
    size_t end = (size_t)f->offset + f->chunk.len, next;
    if (!feed_has(f->feed, end, 1))
        return end;
    if (feed_has(f->feed, end, VERSION) &&
        jfr_chunk_begins(f->feed->bytes + end, f->feed->len - end))
        return end;
    next = find_chunk(f->feed, end);
    jfr_file_damage(f, end, next - end, "these bytes are no records");
    return next;
}

/* Whether the feed may have `size` bytes from `at` on. A number that is larger than the file must
 * not make the feed read all of it. */
static bool may_have(struct feed *feed, size_t at, uint64_t size)
{
    size_t room = feed->room > 0 ? feed->room : feed->len;
    return size <= room - at && feed_has(feed, at, (size_t)size);
}

/* Reads the records that begin at `at`, up to the first one that is not whole. */
static void read_records(struct feed *feed, size_t at)
{
    while (!feed->is_whole && feed_has(feed, at, 1)) {
        feed_has(feed, at, (size_t)2 * JFR_LAYOUT_LEB_MAX);
        struct leb l = leb_over(feed->bytes + at, feed->len - at);
        uint64_t size = leb_number(&l);
        if (size == 0 || l.is_bad || jfr_chunk_begins(feed->bytes + at, feed->len - at) ||
            !may_have(feed, at, size))
            return;
        at += (size_t)size;
    }
}

/* Reads the chunk's bytes and returns their number: as many as the header says; for an unfinished
 * chunk at least its whole records. */
static size_t wait_for_chunk(struct jfr_file *f)
{
    struct feed *feed = f->feed;
    size_t at = (size_t)f->offset;
    struct jfr_header h;
    bool has_size = jfr_chunk_read_header(feed->bytes + at, &h) == 0 &&
                    h.size >= JFR_LAYOUT_HEADER && may_have(feed, at, h.size);
    if (has_size && h.state == JFR_LAYOUT_FINISHED && h.metadata != 0)
        return (size_t)h.size;
    read_records(feed, at + JFR_LAYOUT_HEADER);
    return feed->len - at;
}

/* Reports the error if the file did not simply end: its bytes could not be read or unpacked. */
static int end_chunks(struct jfr_file *f)
{
    const struct feed *feed = f->feed;
    if (feed->error != 0)
        jfr_file_damage(f, feed->len, 0, feed->why ? feed->why : err_text(feed->error));
    return 0;
}

/* Opens a chunk. If it begins inside the bytes that a broken chunk before it claimed, it is only
 * walked. So bytes are read at most twice, and no sequence of false headers can make them be read
 * again and again. */
static int open_chunk(struct jfr_file *f, size_t len, const char **ret_what)
{
    struct jfr_chunk *c = &f->chunk;
    int r = f->offset < f->claimed
                ? jfr_chunk_walk(c, f->feed->bytes + f->offset, len, &f->how, ret_what)
                : jfr_chunk_open(c, f->feed->bytes + f->offset, len, &f->how, ret_what);
    if (r < 0 && r != E_UNSUPPORTED && c->header.size <= len &&
        f->offset + c->header.size > f->claimed)
        f->claimed = f->offset + c->header.size;
    return r;
}

int jfr_file_next_chunk(struct jfr_file *f)
{
    const char *what = "the chunk's metadata makes no sense";
    int r;
    struct jfr_clock clock = f->chunk.clock;
    struct jfr_header before = f->chunk.header;
    if (f->is_open)
        f->offset = find_next(f);
    close_chunk(f);
    feed_release(f->feed, (size_t)f->offset);
    if (!feed_has(f->feed, (size_t)f->offset, 1))
        return end_chunks(f);
    if (!feed_has(f->feed, (size_t)f->offset, JFR_LAYOUT_HEADER)) {
        jfr_file_damage(f, f->offset, f->feed->len - f->offset, "the header of a chunk is cut");
        return end_chunks(f);
    }
    size_t len = wait_for_chunk(f);
    r = open_chunk(f, len, &what);
    f->is_open = true;
    f->at = JFR_LAYOUT_HEADER;
    if (f->chunks > 0 && (r == 0 || r == E_TRUNCATED))
        jfr_chunk_follow(&f->chunk, &before, clock);
    if (r == -ENOMEM || (r == E_UNSUPPORTED && f->chunks == 0))
        return r;
    if (r == E_UNSUPPORTED)
        f->chunk.len = JFR_LAYOUT_HEADER;
    f->chunks++;
    if (r < 0)
        jfr_file_damage(f, f->offset, 0,
                        f->chunk.has_types ? what
                        : f->chunk.metadata_record.bytes
                            ? "the metadata of the chunk are damaged: "
                              "its events cannot be read"
                            : "the chunk has no metadata, which comes last "
                              "in files of JDK 8 and 11: its events cannot "
                              "be read");
    return 1;
}

int jfr_file_next_record(struct jfr_file *f, struct jfr_record *ret_record)
{
    int r = jfr_chunk_record(f->chunk.bytes, f->chunk.len, f->at, ret_record);
    if (r < 0) {
        jfr_file_damage(f, f->offset + f->at, f->chunk.len - f->at,
                        "a record that makes no sense: the rest of the chunk is lost");
        f->at = f->chunk.len;
        return 0;
    }
    if (r > 0)
        f->at += ret_record->size;
    return r;
}

void jfr_file_rewind(struct jfr_file *f)
{
    f->at = JFR_LAYOUT_HEADER;
}
