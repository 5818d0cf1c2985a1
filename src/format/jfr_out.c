/*
 * jfr_out.c - see jfr_out.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_out.h"
#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/be.h"
#include "base/pages.h"
#include "format/jfr_filler.h"
#include "format/jfr_words.h"
#include "jfr/jfr_layout.h"
#include "profile/custom.h"
#include "profile/profile.h"
#include "safe/clock.h"

enum {
    EVENTS_ROOM = 2 << 20, /* bytes of the events that wait */
    EVENT_ROOM = 64 << 10, /* more bytes than any event has */
    OTHER_ROOM = 16 << 20, /* bytes of one write, events included */
    /* How long a chunk of a stream usually lasts: each chunk must repeat all constants. */
    STREAM_SECONDS = 5,
    LENGTH_STEP = 4096, /* the length of a file is a multiple of it */
    SLACK = 64 << 10,   /* a chunk ends if the file has little more room than this */
    LOOKS = 5,          /* looks at the clocks; the quickest look counts */
    MS_PER_SECOND = 1000,
};

/* ---- the clocks */

struct jfr_out_time jfr_out_now(int64_t gmt_offset_ms)
{
    struct jfr_out_time best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < LOOKS; i++) {
        uint64_t before = clock_monotonic_ns(), wall = clock_ns(CLOCK_REALTIME);
        uint64_t after = clock_monotonic_ns();
        if (after - before < least) {
            least = after - before;
            best = (struct jfr_out_time){before + least / 2, wall, gmt_offset_ms};
        }
    }
    return best;
}

int64_t jfr_out_gmt_offset_ms(void)
{
    time_t seconds = time(NULL);
    struct tm local;
    return localtime_r(&seconds, &local) ? (int64_t)local.tm_gmtoff * MS_PER_SECOND : 0;
}

/* ---- chunks */

static void make_header(const struct jfr_out *o, uint64_t bytes, bool is_last,
                        unsigned char ret[JFR_LAYOUT_HEADER])
{
    const struct jfr_out_chunk *c = &o->chunk;
    memset(ret, 0, JFR_LAYOUT_HEADER);
    memcpy(ret, JFR_LAYOUT_MAGIC, sizeof(JFR_LAYOUT_MAGIC));
    be_put2(ret + JFR_LAYOUT_MAJOR_AT, JFR_LAYOUT_MAJOR);
    be_put2(ret + JFR_LAYOUT_MINOR_AT, JFR_LAYOUT_MINOR);
    be_put8(ret + JFR_LAYOUT_SIZE_AT, bytes);
    be_put8(ret + JFR_LAYOUT_CHECKPOINT_AT, c->checkpoint);
    be_put8(ret + JFR_LAYOUT_METADATA_AT, c->metadata);
    be_put8(ret + JFR_LAYOUT_START_NS_AT, c->start_ns);
    be_put8(ret + JFR_LAYOUT_DURATION_NS_AT, c->end_ticks - c->start_ticks);
    be_put8(ret + JFR_LAYOUT_START_TICKS_AT, c->start_ticks);
    be_put8(ret + JFR_LAYOUT_TICKS_PER_SECOND_AT, NS_PER_S);
    /* A chunk is finished at any time, because all that its header covers can be read. */
    ret[JFR_LAYOUT_STATE_AT] = JFR_LAYOUT_FINISHED;
    ret[JFR_LAYOUT_FLAGS_AT] = JFR_LAYOUT_COMPRESSED | (is_last ? JFR_LAYOUT_LAST : 0);
}

uint64_t jfr_out_chunk_bytes(const unsigned char header[JFR_OUT_HEADER])
{
    bool begins = memcmp(header, JFR_LAYOUT_MAGIC, sizeof(JFR_LAYOUT_MAGIC)) == 0;
    return begins ? be_8(header + JFR_LAYOUT_SIZE_AT) : 0;
}

static bool is_stream(const struct jfr_out *o)
{
    return !o->config.target.replace;
}

static uint32_t custom_count(const struct jfr_out *o)
{
    return o->config.customs ? o->config.customs->count : 0;
}

/* The keys and the types of events that the program has named so far. */
static struct jfr_schema_keys keys_of(const struct jfr_out *o)
{
    struct profile *p = o->config.profile;
    const struct context_set *contexts = profile_contexts(p);
    struct jfr_schema_keys keys = {.count = contexts->key_count,
                                   .customs = o->config.customs,
                                   .custom_count = custom_count(o)};
    for (uint32_t i = 0; i < keys.count; i++) {
        const struct context_key *key = &contexts->keys[i];
        keys.of[i].name = profile_string_at(p, key->name)->bytes;
        keys.of[i].about = key->about ? profile_string_at(p, key->about)->bytes : NULL;
    }
    return keys;
}

