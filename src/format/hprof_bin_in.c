/*
 * hprof_bin_in.c - see hprof_bin_in.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_bin_in.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/rd.h"
#include "format/hprof_bin.h"
#include "format/hprof_file.h"
#include "format/writer_sites.h"
#include "format/textin.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/sieve.h"
#include "profile/sums.h"

static const char quality_head[] = "hprof quality: ";
static const char program_head[] = HPROF_BIN_PROGRAM;
static const char site_head[] = HPROF_BIN_SITE;

int hprof_bin_in_fail(struct hprof_bin_in *b, struct rd *r, int code, const char *detail)
{
    if (!b->detail)
        b->detail = detail;
    return rd_fail(r, code);
}

static string_id string_of(const struct hprof_bin_in *b, struct rd *r)
{
    return idmap_get(&b->strings, rd_id(r, b->id_bytes));
}

/* Reads "samples=12, lost=0". Each name becomes a string of the model, which owns it. */
static void read_quality(struct hprof_bin_in *b, struct rd *r, const char *at, const char *end)
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
                hprof_bin_in_fail(b, r, E_FORMAT, "a quality count of more than 64 bits");
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

/* Reads "300001 100002 8589934592 ...": serial numbers of class and trace, then the fields of the
 * row. */
static int take_large_site(const char *at, const char *end, struct hprof_bin_in_site *ret_site)
{
    uint64_t *const numbers[] = {&ret_site->klass,     &ret_site->trace,     &ret_site->fields[0],
                                 &ret_site->fields[1], &ret_site->fields[2], &ret_site->fields[3]};
    struct textin_span s = {at, end};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (!textin_column(&s, numbers[i]))
            return 0;
    return 1;
}

static void read_large_site(struct hprof_bin_in *b, struct rd *r, const char *at, const char *end)
{
    if (b->large_count == b->large_room) {
        uint32_t room = b->large_room ? b->large_room * 2 : 16;
        struct hprof_bin_in_site *large = realloc(b->large, room * sizeof(*large));
        if (!large) {
            hprof_bin_in_fail(b, r, -ENOMEM, NULL);
            return;
        }
        b->large = large;
        b->large_room = room;
    }
    if (take_large_site(at, end, &b->large[b->large_count]))
        b->large_count++;
    else
        hprof_bin_in_fail(b, r, E_FORMAT, "the numbers of a site that are not six numbers");
}

static void read_utf8(struct hprof_bin_in *b, struct rd *r)
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

/* HotSpot's own dumps have slashes in class names where the agent writes dots. */
static string_id replace_slashes(struct hprof_bin_in *b, string_id name)
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

/* The name with dots. The result is remembered, because a file may give one long name to many
 * classes. */
static string_id dotted(struct hprof_bin_in *b, string_id name)
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

static void read_load_class(struct hprof_bin_in *b, struct rd *r)
{
    uint32_t serial = rd_u4(r);
    rd_id(r, b->id_bytes); /* the class object */
    rd_u4(r);              /* the trace that loaded it */
    string_id name = dotted(b, string_of(b, r));
    if (r->error == 0)
        idmap_put(&b->classes, serial, hprof_file_add_class(b->file, serial, name));
}

static void read_frame(struct hprof_bin_in *b, struct rd *r)
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
        frame_id frame = profile_frame_of(b->profile, hprof_file_frame_kind(b->profile, method),
                                          method, -1, line >= 0 ? line : PROFILE_LINE_NONE);
        idmap_put(&b->frames, id, frame);
    }
}

static thread_id thread_of(struct hprof_bin_in *b, uint32_t serial)
{
    if (serial == 0)
        return 0;
    thread_id thread = profile_thread_by_serial(b->profile, serial);
    return thread ? thread : profile_add_thread(b->profile, serial, 0, 0, 0, 0);
}

