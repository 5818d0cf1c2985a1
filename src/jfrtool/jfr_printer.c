/*
 * jfr_printer.c - see jfr_printer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_printer.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/pages.h"
#include "base/plain.h"
#include "command/javatext.h"
#include "command/say.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

enum {
    KEPT_SLOTS = 1 << 16,
    KEPT_MAX = 32 << 20,
    KEPT_LONGEST = 8 << 10, /* bytes; a longer text, such as a stack, consists of kept texts */
    PIECE = 256 << 10,
    SECOND_LEN = 19, /* length of 2026-11-23T15:04:52 */
};

struct jfr_printer_kept {
    uint64_t key;
    uint32_t type, indent; /* `type` is the number of the type */
    uint32_t at, len;      /* place in the texts; len 0: a free slot */
};

int jfr_printer_init(struct jfr_printer *o, struct sink *sink, unsigned stack_depth)
{
    uint64_t frames = stack_depth < JFR_PRINTER_FRAMES ? stack_depth : JFR_PRINTER_FRAMES;
    *o = (struct jfr_printer){.sink = sink,
                              .stack_depth = stack_depth,
                              .is_first = true,
                              .bound.left = JFR_PRINTER_LEAST,
                              .bound.rate = JFR_PRINTER_RATE * (1 + frames)};
    o->kept = calloc(KEPT_SLOTS, sizeof(*o->kept));
    o->texts = pages_map(KEPT_MAX);
    o->second_of = INT64_MIN;
    if (o->kept && o->texts)
        return 0;
    jfr_printer_done(o);
    return -ENOMEM;
}

void jfr_printer_done(struct jfr_printer *o)
{
    if (o->text.len > 0)
        textbuf_flush(&o->text, o->sink);
    textbuf_done(&o->text);
    pages_unmap(o->texts, KEPT_MAX);
    free(o->kept);
    o->texts = NULL;
    o->kept = NULL;
}

static void forget(struct jfr_printer *o)
{
    if (o->kept_count == 0)
        return;
    memset(o->kept, 0, KEPT_SLOTS * sizeof(*o->kept));
    o->kept_count = 0;
    o->texts_len = 0;
}

void jfr_printer_chunk(struct jfr_printer *o, const struct jfr_chunk *chunk)
{
    uint64_t more = chunk->len * o->bound.rate;
    forget(o);
    o->chunk = chunk;
    o->bound.left = o->bound.left <= UINT64_MAX - more ? o->bound.left + more : UINT64_MAX;
    o->second_of = INT64_MIN;
}

void jfr_printer_count_event(struct jfr_printer *o)
{
    jfr_printer_passes(o, o->text.is_bad ? 0 : o->text.len - o->bound.event_start);
}

void jfr_printer_end_event(struct jfr_printer *o)
{
    jfr_printer_count_event(o);
    o->is_first = false;
    if (o->text.len >= PIECE)
        jfr_printer_flush(o);
    o->bound.event_start = o->text.len;
}

void jfr_printer_flush(struct jfr_printer *o)
{
    textbuf_flush(&o->text, o->sink);
    o->bound.event_start = 0;
}

void jfr_printer_plain(struct jfr_printer *o, const char *text, size_t len)
{
    textbuf_flush(&o->text, o->sink);
    plain_put(o->sink, text, len);
}

static bool is_full(const struct jfr_printer *o)
{
    uint64_t most = o->bound.left < JFR_PRINTER_EVENT_MAX ? o->bound.left : JFR_PRINTER_EVENT_MAX;
    return o->text.is_bad || o->text.len - o->bound.event_start >= most;
}

void jfr_printer_passes(struct jfr_printer *o, size_t len)
{
    o->bound.done += len;
    o->bound.left -= len < o->bound.left ? len : o->bound.left;
}

void jfr_printer_read(struct jfr_printer *o, const struct jfr_field *field, struct leb *l,
                      struct jfr_value *ret_value)
{
    const uint8_t *from = l->at;
    jfr_value_read(o->chunk, field, l, ret_value);
    jfr_printer_passes(o, (size_t)(l->at - from));
}

void jfr_printer_element(struct jfr_printer *o, const struct jfr_value *array, struct leb *l,
                         struct jfr_value *ret_value)
{
    const uint8_t *from = l->at;
    jfr_value_element(o->chunk, array, l, ret_value);
    jfr_printer_passes(o, (size_t)(l->at - from));
}

bool jfr_printer_say(const struct jfr_printer *o, const char *path)
{
    if (jfr_printer_is_used_up(o))
        say("%s: the output ends within the event at offset %" PRIu64 ": so far %" PRIu64
            " MB were written, and read again, more than for a file of this size that a JVM made; "
            "choose other events with --events, or fewer frames with --stack-depth",
            path, o->bound.event_at, o->bound.done >> 20);
    else if (o->bound.cut > 0)
        say("%s: %" PRIu64 " values are shown as if they were not there, the first in the event at "
            "offset %" PRIu64 ": they lie more than %d deep, or behind %d MB of one event; choose "
            "other events with --events",
            path, o->bound.cut, o->bound.cut_at, JFR_PRINTER_DEPTH, JFR_PRINTER_EVENT_MAX >> 20);
    return !jfr_printer_is_used_up(o) && o->bound.cut == 0;
}

