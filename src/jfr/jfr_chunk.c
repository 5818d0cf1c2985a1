/*
 * jfr_chunk.c - see jfr_chunk.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_chunk.h"
#include <errno.h>
#include <string.h>
#include "base/be.h"
#include "base/err.h"
#include "safe/clock.h"

bool jfr_chunk_begins(const uint8_t *bytes, size_t len)
{
    return len >= sizeof(JFR_LAYOUT_MAGIC) &&
           memcmp(bytes, JFR_LAYOUT_MAGIC, sizeof(JFR_LAYOUT_MAGIC)) == 0;
}

int jfr_chunk_read_header(const uint8_t *bytes, struct jfr_header *ret_header)
{
    struct jfr_header h;
    bool has_state;
    if (!jfr_chunk_begins(bytes, JFR_LAYOUT_HEADER))
        return E_FORMAT;
    h.major = be_2(bytes + JFR_LAYOUT_MAJOR_AT);
    h.minor = be_2(bytes + JFR_LAYOUT_MINOR_AT);
    h.size = be_8(bytes + JFR_LAYOUT_SIZE_AT);
    h.checkpoint = be_8(bytes + JFR_LAYOUT_CHECKPOINT_AT);
    h.metadata = be_8(bytes + JFR_LAYOUT_METADATA_AT);
    h.start_ns = (int64_t)be_8(bytes + JFR_LAYOUT_START_NS_AT);
    h.duration_ns = (int64_t)be_8(bytes + JFR_LAYOUT_DURATION_NS_AT);
    h.start_ticks = (int64_t)be_8(bytes + JFR_LAYOUT_START_TICKS_AT);
    h.ticks_per_second = (double)(int64_t)be_8(bytes + JFR_LAYOUT_TICKS_PER_SECOND_AT);
    has_state = h.minor > 0;
    h.state = has_state ? bytes[JFR_LAYOUT_STATE_AT] : JFR_LAYOUT_FINISHED;
    h.is_final = has_state && bytes[JFR_LAYOUT_FLAGS_AT] & JFR_LAYOUT_LAST;
    *ret_header = h;
    return h.major == 1 || h.major == 2 ? 0 : E_UNSUPPORTED;
}

int jfr_chunk_record(const uint8_t *bytes, size_t len, size_t at, struct jfr_record *ret_record)
{
    struct leb l = leb_over(bytes + at, len - at);
    uint64_t size, type_id;
    if (at == len)
        return 0;
    size = leb_number(&l);
    type_id = leb_number(&l);
    if (l.is_bad || size > len - at || (uint64_t)(l.at - (bytes + at)) > size)
        return E_TRUNCATED;
    *ret_record = (struct jfr_record){
        .type_id = type_id,
        .bytes = bytes + at,
        .size = (size_t)size,
        .payload = {.at = l.at, .end = bytes + at + size},
    };
    return 1;
}

static int open_types(struct jfr_chunk *c, const struct jfr_record *record,
                      struct jfr_budget *budget)
{
    int r;
    jfr_metadata_done(&c->metadata);
    r = jfr_metadata_read(&c->metadata, record->payload, budget);
    c->has_types = r == 0;
    c->metadata_record = *record;
    return r;
}

/* Finds the last metadata record of a chunk, the one that counts, without the header's help.
 * Returns where the whole records end. ret_metadata->bytes is NULL if there is no metadata. */
static size_t walk(const uint8_t *bytes, size_t len, struct jfr_record *ret_metadata)
{
    struct jfr_record record;
    size_t at = JFR_LAYOUT_HEADER;
    *ret_metadata = (struct jfr_record){0};
    while (!jfr_chunk_begins(bytes + at, len - at) &&
           jfr_chunk_record(bytes, len, at, &record) > 0) {
        if (record.type_id == JFR_LAYOUT_METADATA)
            *ret_metadata = record;
        at += record.size;
    }
    return at;
}

/* Adds the constants of every checkpoint in the chunk. If a checkpoint is malformed, the rest of
 * that checkpoint is left out. */