/* Begins the next chunk, now. Events that wait go into it. */
static void begin_chunk(struct jfr_out *o)
{
    o->keys = keys_of(o);
    o->chunk = (struct jfr_out_chunk){.offset = o->chunk.offset + o->chunk.bytes,
                                      .start_ns = o->now.wall_ns,
                                      .start_ticks = o->now.monotonic_ns,
                                      .end_ticks = o->now.monotonic_ns,
                                      .first_ticks = o->now.monotonic_ns};
    jfr_pools_begin_chunk(&o->pools, o->keys.count);
    if (o->config.target.begin_chunk)
        o->config.target.begin_chunk(o->config.target.to, o, &o->now);
}

/* A chunk must not begin after its earliest event. Two chunks must not begin at the same time,
 * because readers take two such chunks for one. */
static void date_chunk(struct jfr_out *o)
{
    struct jfr_out_chunk *c = &o->chunk;
    c->start_ns -= c->start_ticks - c->first_ticks;
    c->start_ticks = c->first_ticks;
    if (c->start_ns <= o->last_start_ns) {
        c->start_ticks += o->last_start_ns + 1 - c->start_ns;
        c->start_ns = o->last_start_ns + 1;
    }
}

/* Makes the start of a chunk: room for its header, and its metadata. */
static void fill_start(struct jfr_out *o)
{
    static const unsigned char no_header[JFR_LAYOUT_HEADER];
    struct jfr_bytes *b = &o->other;
    date_chunk(o);
    jfr_bytes_raw(b, no_header, sizeof(no_header));
    o->chunk.metadata = b->used;
    jfr_schema_describe(b, o->words, o->chunk.start_ticks, o->now.gmt_offset_ms, &o->keys);
}

/* Adds the new constants, and behind them the events that wait, if there is room. Returns whether
 * the events were added. */
static bool fill(struct jfr_out *o)
{
    struct jfr_bytes *b = &o->other;
    struct jfr_out_chunk *c = &o->chunk;
    bool has_events;
    if (jfr_pools_has_news(&o->pools)) {
        uint64_t at = c->bytes + b->used;
        jfr_pools_write(&o->pools, b, c->end_ticks, c->checkpoint ? at - c->checkpoint : 0);
        c->checkpoint = at;
    }
    has_events = !jfr_pools_has_news(&o->pools) && o->events.used <= b->size - b->used;
    if (has_events || is_stream(o)) /* if the chunk of a stream is too large, it lacks constants */
        jfr_bytes_raw(b, o->events.at, o->events.used);
    return has_events || is_stream(o);
}

/* Called when the events have been written. */
static void count_events(struct jfr_out *o)
{
    o->written += o->waiting;
    o->waiting = 0;
    o->has_contexts = false;
    jfr_bytes_cut(&o->events, 0);
}

/* Called when a write has failed: the constants in it are to be written again. */
static int fail(struct jfr_out *o, int error)
{
    jfr_pools_forget(&o->pools);
    if (error != -EAGAIN)
        o->error = error;
    return error;
}

static bool has_something(const struct jfr_out *o)
{
    return o->waiting > 0 || (o->chunk.is_open && jfr_pools_has_news(&o->pools));
}

/* ---- a stream */

/* Writes everything that waits as one chunk. Errors: 0, or the target's. */
static int send_chunk(struct jfr_out *o, bool is_last)
{
    int error;
    jfr_bytes_cut(&o->other, 0);
    fill_start(o);
    fill(o);
    make_header(o, o->other.used, is_last, o->other.at);
    error = o->config.target.append(o->config.target.to, o->other.at, o->other.used);
    if (error) {
        o->chunk.checkpoint = 0;
        return fail(o, error);
    }
    o->last_start_ns = o->chunk.start_ns;
    o->chunk.bytes = o->other.used;
    count_events(o);
    begin_chunk(o);
    return 0;
}

/* ---- a file */

static int replace(struct jfr_out *o, uint64_t offset, const void *bytes, size_t len)
{
    int error = o->config.target.replace(o->config.target.to, offset, bytes, len);
    if (error && error != -EAGAIN)
        o->error = error;
    return error;
}

