/*
 * format_hprof_binary.c - binary HPROF files: reads versions 1.0.1 and 1.0.2, writes 1.0.1.
 *
 * Strings, classes, frames, traces, threads, CPU SAMPLES, ALLOC SITES and the quality string are
 * read; every other record is skipped by its length, heap dumps too, which are counted. Counts in
 * the file are believed only as far as there are bytes behind them.
 * Layout: docs/format/hprof-binary.md.
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
#include "format/hprof_frame.h"
#include "format/hprof_out.h"
#include "format/hprof_save.h"
#include "format/hprof_sites.h"
#include "format/idmap.h"
#include "format/textin.h"
#include "profile/found.h"
#include "profile/sieve.h"
#include "profile/sums.h"

/* The numbers of a site that do not fit into the next table of them, in the order of its fields. */
struct large_site {
    uint64_t klass, trace; /* serials */
    uint64_t fields[EVENT_VALUES];
};

/* The state of one reading; the maps lead from the file's identifiers to the model's. */
struct binary {
    struct profile *profile;
    struct sieve *sieve; /* which stacks are read; NULL: all */
    struct feed *feed;
    struct rd rd;         /* over what the feed has */
    uint64_t lost_before; /* what the profile had lost when the reading began */
    unsigned id_bytes;
    struct idmap strings, classes, frames;
    struct idmap dotted; /* from a string of the model to its form with dots, or to itself */
    frame_id *stack;     /* of the present TRACE; as long as the longest one so far */
    size_t stack_room;
    struct large_site *large;
    uint32_t large_count, large_room, large_next;
    const char *detail; /* what is wrong, once something is */
};

static const char magic[] = "JAVA PROFILE 1.0.";
static const char quality_head[] = "hprof quality: ";
static const char program_head[] = HPROF_BIN_PROGRAM;
static const char site_head[] = HPROF_BIN_SITE;

static int probe(const unsigned char *bytes, size_t len)
{
    size_t digit = sizeof(magic) - 1;
    if (len < digit + 2 || memcmp(bytes, magic, digit) != 0 || bytes[digit + 1] != '\0')
        return 0;
    return bytes[digit] == '1' || bytes[digit] == '2' ? 2 : 0;
}

static int fail(struct binary *b, struct rd *r, int code, const char *detail)
{
    if (!b->detail)
        b->detail = detail;
    return rd_fail(r, code);
}

static string_id string_of(const struct binary *b, struct rd *r)
{
    return idmap_get(&b->strings, rd_id(r, b->id_bytes));
}

/* "samples=12, lost=0": every name becomes a string of the model, which then owns it. */
static void read_quality(struct binary *b, struct rd *r, const char *at, const char *end)
{
    while (at < end) {
        const char *stop = memchr(at, ',', (size_t)(end - at));
        if (!stop)
            stop = end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        uint64_t count = 0;
        for (const char *d = equals ? equals + 1 : stop; d < stop && *d >= '0' && *d <= '9'; d++)
            if (__builtin_mul_overflow(count, 10, &count) ||
                __builtin_add_overflow(count, (uint64_t)(*d - '0'), &count)) {
                fail(b, r, E_FORMAT, "a quality count of more than 64 bits");
                return;
            }
        string_id name = equals ? profile_string(b->profile, at, (size_t)(equals - at)) : 0;
        if (name != 0)
            profile_set_quality(b->profile, profile_string_at(b->profile, name)->bytes, count);
        at = stop + 1;
        while (at < end && *at == ' ')
            at++;
    }
}

/* "300001 100002 8589934592 ...": serials of class and trace, then the fields of the row. */
static int take_large_site(const char *at, const char *end, struct large_site *ret_site)
{
    uint64_t *const numbers[] = {&ret_site->klass,     &ret_site->trace,     &ret_site->fields[0],
                                 &ret_site->fields[1], &ret_site->fields[2], &ret_site->fields[3]};
    struct textin_span s = {at, end};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (!textin_column(&s, numbers[i]))
            return 0;
    return 1;
}