static void read_trace(struct hprof_bin_in *b, struct rd *r)
{
    uint32_t serial = rd_u4(r);
    thread_id thread = thread_of(b, rd_u4(r));
    uint32_t depth = rd_u4(r);
    if (r->error != 0)
        return;
    if (depth > rd_left(r) / b->id_bytes) {
        hprof_bin_in_fail(b, r, E_FORMAT, "a TRACE counts more frames than it has");
        return;
    }
    if (!hprof_file_passes(b->sieve, serial))
        return;
    if (!frame_list_reserve(&b->stack, depth)) {
        hprof_bin_in_fail(b, r, -ENOMEM, NULL);
        return;
    }
    uint32_t known = 0; /* frames that are defined; other frames are left out */
    for (uint32_t i = 0; i < depth; i++) {
        frame_id frame = idmap_get(&b->frames, rd_id(r, b->id_bytes));
        if (frame != 0)
            b->stack.frames[known++] = frame;
    }
    if (hprof_file_trace(b->file, serial) == 0)
        hprof_file_add_trace(b->file, serial, thread, b->stack.frames, known);
}

static void read_start_thread(struct hprof_bin_in *b, struct rd *r)
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

static void read_end_thread(struct hprof_bin_in *b, struct rd *r)
{
    /* Threads of the original agent itself end without a START THREAD. */
    thread_id thread = thread_of(b, rd_u4(r));
    if (r->error == 0 && thread != 0)
        profile_end_thread(b->profile, thread);
}

/* The trace of a row. If the file has no such TRACE, an empty trace. If the sieve does not let it
 * pass, the folded trace (fold.h). */
static trace_id trace_of(struct hprof_bin_in *b, uint32_t serial)
{
    if (sieve_is_counting(b->sieve))
        return PROFILE_TRACE_EMPTY;
    if (!hprof_file_passes(b->sieve, serial))
        return sieve_rest(b->sieve);
    trace_id trace = hprof_file_trace(b->file, serial);

    return trace ? trace : hprof_file_add_trace(b->file, serial, 0, NULL, 0);
}

static int count(struct hprof_bin_in *b, uint32_t serial, const struct event *event)
{
    if (!sieve_is_counting(b->sieve))
        return profile_count(b->profile, event);
    sieve_count(b->sieve, event->kind, serial, event->value[0]);
    return 0;
}

static void read_cpu_samples(struct hprof_bin_in *b, struct rd *r)
{
    enum kind_id kind = kind_of_text(KIND_TEXT_SAMPLES);
    struct sums *sums = profile_sums(b->profile, kind);
    sums->is_measured = true;
    uint64_t counted = 0, missing = rd_u4(r); /* the total also counts rows below the cutoff */
    uint32_t rows = rd_u4(r);
    if (r->error == 0 && rows > rd_left(r) / 8) {
        hprof_bin_in_fail(b, r, E_FORMAT, "CPU SAMPLES counts more rows than it has");
        return;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t ticks = rd_u4(r);
        uint32_t serial = rd_u4(r);
        missing -= missing < ticks ? missing : ticks;
        counted += ticks;
        trace_id trace = trace_of(b, serial);
        const struct event event = {.kind = kind, .trace = trace, .value = {ticks}};
        if (trace != 0)
            count(b, serial, &event); /* a u4: no file is so long that the sum overflows */
    }
    sums->said += counted + missing;
    if (sums->said > sums->total[0])
        profile_set_quality(b->profile, quality_name(QUALITY_BELOW_CUTOFF),
                            sums->said - sums->total[0]);
}

/* The numbers of the row, if they are the next ones of `large`, which are in the order of the rows;
 * otherwise NULL. */
static const struct hprof_bin_in_site *take_if_large(struct hprof_bin_in *b, uint32_t klass,
                                                     uint32_t trace)
{
    const struct hprof_bin_in_site *next =
        b->large_next < b->large_count ? b->large + b->large_next : NULL;
    if (!next || next->klass != klass || next->trace != trace)
        return NULL;
    b->large_next++;
    return next;
}

