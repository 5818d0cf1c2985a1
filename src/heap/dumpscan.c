/*
 * dumpscan.c - walks the records of a heap dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/dumpscan.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "format/hprof_bin.h"

enum { HEAD_MAX = 64, TYPES = 12 };

#define WRAP (UINT64_C(1) << 32) /* what a length of 32 bits has lost, once or more often */

unsigned dumpscan_type_bytes(unsigned type, unsigned id_bytes)
{
    static const unsigned char bytes[TYPES] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    if (type == 1 || type == 2) /* 1: an array, in HPROF of JDK 1.2 */
        return id_bytes;
    return type < TYPES ? bytes[type] : 0;
}

int dumpscan_read_head(struct heapwindow *w, struct dumpscan_head *ret_head)
{
    (void)heapinput_see(w, 0, HEAD_MAX); /* a stream that is shorter then knows its end */
    uint64_t file = heapinput_bytes(w->input);
    size_t len = file < HEAD_MAX ? (size_t)file : HEAD_MAX;
    const unsigned char *bytes = heapinput_see(w, 0, len);
    struct dumpscan_head head = {.bytes = 0};
    static const char magic[] = "JAVA PROFILE 1.0";
    if (!bytes || len < sizeof(magic) || memcmp(bytes, magic, sizeof(magic) - 1) != 0)
        return E_FORMAT;
    size_t text = strnlen((const char *)bytes, len < DUMPSCAN_VERSION ? len : DUMPSCAN_VERSION);
    if (text == DUMPSCAN_VERSION)
        return E_FORMAT;
    if (text == len || len - text < 1 + 4 + 8)
        return E_TRUNCATED;
    memcpy(head.version, bytes, text);
    bytes += text + 1;
    head.id_bytes = be_4(bytes);
    head.created_ms = (int64_t)be_8(bytes + 4);
    head.bytes = text + 1 + 4 + 8;
    if (head.id_bytes != 4 && head.id_bytes != 8)
        return E_FORMAT;
    *ret_head = head;
    return 0;
}

/* The bytes that the array at the front of a segment has more than the segment's length tells.
 * HotSpot writes a segment for each long array, and a length of 32 bits is too short for some. */
static uint64_t find_wrapped(struct heapwindow *w, unsigned id_bytes, uint64_t at, uint64_t bytes)
{
    uint32_t fixed = 0, count = 0;
    unsigned each = 0;
    const unsigned char *b = heapinput_see(w, at, 1);
    if (b && (b[0] == HEAP_RECORD_OBJECTS || b[0] == HEAP_RECORD_PRIMITIVES)) {
        fixed = heap_record_bytes(b[0], id_bytes);
        b = heapinput_see(w, at, fixed);
        count = b ? be_4(b + 1 + id_bytes + 4) : 0;
        if (b)
            each = b[0] == HEAP_RECORD_OBJECTS ? id_bytes : dumpscan_type_bytes(b[fixed - 1], 0);
    }
    uint64_t whole = fixed + (uint64_t)count * each;
    return whole > bytes && (whole - bytes) % WRAP == 0 ? whole - bytes : 0;
}

int dumpscan_next_record(struct heapwindow *w, unsigned id_bytes, uint64_t *at,
                         struct dumpscan_record *ret_record)
{
    w->keep = *at;
    const unsigned char *b = heapinput_see(w, *at, DUMPSCAN_RECORD);
    uint64_t file = heapinput_bytes(w->input);
    if (!b)
        return *at >= file ? 0 : E_TRUNCATED;
    struct dumpscan_record r = {.tag = b[0], .at = *at + DUMPSCAN_RECORD, .bytes = be_4(b + 5)};
    uint64_t left = file - r.at;
    /* The writer of one long record ends the file with it. Its length has lost the upper bits, or
     * is 0 since the writer was stopped before it could fill it in. */
    r.may_be_longer = r.tag == HPROF_BIN_HEAP_DUMP && file == UINT64_MAX;
    if (r.tag == HPROF_BIN_HEAP_DUMP &&
        (r.bytes == 0 || (!r.may_be_longer && left > r.bytes && (left - r.bytes) % WRAP == 0)))
        r.bytes = left;
    else if (r.tag == HPROF_BIN_HEAP_SEGMENT)
        r.bytes += find_wrapped(w, id_bytes, r.at, r.bytes);
    r.missing = r.bytes > left ? r.bytes - left : 0;
    r.bytes -= r.missing;
    *at = r.at + r.bytes;
    *ret_record = r;
    return 1;
}

/* Ends the segment at a record that makes no sense. */
static void leave_segment(struct dumpscan *s)
{
    if (s->unknown_records++ == 0)
        s->unknown_at = s->record_at;
    s->at = s->end;
}

/* Ends the walk at a record that the end of the file cuts; it would go on to `end`. */
static void leave_cut(struct dumpscan *s, uint64_t end)
{
    uint64_t file = heapinput_bytes(s->window->input);
    s->missing = end > file ? end - file : 1;
    s->at = s->end;
}

/* Whether the segment ends with the file. A stream knows this when it has ended. */
static bool is_last(const struct dumpscan *s)
{
    return s->end >= heapinput_bytes(s->window->input);
}

static bool may_be_longer(const struct dumpscan *s)
{
    return s->next_extent > 0 && s->extents[s->next_extent - 1].may_be_longer;
}

/* Makes the one long dump of a stream longer, whose length has lost the upper bits: a record goes
 * on behind the end of the dump. */
static void make_longer(struct dumpscan *s, uint64_t upto)
{
    while (may_be_longer(s) && s->end < upto && s->end < UINT64_MAX - WRAP)
        s->end += WRAP;
}