static void read_large_site(struct binary *b, struct rd *r, const char *at, const char *end)
{
    if (b->large_count == b->large_room) {
        uint32_t room = b->large_room ? b->large_room * 2 : 16;
        struct large_site *large = realloc(b->large, room * sizeof(*large));
        if (!large) {
            fail(b, r, -ENOMEM, NULL);
            return;
        }
        b->large = large;
        b->large_room = room;
    }
    if (take_large_site(at, end, &b->large[b->large_count]))
        b->large_count++;
    else
        fail(b, r, E_FORMAT, "the numbers of a site that are not six numbers");
}

static void read_utf8(struct binary *b, struct rd *r)
{
    uint64_t id = rd_id(r, b->id_bytes);
    size_t len = rd_left(r);
    const char *text = (const char *)rd_bytes(r, len);
    if (!text)
        return;
    size_t head = sizeof(quality_head) - 1;
    if (len > head && memcmp(text, quality_head, head) == 0)
        read_quality(b, r, text + head, text + len);
    else if (len >= sizeof(site_head) && memcmp(text, site_head, sizeof(site_head) - 1) == 0)
        read_large_site(b, r, text + sizeof(site_head) - 1, text + len);
    else if (len > sizeof(program_head) - 1 &&
             memcmp(text, program_head, sizeof(program_head) - 1) == 0)
        profile_set_program(b->profile, profile_string(b->profile, text + sizeof(program_head) - 1,
                                                       len - (sizeof(program_head) - 1)));
    else
        idmap_put(&b->strings, id, profile_string(b->profile, text, len));
}

/* HotSpot's own dumps have slashes in class names where the agent has dots. */
static string_id replace_slashes(struct binary *b, string_id name)
{
    const struct profile_string *s = profile_string_at(b->profile, name);
    if (!memchr(s->bytes, '/', s->len))
        return name;
    char *copy = malloc(s->len);
    if (!copy)
        return name;
    for (uint32_t i = 0; i < s->len; i++)
        copy[i] = s->bytes[i] == '/' ? '.' : s->bytes[i];
    name = profile_string(b->profile, copy, s->len);
    free(copy);
    return name;
}

/* Remembered, because a file may give one long name to very many classes. */
static string_id dotted(struct binary *b, string_id name)
{
    if (name == 0)
        return 0;
    string_id known = idmap_get(&b->dotted, name);
    if (known == 0) {
        known = replace_slashes(b, name);
        idmap_put(&b->dotted, name, known);
    }
    return known;
}

static void read_load_class(struct binary *b, struct rd *r)
{
    uint32_t serial = rd_u4(r);
    rd_id(r, b->id_bytes); /* the class object */
    rd_u4(r);              /* the trace that loaded it */
    string_id name = dotted(b, string_of(b, r));
    if (r->error == 0)
        idmap_put(&b->classes, serial, profile_add_class(b->profile, name, serial));
}

static void read_frame(struct binary *b, struct rd *r)
{
    uint64_t id = rd_id(r, b->id_bytes);
    string_id name = string_of(b, r);
    string_id descriptor = string_of(b, r);
    string_id source = string_of(b, r);
    class_id klass = idmap_get(&b->classes, rd_u4(r));
    int32_t line = (int32_t)rd_u4(r);
    if (r->error != 0)
        return;
    method_id method = profile_method(b->profile, klass, name, descriptor, source);
    if (method != 0) {
        frame_id frame = profile_frame_of(b->profile, hprof_frame_kind(b->profile, method), method,
                                          -1, line >= 0 ? line : PROFILE_LINE_NONE);
        idmap_put(&b->frames, id, frame);
    }
}

static thread_id thread_of(struct binary *b, uint32_t serial)
{
    if (serial == 0)
        return 0;
    thread_id thread = profile_thread_by_serial(b->profile, serial);
    return thread ? thread : profile_add_thread(b->profile, serial, 0, 0, 0, 0);
}