/* Writes the header of the chunk again. Errors: 0; the target's: the old header stays, which names
 * less than there is. */
static int renew_header(struct jfr_out *o, uint64_t bytes, bool is_last)
{
    unsigned char header[JFR_LAYOUT_HEADER];
    make_header(o, bytes, is_last, header);
    return replace(o, o->chunk.offset, header, sizeof(header));
}

/* Makes a filler as short as possible: readers then find what lies behind it. */
static int shorten(struct jfr_out *o, uint64_t filler)
{
    unsigned char head[JFR_FILLER_HEAD];
    jfr_filler_head(head, sizeof(head));
    return replace(o, filler, head, sizeof(head));
}

/*
 * Ends the chunk before, in whose filler the newest chunk lies. One call corrects the size in its
 * header. A call after a later flush shortens its filler. In between, a reader that has read the
 * old header, which reached to the end of the file, must still skip the newest chunk, so the filler
 * stays long. `is_now`: do not wait for a later flush. Errors: 0; the target's.
 */
static int end_before(struct jfr_out *o, bool is_now)
{
    struct jfr_out_file *f = &o->file;
    unsigned char size[sizeof(uint64_t)];
    int error = 0;
    if (f->before.is_long) {
        be_put8(size, f->chunk - f->before.chunk);
        error = replace(o, f->before.chunk + JFR_LAYOUT_SIZE_AT, size, sizeof(size));
        f->before.is_long = error != 0;
        f->before.flush = f->flushes;
    } else if (f->before.has_filler && (is_now || f->before.flush != f->flushes)) {
        error = shorten(o, f->before.filler);
        f->before.has_filler = error != 0;
    }
    return error;
}

/* Gives the file its length, and names all constants in the header. Errors: 0; the target's. */
static int name_all(struct jfr_out *o, bool is_last)
{
    struct jfr_out_file *f = &o->file;
    int error = f->is_short ? o->config.target.resize(o->config.target.to, f->length) : 0;
    f->is_short = f->is_short && error;
    return error ? error : renew_header(o, f->length - o->chunk.offset, is_last);
}

/* Lets readers find everything that was written. Errors: 0; the target's: they find some of it
 * later. */
static int show(struct jfr_out *o, bool is_last)
{
    struct jfr_out_file *f = &o->file;
    int error = name_all(o, is_last);
    if (!error && f->shown != f->filler)
        error = shorten(o, f->shown);
    if (!error) {
        f->shown = f->filler;
        error = end_before(o, false);
    }
    return error;
}

static void note_sent(struct jfr_out *o)
{
    o->file.at += o->other.used;
    o->file.filler = o->file.at - JFR_FILLER_HEAD;
    o->chunk.bytes += o->other.used;
    o->file.largest -= o->file.largest / 8;
    if (o->other.used > o->file.largest)
        o->file.largest = o->other.used;
}

/* The offset at which the file should end if the bytes of `o->other` are the next part of a chunk
 * at `offset`. */
static uint64_t end_of_chunk(const struct jfr_out *o, uint64_t offset)
{
    uint64_t bytes =
        o->config.chunk_bytes < JFR_FILLER_MAX / 2 ? o->config.chunk_bytes : JFR_FILLER_MAX / 2;
    if (bytes < o->other.used + SLACK)
        bytes = o->other.used + SLACK;
    return (offset + bytes + LENGTH_STEP - 1) / LENGTH_STEP * LENGTH_STEP;
}

/* Shows everything that was written and ends the chunk before. Errors: 0; the target's: the chunk
 * before is not ended yet. */
static int end_all_before(struct jfr_out *o, bool is_last)
{
    int error = o->file.shown == o->file.filler ? 0 : show(o, is_last);
    while (!error && (o->file.before.is_long || o->file.before.has_filler))
        error = end_before(o, true);
    return error;
}

/* Makes the start of a chunk, without events. If the filler of the chunk before has enough room,
 * the new chunk lies in it, and the result is true. Otherwise the new chunk begins at the end of
 * the file, which becomes longer. *ret_end: the new end of the file. */
static bool fill_chunk(struct jfr_out *o, uint64_t *ret_end)
{
    const struct jfr_out_file *f = &o->file;
    struct jfr_bytes *b = &o->other;
    bool is_within;
    jfr_bytes_cut(b, 0);
    fill_start(o);
    is_within = f->length && f->length - f->at >= b->used + o->config.chunk_bytes / 2;
    o->chunk.offset = is_within ? f->at : f->length;
    *ret_end = is_within ? f->length : end_of_chunk(o, f->length);
    jfr_filler_put(b, *ret_end - o->chunk.offset);
    make_header(o, *ret_end - o->chunk.offset, false, b->at);
    return is_within;
}