/* Reads the fixed fields. Returns how many bytes they have; 0: no tag, or bytes are missing. */
static uint32_t read_fixed(struct dumpscan *s)
{
    s->window->keep = s->at;
    s->tag = -1;
    const unsigned char *b = heapinput_see(s->window, s->at, 1);
    struct rd in;
    if (!b)
        return 0;
    s->tag = b[0];
    uint32_t fixed = heap_record_bytes(s->tag, s->id_bytes);
    if (s->end - s->at < fixed)
        make_longer(s, s->at + fixed);
    if (fixed == 0 || s->end - s->at < fixed || !(b = heapinput_see(s->window, s->at, fixed)))
        return 0;
    if (s->tag == HEAP_RECORD_INSTANCE && s->id_bytes == 8) {
        s->r.object = be_8(b + 1);
        s->r.trace = be_4(b + 9);
        s->r.klass = be_8(b + 13);
        s->r.bytes = be_4(b + 21);
        return fixed;
    }
    rd_init(&in, b, fixed);
    heap_record_take(&in, s->id_bytes, &s->r);
    return fixed;
}

/* How many bytes follow the fixed fields. Errors: E_FORMAT; E_TRUNCATED. */
static int64_t body_bytes_of(struct dumpscan *s)
{
    unsigned each;
    switch (s->tag) {
    case HEAP_RECORD_INSTANCE:
        return s->r.bytes;
    case HEAP_RECORD_OBJECTS:
        return (int64_t)s->r.count * s->id_bytes;
    case HEAP_RECORD_PRIMITIVES:
        each = s->r.type < 4 ? 0 : dumpscan_type_bytes(s->r.type, 0);
        return each == 0 ? E_FORMAT : (int64_t)s->r.count * each;
    case HEAP_RECORD_CLASS:
        return dumpscan_each_item(s->window, s->id_bytes, s->body_at,
                                  may_be_longer(s) ? UINT64_MAX : s->end, NULL, NULL);
    default:
        return 0;
    }
}

static bool next_extent(struct dumpscan *s)
{
    while (s->at >= s->end) {
        if (s->next_extent >= s->extent_count)
            return false;
        s->at = s->extents[s->next_extent].at;
        s->end = s->extents[s->next_extent++].end;
    }
    return true;
}

/* Whether the record that was read is there as a whole. Otherwise the segment was left. */
static bool is_whole(struct dumpscan *s)
{
    int64_t body = body_bytes_of(s);
    uint64_t end = s->body_at + (body < 0 ? 0 : (uint64_t)body);
    if (body >= 0 && end > s->end)
        make_longer(s, end);
    if (body >= 0 && end <= s->end) {
        s->body_bytes = (uint64_t)body;
        s->at = end;
        /* A segment of a file lies within the file; of a stream one knows when one is there. */
        if (!s->window->input->stream || body == 0 || heapinput_see(s->window, end - 1, 1))
            return true;
        leave_cut(s, end);
    } else if (is_last(s) && body != E_FORMAT) {
        leave_cut(s, end);
    } else {
        leave_segment(s);
    }
    return false;
}

bool dumpscan_next(struct dumpscan *s)
{
    while (next_extent(s)) {
        s->record_at = s->at;
        uint32_t fixed = read_fixed(s);
        if (fixed > 0) {
            s->body_at = s->at + fixed;
            if (is_whole(s))
                return true;
            continue;
        }
        /* At the end of a cut file the fields may be missing. */
        uint32_t lacks = s->tag < 0 ? 1 : heap_record_bytes(s->tag, s->id_bytes);
        bool ends_here = s->tag < 0 && s->record_at >= heapinput_bytes(s->window->input);
        if (is_last(s) && (ends_here || (s->tag >= 0 && lacks != 0)))
            leave_cut(s, s->record_at + lacks);
        else
            leave_segment(s);
    }
    return false;
}

/* The position in the items of a class. */
struct items {
    struct heapwindow *window;
    uint64_t at, end;
    int error;
};

static uint64_t take(struct items *c, unsigned bytes)
{
    const unsigned char *b = NULL;
    uint64_t v = 0;
    if (c->error == 0 && c->end - c->at >= bytes)
        b = heapinput_see(c->window, c->at, bytes);
    if (!b) {
        c->error = c->error != 0 ? c->error : E_TRUNCATED;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        v = v << 8 | b[i];
    c->at += bytes;
    return v;
}

int64_t dumpscan_each_item(struct heapwindow *w, unsigned id_bytes, uint64_t at, uint64_t end,
                           dumpscan_visit *visit, void *with)
{
    struct items c = {.window = w, .at = at, .end = end};
    for (int kind = DUMPSCAN_CONSTANT; kind <= DUMPSCAN_FIELD; kind++) {
        uint64_t count = take(&c, 2);
        for (uint64_t i = 0; i < count && c.error == 0; i++) {
            struct dumpscan_item item = {.kind = (enum dumpscan_item_kind)kind};
            item.name = take(&c, kind == DUMPSCAN_CONSTANT ? 2 : id_bytes);
            item.type = (unsigned)take(&c, 1);
            unsigned bytes = dumpscan_type_bytes(item.type, id_bytes);
            if (c.error == 0 && bytes == 0)
                return E_FORMAT;
            if (kind != DUMPSCAN_FIELD)
                item.bits = take(&c, bytes);
            if (c.error == 0 && visit && !visit(with, &item))
                visit = NULL;
        }
    }
    return c.error != 0 ? c.error : (int64_t)(c.at - at);
}