static void read_trace(struct binary *b, struct rd *r)
{
    uint32_t serial = rd_u4(r);
    thread_id thread = thread_of(b, rd_u4(r));
    uint32_t depth = rd_u4(r);
    if (r->error != 0)
        return;
    if (depth > rd_left(r) / b->id_bytes) {
        fail(b, r, E_FORMAT, "a TRACE counts more frames than it has");
        return;
    }
    if (!sieve_passes(b->sieve, serial))
        return;
    if (depth > b->stack_room) {
        frame_id *stack = realloc(b->stack, depth * sizeof(*stack));
        if (!stack) {
            fail(b, r, -ENOMEM, NULL);
            return;
        }
        b->stack = stack;
        b->stack_room = depth;
    }
    uint32_t known = 0; /* a frame that was never defined is left out */
    for (uint32_t i = 0; i < depth; i++) {
        frame_id frame = idmap_get(&b->frames, rd_id(r, b->id_bytes));
        if (frame != 0)
            b->stack[known++] = frame;
    }
    if (profile_trace_by_serial(b->profile, serial) == 0)
        profile_add_trace(b->profile, serial, thread, b->stack, known);
}

static void read_start_thread(struct binary *b, struct rd *r)
{
    uint32_t serial = rd_u4(r);
    uint64_t object = rd_id(r, b->id_bytes);
    rd_u4(r); /* the trace that started it */
    string_id name = string_of(b, r);
    string_id group = string_of(b, r);
    string_id parent = string_of(b, r);
    if (r->error == 0 && profile_thread_by_serial(b->profile, serial) == 0)
        profile_add_thread(b->profile, serial, (uint32_t)object, name, group, parent);
}

static void read_end_thread(struct binary *b, struct rd *r)
{
    /* The original's own threads end without having started. */
    thread_id thread = thread_of(b, rd_u4(r));
    if (r->error == 0 && thread != 0)
        profile_end_thread(b->profile, thread);
}

/* The trace of a row; if it is not in the file, an empty one; if the sieve does not let it pass,
 * the folded one. */
static trace_id trace_of(struct binary *b, uint32_t serial)
{
    if (sieve_is_counting(b->sieve))
        return PROFILE_TRACE_EMPTY;
    if (!sieve_passes(b->sieve, serial))
        return sieve_rest(b->sieve);
    trace_id trace = profile_trace_by_serial(b->profile, serial);

    return trace ? trace : profile_add_trace(b->profile, serial, 0, NULL, 0);
}

static int count(struct binary *b, uint32_t serial, const struct event *event)
{
    if (!sieve_is_counting(b->sieve))
        return profile_count(b->profile, event);
    sieve_count(b->sieve, event->kind, serial, event->value[0]);
    return 0;
}

static void read_cpu_samples(struct binary *b, struct rd *r)
{
    struct sums *sums = profile_sums(b->profile, EVENT_SAMPLE);
    sums->tables++;
    uint64_t counted = 0, missing = rd_u4(r); /* the total counts rows below the cutoff too */
    uint32_t rows = rd_u4(r);
    if (r->error == 0 && rows > rd_left(r) / 8) {
        fail(b, r, E_FORMAT, "CPU SAMPLES counts more rows than it has");
        return;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t ticks = rd_u4(r);
        uint32_t serial = rd_u4(r);
        missing -= missing < ticks ? missing : ticks;
        counted += ticks;
        trace_id trace = trace_of(b, serial);
        const struct event event = {.kind = EVENT_SAMPLE, .trace = trace, .value = {ticks}};
        if (trace != 0)
            count(b, serial, &event); /* of 32 bits: no file is so long as to overflow */
    }
    sums->said += counted + missing;
    if (sums->said > sums->total[0])
        profile_set_quality(b->profile, "below_cutoff", sums->said - sums->total[0]);
}

/* They come in the order of the rows. */
static const struct large_site *take_if_large(struct binary *b, uint32_t klass, uint32_t trace)
{
    const struct large_site *next =
        b->large_next < b->large_count ? b->large + b->large_next : NULL;

    if (!next || next->klass != klass || next->trace != trace)
        return NULL;
    b->large_next++;
    return next;
}