/* Begins a chunk in the file. Errors: 0; the target's: nothing was written. */
static int open_chunk(struct jfr_out *o)
{
    struct jfr_out_file *f = &o->file;
    const struct jfr_out_target *t = &o->config.target;
    const struct jfr_bytes *b = &o->other;
    uint64_t end;
    int error = end_all_before(o, false);
    bool is_within = !error && fill_chunk(o, &end);
    if (!error)
        error = is_within ? t->append(t->to, b->at, b->used)
                          : t->start(t->to, o->chunk.offset, b->at, b->used, end);
    if (error)
        return fail(o, error);
    if (is_within) {
        f->before.chunk = f->chunk;
        f->before.filler = f->filler;
        f->before.is_long = f->before.has_filler = true;
    }
    f->chunk = f->at = o->chunk.offset;
    f->length = end;
    o->chunk.is_open = true;
    o->last_start_ns = o->chunk.start_ns;
    note_sent(o);
    f->shown = f->filler;
    return 0;
}

/* Writes `o->other` and a filler behind it. Errors: 0; the target's: nothing was written. */
static int append(struct jfr_out *o)
{
    struct jfr_out_file *f = &o->file;
    uint64_t end = f->at + o->other.used + JFR_FILLER_ROOM;
    bool is_short = end > f->length;
    int error;
    end = is_short ? end_of_chunk(o, end) : f->length;
    jfr_filler_put(&o->other, end - f->at);
    error = o->config.target.append(o->config.target.to, o->other.at, o->other.used);
    if (!error) {
        f->is_short = f->is_short || is_short;
        f->length = end;
    }
    return error;
}

/* Writes everything that waits, in one or more complete pieces. The header names the constants of
 * the last piece at once; its events are shown later. Errors: 0, or the target's. */
static int send(struct jfr_out *o, bool is_last)
{
    bool has_events = false;
    int error = 0;
    while (!error && !has_events) {
        uint64_t checkpoint = o->chunk.checkpoint;
        jfr_bytes_cut(&o->other, 0);
        o->other.size -= JFR_FILLER_ROOM;
        has_events = fill(o);
        o->other.size += JFR_FILLER_ROOM;
        error = append(o);
        if (error) {
            o->chunk.checkpoint = checkpoint;
            return fail(o, error);
        }
        note_sent(o);
        if (has_events)
            count_events(o);
        error = has_events ? name_all(o, is_last) : show(o, is_last);
    }
    return error;
}

/* Cuts the file to the bytes that it uses. */
static void cut(struct jfr_out *o)
{
    const struct jfr_out_target *t = &o->config.target;
    const struct jfr_out_file *f = &o->file;
    unsigned char size[sizeof(uint64_t)];
    be_put8(size, f->at - f->chunk);
    if (end_all_before(o, true) == 0 &&
        t->start(t->to, f->chunk + JFR_LAYOUT_SIZE_AT, size, sizeof(size), f->at) == 0)
        (void)shorten(o, f->filler);
}

/* Writes everything that waits into the file. Errors: 0; the target's. */
static int flush_file(struct jfr_out *o, bool is_last)
{
    int error = 0;
    o->file.flushes++;
    if (!o->chunk.is_open && o->waiting > 0)
        error = open_chunk(o);
    if (!error && o->chunk.is_open && o->file.shown != o->file.filler)
        error = show(o, false); /* what the last flush wrote */
    if (!error && has_something(o))
        error = send(o, is_last);
    else if (!error && o->chunk.is_open)
        error = show(o, is_last);
    if (!error && is_last && o->file.length > 0)
        cut(o);
    return error;
}

/* ---- a stream or a file */

/* Writes everything that waits. The header of a file then names it. */
static int flush(struct jfr_out *o, bool is_last)
{
    int error = o->error;
    o->chunk.end_ticks = o->now.monotonic_ns;
    if (!error && !is_stream(o))
        error = flush_file(o, is_last);
    else if (!error && has_something(o))
        error = send_chunk(o, is_last);
    return error;
}

/* ---- events */

/* The wall clock is read when a chunk begins. Until the next chunk it is assumed to advance like
 * the monotonic clock. */