static int add_met_constants(struct jfr_chunk *c)
{
    struct jfr_record record;
    for (size_t at = JFR_LAYOUT_HEADER; jfr_chunk_record(c->bytes, c->len, at, &record) > 0;
         at += record.size)
        if (record.type_id == JFR_LAYOUT_CHECKPOINT &&
            jfr_pool_add(&c->pools, record.payload) == -ENOMEM)
            return -ENOMEM;
    return 0;
}

/* Adds the constants by following the chain of checkpoints: each one holds the distance to the one
 * before it. They must not overlap, so no file can make this code read a byte twice. */
static int add_chained_constants(struct jfr_chunk *c)
{
    uint64_t at = c->header.checkpoint, end = c->len;
    struct jfr_record record;
    while (at != 0) {
        if (at < JFR_LAYOUT_HEADER || at >= end ||
            jfr_chunk_record(c->bytes, (size_t)end, (size_t)at, &record) <= 0 ||
            record.type_id != JFR_LAYOUT_CHECKPOINT)
            return E_FORMAT;
        int r = jfr_pool_add(&c->pools, record.payload);
        if (r < 0)
            return r;
        struct leb l = record.payload;
        leb_skip_numbers(&l, 2);
        uint64_t back = 0 - leb_number(&l);
        end = at;
        if (back == 0)
            break;
        if (back > at)
            return E_FORMAT;
        at -= back;
    }
    return 0;
}

/* Opens a chunk whose header is right about everything. Returns 1; 0: the header is not right, so
 * the chunk must be walked. */
static int open_finished(struct jfr_chunk *c, size_t len, const struct jfr_chunk_reading *how)
{
    const struct jfr_header *h = &c->header;
    struct jfr_record record;
    if (h->state != JFR_LAYOUT_FINISHED || h->size < JFR_LAYOUT_HEADER || h->size > len ||
        h->metadata < JFR_LAYOUT_HEADER || h->metadata >= h->size)
        return 0;
    if (jfr_chunk_record(c->bytes, (size_t)h->size, (size_t)h->metadata, &record) <= 0 ||
        record.type_id != JFR_LAYOUT_METADATA)
        return 0;
    int r = open_types(c, &record, how->budget);
    if (r < 0)
        return r == -ENOMEM ? r : 0;
    c->len = (size_t)h->size;
    c->is_finished = true;
    r = how->with_constants ? jfr_pool_init(&c->pools, &c->metadata, how->budget) : 0;
    if (r == 0 && how->with_constants && add_chained_constants(c) < 0) {
        c->is_finished = false;
        jfr_pool_done(&c->pools);
        return 0;
    }
    return r < 0 ? r : 1;
}

static const char *why_unfinished(const struct jfr_header *h, size_t len)
{
    if (h->size > len)
        return "the chunk is cut: its end is missing; what is whole was read";
    if (h->state != JFR_LAYOUT_FINISHED || h->size < JFR_LAYOUT_HEADER || h->metadata == 0)
        return "the chunk was not finished: its recording still ran, or its JVM was killed; "
               "what is whole was read";
    return "the chunk's header leads nowhere; what is whole was read";
}

static int begin(struct jfr_chunk *c, const uint8_t *bytes)
{
    *c = (struct jfr_chunk){.bytes = bytes};
    int r = jfr_chunk_read_header(bytes, &c->header);
    c->clock = (struct jfr_clock){c->header.start_ns, c->header.start_ticks};
    return r;
}

/* Opens all whole records from the beginning of the chunk on. If no record is metadata, the types
 * stay that the header led to, if there are any. */
static int open_walked(struct jfr_chunk *c, size_t len, const struct jfr_chunk_reading *how)
{
    struct jfr_record metadata;
    c->len = walk(c->bytes, len, &metadata);
    int r = metadata.bytes ? open_types(c, &metadata, how->budget) : 0;
    if (r == 0 && c->has_types && how->with_constants) {
        r = jfr_pool_init(&c->pools, &c->metadata, how->budget);
        if (r == 0)
            r = add_met_constants(c);
    }
    return r < 0 ? r : E_TRUNCATED;
}