static void read_site(struct binary *b, struct rd *r)
{
    /* In the order of the fields. */
    static const int values[] = {HPROF_SITES_LIVE_BYTES, HPROF_SITES_LIVE_OBJECTS,
                                 HPROF_SITES_BYTES, HPROF_SITES_OBJECTS};
    struct event site = {.kind = EVENT_SITE};
    rd_u1(r); /* the kind, which the class's name says too */
    uint32_t klass = rd_u4(r), serial = rd_u4(r);
    site.klass = idmap_get(&b->classes, klass);
    site.trace = trace_of(b, serial);
    const struct large_site *large = take_if_large(b, klass, serial);
    for (int i = 0; i < EVENT_VALUES; i++) {
        uint32_t field = rd_u4(r);
        site.value[values[i]] = large && field == UINT32_MAX ? large->fields[i] : field;
    }
    if (site.klass != 0 && site.trace != 0 && count(b, serial, &site) == E_LIMIT)
        fail(b, r, E_FORMAT, textin_too_large);
}

/* Counts are since the start, so a later table takes the place of an earlier one. What only changed
 * since another table is not the whole: one of that kind counts where there is no other. */
static void read_alloc_sites(struct binary *b, struct rd *r)
{
    enum { ROW_BYTES = 1 + 6 * 4 };
    unsigned flags = rd_u2(r);
    rd_skip(r, 4 + 4 + 4 + 8 + 8); /* cutoff, totals */
    uint32_t rows = rd_u4(r);
    if (r->error == 0 && rows > rd_left(r) / ROW_BYTES) {
        fail(b, r, E_FORMAT, "ALLOC SITES counts more rows than it has");
        return;
    }
    struct sums *sums = profile_sums(b->profile, EVENT_SITE);
    if (!(flags & HPROF_SITES_INCREMENTAL) || sums->tables == 0) {
        sums->tables++;
        sums_clear(sums);
        for (uint32_t i = 0; i < rows && r->error == 0; i++)
            read_site(b, r);
    }
    b->large_count = b->large_next = 0;
}

/* What is in a heap dump is for heap dump readers: it is passed over, and counted. One of version
 * 1.0.2 is segments and an end. */
static void read_heap_dump(struct binary *b, struct rd *r)
{
    (void)r;
    profile_found(b->profile)->heap_dumps++;
}

/* One row a record that is read; all others are skipped. */
static const struct record {
    uint8_t tag;
    void (*read)(struct binary *b, struct rd *r);
} records[] = {
    {HPROF_BIN_UTF8, read_utf8},
    {HPROF_BIN_LOAD_CLASS, read_load_class},
    {HPROF_BIN_FRAME, read_frame},
    {HPROF_BIN_TRACE, read_trace},
    {HPROF_BIN_START_THREAD, read_start_thread},
    {HPROF_BIN_END_THREAD, read_end_thread},
    {HPROF_BIN_CPU_SAMPLES, read_cpu_samples},
    {HPROF_BIN_ALLOC_SITES, read_alloc_sites},
    {HPROF_BIN_HEAP_DUMP, read_heap_dump},
    {HPROF_BIN_HEAP_DUMP_END, read_heap_dump},
};

static void read_header(struct binary *b, struct rd *r)
{
    if (!probe(r->bytes, r->len)) {
        fail(b, r, E_FORMAT, "not a binary HPROF file of version 1.0.1 or 1.0.2");
        return;
    }
    rd_skip(r, sizeof(magic) + 1);
    b->id_bytes = rd_u4(r);
    if (r->error == 0 && b->id_bytes != 4 && b->id_bytes != 8)
        fail(b, r, E_FORMAT, "identifiers are neither 4 nor 8 bytes long");
    rd_u8(r); /* when it was written */
}

static const struct record *record_of(uint8_t tag)
{
    for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
        if (records[i].tag == tag)
            return &records[i];
    return NULL;
}

/* Of a heap dump, or of a tag that is not read, nothing is looked at. Returns whether it is whole.
 */
static bool pass_over(struct binary *b, struct rd *r, uint32_t len)
{
    size_t end = r->pos + len;

    while (b->feed->len < end && feed_more(b->feed))
        feed_release(b->feed, b->feed->len < end ? b->feed->len : end);
    r->len = b->feed->len;
    rd_skip(r, len);
    return r->error == 0;
}

