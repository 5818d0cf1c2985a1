/*
 * format_hprof_binary.c - binary HPROF files: reads versions 1.0.1 and 1.0.2, writes 1.0.1.
 *
 * A file is a header and records, each with a tag and a length. Records that hprof_bin_in.h knows
 * are read; all others are skipped. If a record is longer than the rest of the file, the file is
 * truncated. Layout: docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "base/rd.h"
#include "format/format.h"
#include "format/hprof_bin.h"
#include "format/hprof_bin_in.h"
#include "format/hprof_out.h"
#include "format/hprof_save.h"
#include "profile/profile.h"

static const char magic[] = "JAVA PROFILE 1.0.";
/* The state of one reading. */
struct binary {
    struct hprof_bin_in records;
    struct feed *feed;
    struct rd rd;         /* over the bytes that the feed has */
    uint64_t lost_before; /* profile_lost() when the reading began */
};

static int probe(const unsigned char *bytes, size_t len)
{
    size_t digit = sizeof(magic) - 1;
    if (len < digit + 2 || memcmp(bytes, magic, digit) != 0 || bytes[digit + 1] != '\0')
        return 0;
    return bytes[digit] == '1' || bytes[digit] == '2' ? 2 : 0;
}

static void read_header(struct binary *b, struct rd *r)
{
    if (!probe(r->bytes, r->len)) {
        hprof_bin_in_fail(&b->records, r, E_FORMAT,
                          "not a binary HPROF file of version 1.0.1 or 1.0.2");
        return;
    }
    rd_skip(r, sizeof(magic) + 1);
    b->records.id_bytes = rd_u4(r);
    if (r->error == 0 && b->records.id_bytes != 4 && b->records.id_bytes != 8)
        hprof_bin_in_fail(&b->records, r, E_FORMAT, "identifiers are neither 4 nor 8 bytes long");
    rd_u8(r); /* when it was written */
}

/* Skips the body of a heap dump or of a record that is not read. Returns whether the body is
 * complete. */
static bool pass_over(struct binary *b, struct rd *r, uint32_t len)
{
    size_t end = r->pos + len;
    while (b->feed->len < end && feed_more(b->feed))
        feed_release(b->feed, b->feed->len < end ? b->feed->len : end);
    r->len = b->feed->len;
    rd_skip(r, len);
    return r->error == 0;
}

static void read_body(struct binary *b, struct rd *r, const struct hprof_bin_in_record *record,
                      uint32_t len)
{
    size_t body_at = r->pos;
    struct rd body;
    feed_has(b->feed, body_at, len);
    r->len = b->feed->len;
    const unsigned char *bytes = rd_bytes(r, len);
    if (!bytes && len > 0)
        return;
    rd_init(&body, bytes, len);
    record->read(&b->records, &body);
    if (body.error != 0) {
        /* A body shorter than its fields is damage, not the end of the file. */
        if (body.error == E_TRUNCATED)
            hprof_bin_in_fail(&b->records, r, E_FORMAT, "a record is shorter than its fields");
        rd_fail(r, body.error);
        r->error_pos = body_at + body.error_pos;
    }
}

static void read_record(struct binary *b, struct rd *r)
{
    enum { HEAD = 1 + 4 + 4, LONGEST_RECORD = 256 << 20 };
    size_t start = r->pos;
    feed_has(b->feed, start, HEAD);
    r->len = b->feed->len;
    uint8_t tag = rd_u1(r);
    rd_u4(r); /* microseconds */
    uint32_t len = rd_u4(r);
    const struct hprof_bin_in_record *record = hprof_bin_in_find(tag);
    bool is_whole = r->error == 0;

    if (is_whole && (!record || record->is_passed_over)) {
        is_whole = pass_over(b, r, len);
        if (is_whole && record)
            record->read(&b->records, r);
    } else if (is_whole && len > LONGEST_RECORD && feed_has(b->feed, r->pos, LONGEST_RECORD)) {
        hprof_bin_in_fail(&b->records, r, E_LIMIT, "a record of more than 256 MB");
        is_whole = false;
    } else if (is_whole) {
        is_whole = feed_has(b->feed, r->pos, len);
        read_body(b, r, record, len);
    }
    if (!is_whole)
        r->error_pos = start; /* the message names the beginning of the record */
}

/* The result of `open` and `next`; but if it is 0, `next` may return 1. */
static int result_of(struct reader_in *in)
{
    const struct binary *b = in->state;
    const struct feed *f = b->feed;
    in->position = b->rd.pos;
    if (b->rd.error == E_TRUNCATED && f->error)
        in->error =
            (struct reader_error){.code = f->error, .offset = b->rd.error_pos, .detail = f->why};
    else if (b->rd.error != 0)
        in->error = (struct reader_error){
            .code = b->rd.error, .offset = b->rd.error_pos, .detail = b->records.detail};
    return in->error.code;
}

static int open_binary(struct reader_in *in)
{
    struct binary *b = calloc(1, sizeof(*b));
    in->state = b;
    if (!b)
        return in->error.code = -ENOMEM;
    if (hprof_bin_in_init(&b->records, in->profile, in->sieve) < 0)
        return in->error.code = -ENOMEM;
    b->feed = in->feed;
    b->lost_before = profile_lost(in->profile);
    rd_init(&b->rd, in->feed->bytes, in->feed->len);
    read_header(b, &b->rd);
    return result_of(in);
}

static int next(struct reader_in *in)
{
    enum { RECORDS = 4096 };
    struct binary *b = in->state;
    int r;
    for (int i = 0;
         i < RECORDS && b->rd.error == 0 && !(i > 0 && profile_is_crowded(b->records.profile));
         i++) {
        if (!feed_has(in->feed, b->rd.pos, 1)) {
            if (in->feed->error)
                rd_fail(&b->rd, E_TRUNCATED);
            return result_of(in);
        }
        read_record(b, &b->rd);
        if (hprof_bin_in_is_full(&b->records))
            rd_fail(&b->rd, -ENOMEM);
        if (profile_lost(b->records.profile) != b->lost_before)
            hprof_bin_in_fail(&b->records, &b->rd, E_LIMIT,
                              "the memory for the profile is used up");
    }
    r = result_of(in);
    return r < 0 ? r : 1;
}

static void close_binary(struct reader_in *in)
{
    struct binary *b = in->state;
    if (!b)
        return;
    hprof_bin_in_done(&b->records);
    free(b);
    in->state = NULL;
}

static int begin(struct writer_out *o)
{
    return hprof_save_begin(o, &hprof_bin_out);
}

static const struct reader reader = {
    .probe = probe,
    .open = open_binary,
    .next = next,
    .close = close_binary,
    .abilities = READER_SIEVED,
};

static const struct writer writer = {
    .kinds = KIND_SET_HPROF_BINARY,
    .begin = begin,
    .event = hprof_save_event,
    .end = hprof_save_end,
};

const struct format format_hprof_binary = {
    .name = "hprof-binary",
    .help = "binary HPROF: java.hprof of hprof and of the JDK 8 agent",
    .suffixes = ".hprof .bin",
    .reader = &reader,
    .writer = &writer,
};