int jfr_chunk_open(struct jfr_chunk *c, const uint8_t *bytes, size_t len,
                   const struct jfr_chunk_reading *how, const char **ret_what)
{
    int r = begin(c, bytes);
    if (r == 0)
        r = open_finished(c, len, how);
    if (r != 0)
        return r < 0 ? r : 0;
    *ret_what = why_unfinished(&c->header, len);
    return open_walked(c, len, how);
}

int jfr_chunk_walk(struct jfr_chunk *c, const uint8_t *bytes, size_t len,
                   const struct jfr_chunk_reading *how, const char **ret_what)
{
    int r = begin(c, bytes);
    if (r < 0)
        return r;
    *ret_what = "the chunk begins inside a broken one; what is whole was read";
    return open_walked(c, len, how);
}

void jfr_chunk_close(struct jfr_chunk *c)
{
    jfr_pool_done(&c->pools);
    jfr_metadata_done(&c->metadata);
    c->has_types = false;
}

const struct jfr_type *jfr_chunk_type(const struct jfr_chunk *c, uint64_t type_id)
{
    const struct jfr_type *type = c->has_types ? jfr_metadata_type(&c->metadata, type_id) : NULL;
    return type && type->is_readable && jfr_type_is_event(type) ? type : NULL;
}

/* Converts as Java casts double to long: the nearest long; 0 for NaN. */
static int64_t to_long(double value)
{
    if (!(value > -9.3e18))
        return value < 0 ? INT64_MIN : 0;
    return value >= 9223372036854775807.0    ? INT64_MAX
           : value <= -9223372036854775808.0 ? INT64_MIN
                                             : (int64_t)value;
}

static double ticks_per_ns(const struct jfr_chunk *c)
{
    return c->header.ticks_per_second / NS_PER_S;
}

int64_t jfr_chunk_span_ns(const struct jfr_chunk *c, int64_t ticks)
{
    return to_long((double)ticks / ticks_per_ns(c));
}

int64_t jfr_chunk_time_ns(const struct jfr_chunk *c, int64_t ticks)
{
    int64_t since = (int64_t)((uint64_t)ticks - (uint64_t)c->clock.ticks);
    return (int64_t)((uint64_t)c->clock.ns + (uint64_t)jfr_chunk_span_ns(c, since));
}

static double since(int64_t later, int64_t earlier)
{
    return (double)(int64_t)((uint64_t)later - (uint64_t)earlier);
}

/* JDK 9 and 10 write two different moments into the header of a chunk: the wall time is that at
 * which the chunk before ended, the ticks are those at which the new file was made. The second
 * moment may be 0.1 s and more later. */
static bool has_late_ticks(const struct jfr_header *h, const struct jfr_header *before,
                           double apart_ns)
{
    enum { LATE_NS_MAX = 2000000000 };
    return h->major == 1 && before->major == 1 && apart_ns < 0 && apart_ns > -LATE_NS_MAX &&
           since(h->start_ns, before->start_ns) == (double)before->duration_ns;
}

double jfr_chunk_clock_moved_ns(const struct jfr_header *h, const struct jfr_header *before)
{
    double apart_ns = since(h->start_ns, before->start_ns) -
                      since(h->start_ticks, before->start_ticks) / (h->ticks_per_second / NS_PER_S);
    return has_late_ticks(h, before, apart_ns) ? 0 : apart_ns;
}

void jfr_chunk_follow(struct jfr_chunk *c, const struct jfr_header *before, struct jfr_clock clock)
{
    const struct jfr_header *h = &c->header;
    double moved_ns = jfr_chunk_clock_moved_ns(h, before);
    if (h->ticks_per_second == before->ticks_per_second && moved_ns < JFR_CHUNK_MOVED_NS &&
        moved_ns > -JFR_CHUNK_MOVED_NS)
        c->clock = clock;
}