static void look_at_clock(struct jfr_out *o, uint64_t now_ns)
{
    if (now_ns > o->now.monotonic_ns) {
        o->now.wall_ns += now_ns - o->now.monotonic_ns;
        o->now.monotonic_ns = now_ns;
    }
}

int jfr_out_show(struct jfr_out *o)
{
    bool is_due = o->chunk.is_open && o->file.shown != o->file.filler;
    return !o->error && is_due ? show(o, false) : o->error;
}

void jfr_out_make_room(struct jfr_out *o)
{
    if (o->events.size - o->events.used >= EVENT_ROOM)
        return;
    if (flush(o, false) != 0) {
        o->lost += o->waiting;
        o->waiting = 0;
        jfr_bytes_cut(&o->events, 0);
    }
}

void jfr_out_count(struct jfr_out *o, bool has_put, uint64_t time_ns)
{
    if (has_put)
        o->waiting++;
    else
        o->lost++;
    if (time_ns < o->chunk.first_ticks && !o->chunk.is_open)
        o->chunk.first_ticks = time_ns;
    look_at_clock(o, time_ns);
}

void jfr_out_put(struct jfr_out *o, enum jfr_schema_type type, const union jfr_schema_value *values)
{
    jfr_out_make_room(o);
    o->has_contexts = o->has_contexts || jfr_schema_has_context(type);
    jfr_out_count(o, jfr_schema_put(&o->events, type, values, o->keys.count > 0), values[0].number);
}

/*
 * A new key is one more field of all events that have a context; a new type of events must be in
 * the metadata. If the metadata of this chunk is not written yet, it gets both, unless an event
 * with a context waits already. Otherwise the next chunk gets both and begins now. If the target
 * takes nothing now, the chunk goes on without them.
 */
void jfr_out_note_keys(struct jfr_out *o)
{
    bool has_new_keys = o->keys.count != profile_contexts(o->config.profile)->key_count;
    if (!has_new_keys && o->keys.custom_count == custom_count(o))
        return;
    if (!o->chunk.is_open && !(has_new_keys && o->has_contexts)) {
        o->keys = keys_of(o);
        o->pools.keys = o->keys.count;
    } else if (flush(o, false) == 0 && !is_stream(o) && jfr_out_show(o) == 0) {
        begin_chunk(o);
    }
}

/* ---- life */

int jfr_out_open(struct jfr_out *o, const struct jfr_out_config *config,
                 const struct jfr_out_time *now)
{
    size_t piece =
        config->piece_bytes && config->piece_bytes < OTHER_ROOM ? config->piece_bytes : OTHER_ROOM;
    *o = (struct jfr_out){.config = *config, .now = *now};
    o->words = pages_map(sizeof(*o->words));
    if (!o->words ||
        jfr_bytes_open(&o->events, EVENTS_ROOM < piece / 2 ? EVENTS_ROOM : piece / 2) != 0 ||
        jfr_bytes_open(&o->other, piece) != 0) {
        jfr_bytes_close(&o->events);
        pages_unmap(o->words, sizeof(*o->words));
        return -ENOMEM;
    }
    jfr_pools_init(&o->pools, config->profile, config->marks_bytes);
    begin_chunk(o);
    return 0;
}

static bool is_due(const struct jfr_out *o)
{
    const struct jfr_out_chunk *c = &o->chunk;
    return c->is_open && (c->bytes >= o->config.chunk_bytes ||
                          o->file.length - o->file.at < 2 * o->file.largest + SLACK ||
                          o->now.monotonic_ns - c->start_ticks >= o->config.chunk_ns);
}

int jfr_out_flush(struct jfr_out *o, const struct jfr_out_time *now, bool is_end)
{
    bool is_early = is_stream(o) && !is_end && o->events.used < o->events.size / 2 &&
                    now->monotonic_ns - o->chunk.start_ticks < (uint64_t)STREAM_SECONDS * NS_PER_S;
    look_at_clock(o, now->monotonic_ns);
    if (!is_early && flush(o, is_end) == 0 && !is_end && is_due(o) && jfr_out_show(o) == 0) {
        o->now = *now;
        begin_chunk(o);
    }
    return o->error;
}

void jfr_out_close(struct jfr_out *o)
{
    pages_unmap(o->words, sizeof(*o->words));
    jfr_bytes_close(&o->events);
    jfr_bytes_close(&o->other);
    jfr_pools_done(&o->pools);
}