static void read_site(struct hprof_bin_in *b, struct rd *r)
{
    /* The values in the order of the fields of a row. */
    static const int values[] = {WRITER_SITES_LIVE_BYTES, WRITER_SITES_LIVE_OBJECTS,
                                 WRITER_SITES_BYTES, WRITER_SITES_OBJECTS};
    struct event site = {.kind = kind_of_text(KIND_TEXT_SITES)};
    rd_u1(r); /* kind of the class, which its name says, too */
    uint32_t klass = rd_u4(r), serial = rd_u4(r);
    site.klass = idmap_get(&b->classes, klass);
    site.trace = trace_of(b, serial);
    const struct hprof_bin_in_site *large = take_if_large(b, klass, serial);
    for (int i = 0; i < KIND_VALUES; i++) {
        uint32_t field = rd_u4(r);
        site.value[values[i]] = large && field == UINT32_MAX ? large->fields[i] : field;
    }
    if (site.klass != 0 && site.trace != 0 && count(b, serial, &site) == E_LIMIT)
        hprof_bin_in_fail(b, r, E_FORMAT, textin_too_large);
}

/* A table counts since the start, so a later table replaces an earlier one. An incremental table
 * has only what changed since another table, so it is read only if there was no table before it. */
static void read_alloc_sites(struct hprof_bin_in *b, struct rd *r)
{
    enum { ROW_BYTES = 1 + 6 * 4 };
    unsigned flags = rd_u2(r);
    rd_skip(r, 4 + 4 + 4 + 8 + 8); /* cutoff, totals */
    uint32_t rows = rd_u4(r);
    if (r->error == 0 && rows > rd_left(r) / ROW_BYTES) {
        hprof_bin_in_fail(b, r, E_FORMAT, "ALLOC SITES counts more rows than it has");
        return;
    }
    struct sums *sums = profile_sums(b->profile, kind_of_text(KIND_TEXT_SITES));
    if (!(flags & WRITER_SITES_INCREMENTAL) || !sums->is_measured) {
        sums->is_measured = true;
        sums_clear(sums);
        for (uint32_t i = 0; i < rows && r->error == 0; i++)
            read_site(b, r);
    }
    b->large_count = b->large_next = 0;
}

/* Counts a heap dump. Its contents are skipped, because they are for readers of heap dumps. A dump
 * of version 1.0.2 is several segments and an end record, and only the end counts. */
static void read_heap_dump(struct hprof_bin_in *b, struct rd *r)
{
    (void)r;
    b->file->heap_dumps++;
}

/* One row for each record that is read; all other records are skipped. */
static const struct hprof_bin_in_record records[] = {
    {.tag = HPROF_BIN_UTF8, .read = read_utf8},
    {.tag = HPROF_BIN_LOAD_CLASS, .read = read_load_class},
    {.tag = HPROF_BIN_FRAME, .read = read_frame},
    {.tag = HPROF_BIN_TRACE, .read = read_trace},
    {.tag = HPROF_BIN_START_THREAD, .read = read_start_thread},
    {.tag = HPROF_BIN_END_THREAD, .read = read_end_thread},
    {.tag = HPROF_BIN_CPU_SAMPLES, .read = read_cpu_samples},
    {.tag = HPROF_BIN_ALLOC_SITES, .read = read_alloc_sites},
    {.tag = HPROF_BIN_HEAP_DUMP, .read = read_heap_dump, .is_passed_over = true},
    {.tag = HPROF_BIN_HEAP_DUMP_END, .read = read_heap_dump, .is_passed_over = true},
};

const struct hprof_bin_in_record *hprof_bin_in_find(uint8_t tag)
{
    for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
        if (records[i].tag == tag)
            return &records[i];
    return NULL;
}

bool hprof_bin_in_is_full(const struct hprof_bin_in *b)
{
    return idmap_error(&b->strings) || idmap_error(&b->classes) || idmap_error(&b->frames) ||
           idmap_error(&b->dotted);
}

int hprof_bin_in_init(struct hprof_bin_in *b, struct profile *profile, struct sieve *sieve)
{
    *b = (struct hprof_bin_in){
        .profile = profile, .sieve = sieve, .file = hprof_file_attach(profile, sieve)};
    idmap_init(&b->strings);
    idmap_init(&b->classes);
    idmap_init(&b->frames);
    idmap_init(&b->dotted);
    return b->file ? 0 : -ENOMEM;
}

void hprof_bin_in_done(struct hprof_bin_in *b)
{
    idmap_done(&b->strings);
    idmap_done(&b->classes);
    idmap_done(&b->frames);
    idmap_done(&b->dotted);
    frame_list_done(&b->stack);
    free(b->large);
}