static void read_body(struct binary *b, struct rd *r, const struct record *record, uint32_t len)
{
    size_t body_at = r->pos;
    struct rd body;

    feed_has(b->feed, body_at, len);
    r->len = b->feed->len;
    const unsigned char *bytes = rd_bytes(r, len);
    if (!bytes && len > 0)
        return;
    rd_init(&body, bytes, len);
    record->read(b, &body);
    if (body.error != 0) {
        /* A body shorter than its fields is damage, not the end of the file. */
        if (body.error == E_TRUNCATED)
            fail(b, r, E_FORMAT, "a record is shorter than its fields");
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
    const struct record *record = record_of(tag);
    bool is_whole = r->error == 0;

    if (is_whole && (!record || record->read == read_heap_dump)) {
        is_whole = pass_over(b, r, len);
        if (is_whole && record)
            record->read(b, r);
    } else if (is_whole && len > LONGEST_RECORD && feed_has(b->feed, r->pos, LONGEST_RECORD)) {
        fail(b, r, E_LIMIT, "a record of more than 256 MB");
        is_whole = false;
    } else if (is_whole) {
        is_whole = feed_has(b->feed, r->pos, len);
        read_body(b, r, record, len);
    }
    if (!is_whole)
        r->error_pos = start; /* the record is where the reader of the message wants to look */
}

static int maps_error(const struct binary *b)
{
    return idmap_error(&b->strings) || idmap_error(&b->classes) || idmap_error(&b->frames) ||
           idmap_error(&b->dotted);
}

/* What `open` and `next` return, but for there being more. */
static int result_of(struct format_in *in)
{
    const struct binary *b = in->state;
    const struct feed *f = b->feed;

    in->position = b->rd.pos;
    if (b->rd.error == E_TRUNCATED && f->error)
        in->error =
            (struct format_error){.code = f->error, .offset = b->rd.error_pos, .detail = f->why};
    else if (b->rd.error != 0)
        in->error = (struct format_error){
            .code = b->rd.error, .offset = b->rd.error_pos, .detail = b->detail};
    return in->error.code;
}

static int open_binary(struct format_in *in)
{
    struct binary *b = calloc(1, sizeof(*b));

    in->state = b;
    if (!b)
        return in->error.code = -ENOMEM;
    b->profile = in->profile;
    b->sieve = in->sieve;
    b->feed = in->feed;
    b->lost_before = profile_lost(in->profile);
    rd_init(&b->rd, in->feed->bytes, in->feed->len);
    idmap_init(&b->strings);
    idmap_init(&b->classes);
    idmap_init(&b->frames);
    idmap_init(&b->dotted);
    read_header(b, &b->rd);
    return result_of(in);
}

static int next(struct format_in *in)
{
    enum { RECORDS = 4096 };
    struct binary *b = in->state;
    int r;

    for (int i = 0; i < RECORDS && b->rd.error == 0 && !(i > 0 && profile_is_crowded(b->profile));
         i++) {
        if (!feed_has(in->feed, b->rd.pos, 1)) {
            if (in->feed->error)
                rd_fail(&b->rd, E_TRUNCATED);
            return result_of(in);
        }
        read_record(b, &b->rd);
        if (maps_error(b))
            rd_fail(&b->rd, -ENOMEM);
        if (profile_lost(b->profile) != b->lost_before)
            fail(b, &b->rd, E_LIMIT, "the memory for the profile is used up");
    }
    r = result_of(in);
    return r < 0 ? r : 1;
}

static void close_binary(struct format_in *in)
{
    struct binary *b = in->state;

    if (!b)
        return;
    idmap_done(&b->strings);
    idmap_done(&b->classes);
    idmap_done(&b->frames);
    idmap_done(&b->dotted);
    free(b->stack);
    free(b->large);
    free(b);
    in->state = NULL;
}

static int begin(struct format_out *o)
{
    return hprof_save_begin(o, &hprof_bin_out);
}

const struct format format_hprof_binary = {
    .name = "hprof-binary",
    .help = "binary HPROF: java.hprof of hprof and of the JDK 8 agent",
    .suffixes = ".hprof .bin",
    .probe = probe,
    .open = open_binary,
    .next = next,
    .close = close_binary,
    .is_sieved = true,
    .kinds = 1 << EVENT_SAMPLE | 1 << EVENT_SITE,
    .begin = begin,
    .event = hprof_save_event,
    .end = hprof_save_end,
};