bool jfr_printer_may_go_on(struct jfr_printer *o)
{
    bool may = o->depth < JFR_PRINTER_DEPTH && !is_full(o);
    o->bound.cut += !may;
    return may;
}

bool jfr_printer_leaves_out(struct jfr_printer *o, uint64_t count)
{
    if (!is_full(o))
        return false;
    o->bound.cut += count;
    return true;
}

/* The slot of a constant, or a free slot. The seed of the hash is random, so nobody can make a file
 * whose keys collide. */
static struct jfr_printer_kept *find(const struct jfr_printer *o, const struct jfr_type *type,
                                     uint64_t key)
{
    uint64_t what = (uint64_t)type->number << 32 | o->indent;
    size_t at =
        (size_t)(jfr_pool_mix(&o->chunk->pools, key ^ jfr_pool_mix(&o->chunk->pools, what)));
    for (;; at++) {
        struct jfr_printer_kept *k = &o->kept[at % KEPT_SLOTS];
        if (k->len == 0 || (k->key == key && k->type == type->number && k->indent == o->indent))
            return k;
    }
}

bool jfr_printer_again(struct jfr_printer *o, const struct jfr_type *type, uint64_t key)
{
    const struct jfr_printer_kept *k = find(o, type, key);
    if (k->len == 0)
        return false;
    textbuf_bytes(&o->text, o->texts + k->at, k->len);
    return true;
}

void jfr_printer_keep(struct jfr_printer *o, const struct jfr_type *type, uint64_t key,
                      size_t start)
{
    size_t len = o->text.len - start;

    /* Do not keep an incomplete text. */
    if (o->text.is_bad || start >= o->text.len || len > KEPT_LONGEST || o->bound.cut > 0)
        return;
    if (o->kept_count >= KEPT_SLOTS / 2 || len > KEPT_MAX - o->texts_len)
        forget(o);
    *find(o, type, key) = (struct jfr_printer_kept){.key = key,
                                                    .type = type->number,
                                                    .indent = o->indent,
                                                    .at = (uint32_t)o->texts_len,
                                                    .len = (uint32_t)len};
    memcpy(o->texts + o->texts_len, o->text.bytes + start, len);
    o->texts_len += len;
    o->kept_count++;
}

static int32_t offset_of(const struct jfr_printer *o)
{
    return o->clock == JFR_PRINTER_UTC ? 0 : (int32_t)(o->chunk->metadata.gmt_offset_ms / 1000);
}

/* Most events have the same second as the event before, so its text is copied. */
static void put_time(struct jfr_printer *o, int64_t ns)
{
    struct javatext_span at = javatext_span_of(ns, 1);
    size_t start = o->text.len;
    if (at.seconds == o->second_of && at.nanos % 1000 != 0) {
        textbuf_bytes(&o->text, o->second, SECOND_LEN);
        textbuf_char(&o->text, '.');
        textbuf_padded(&o->text, at.nanos, 9);
        textbuf_text(&o->text, o->second + SECOND_LEN);
        return;
    }
    javatext_time(&o->text, at, offset_of(o));
    if (at.nanos % 1000 == 0 || o->text.is_bad || o->text.len - start >= sizeof(o->second) + 10)
        return;
    /* Keep the text without its fraction; the name of the offset follows the fraction. */
    size_t fraction = 10, rest = o->text.len - start - SECOND_LEN - fraction;
    memcpy(o->second, o->text.bytes + start, SECOND_LEN);
    memcpy(o->second + SECOND_LEN, o->text.bytes + start + SECOND_LEN + fraction, rest);
    o->second[SECOND_LEN + rest] = '\0';
    o->second_of = at.seconds;
}

bool jfr_printer_is_number(const struct jfr_printer *o, const struct jfr_field *f)
{
    return o->clock >= JFR_PRINTER_NANOTIME && f->content == JFR_TICKS_STAMP;
}

static int64_t nanotime(const struct jfr_printer *o, int64_t ticks)
{
    int64_t since = (int64_t)((uint64_t)ticks - (uint64_t)o->chunk->clock.ticks);
    return (int64_t)((uint64_t)o->nanotime_ns + (uint64_t)jfr_chunk_span_ns(o->chunk, since));
}

void jfr_printer_stamp(struct jfr_printer *o, const struct jfr_field *f, int64_t number)
{
    if (jfr_printer_is_number(o, f) && o->clock == JFR_PRINTER_NANOTIME && number != INT64_MIN)
        textbuf_number(&o->text, nanotime(o, number));
    else if (jfr_printer_is_number(o, f))
        textbuf_number(&o->text, number);
    else if (number == INT64_MIN)
        textbuf_text(&o->text, "-999999999-01-01T00:00+18:00");
    else if (f->content == JFR_TICKS_STAMP)
        put_time(o, jfr_chunk_time_ns(o->chunk, number));
    else
        javatext_time(&o->text, javatext_span_of(number, NS_PER_MS), offset_of(o));
}
