/*
 * perfdata.c - see perfdata.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "perfdata/perfdata.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

/* The offsets of the fields in the prologue, and in an entry from its own start. */
enum {
    AT_MAGIC = 0,
    AT_BYTE_ORDER = 4, /* 1: little-endian */
    AT_MAJOR = 5,
    AT_MINOR = 6,
    AT_ACCESSIBLE = 7,
    AT_USED = 8,
    AT_OVERFLOW = 12,
    AT_CHANGED = 16,
    AT_FIRST_ENTRY = 24,
    AT_ENTRY_COUNT = 28,
    PROLOGUE = 32,

    AT_LENGTH = 0,
    AT_NAME = 4,
    AT_VECTOR_LENGTH = 8,
    AT_TYPE = 12,
    AT_FLAGS = 13,
    AT_UNIT = 14,
    AT_VARIABILITY = 15,
    AT_DATA = 16,
    ENTRY = 20,

    IS_SUPPORTED = 1,
    VERSION = 2,
    ROWS_FIRST = 256,
    ENTRIES_MAX = 1 << 20,
    NAME_MOST = 4 << 10,
    TEXT_MOST = 32 << 10, /* PerfMaxStringConstLength is 1024 by default and 32768 at most */
};

static const unsigned char magic[] = {0xca, 0xfe, 0xc0, 0xc0};

/* The fields of the prologue that the JDK's tools show as counters, under these names. */
static const struct perfdata_row of_prologue[] = {
    {"sun.perfdata.majorVersion", AT_MAJOR, 0, 1, false, PERFDATA_NONE, PERFDATA_CONSTANT},
    {"sun.perfdata.minorVersion", AT_MINOR, 0, 1, false, PERFDATA_NONE, PERFDATA_CONSTANT},
    {"sun.perfdata.overflow", AT_OVERFLOW, 0, 4, false, PERFDATA_BYTES, PERFDATA_VARIABLE},
    {"sun.perfdata.size", 0, 0, 0, false, PERFDATA_BYTES, PERFDATA_MONOTONIC},
    {"sun.perfdata.timestamp", AT_CHANGED, 0, 8, false, PERFDATA_TICKS, PERFDATA_MONOTONIC},
    {"sun.perfdata.used", AT_USED, 0, 4, false, PERFDATA_BYTES, PERFDATA_VARIABLE},
};

static uint64_t number(const struct perfdata *p, size_t at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | p->bytes[at + (p->is_big_endian ? i : size - 1 - i)];
    return value;
}

static uint32_t u4(const struct perfdata *p, size_t at)
{
    return (uint32_t)number(p, at, 4);
}

static int compare_rows(const void *a, const void *b)
{
    const struct perfdata_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Read an entry of `len` bytes. Returns 1: it is a row; 0: its kind is not known; E_TRUNCATED. */
static int read_entry(const struct perfdata *p, size_t at, uint32_t len, struct perfdata_row *ret)
{
    uint32_t name = u4(p, at + AT_NAME), data = u4(p, at + AT_DATA);
    uint32_t elements = u4(p, at + AT_VECTOR_LENGTH);
    unsigned char type = p->bytes[at + AT_TYPE];
    if (name < ENTRY || name >= len || data < ENTRY || data > len)
        return E_TRUNCATED;
    const char *text = (const char *)p->bytes + at + name;
    if (!memchr(text, 0, len - name < NAME_MOST ? len - name : NAME_MOST))
        return len - name < NAME_MOST ? E_TRUNCATED : 0;
    if (type == 'J' && elements == 0) {
        if (len - data < sizeof(int64_t))
            return E_TRUNCATED;
    } else if (type == 'B' && elements != 0) {
        if (len - data < elements)
            return E_TRUNCATED;
    } else {
        return 0;
    }
    *ret = (struct perfdata_row){
        .name = text,
        .at = (uint32_t)at + data,
        .len = elements < TEXT_MOST ? elements : TEXT_MOST,
        .size = sizeof(int64_t),
        .is_supported = (p->bytes[at + AT_FLAGS] & IS_SUPPORTED) != 0,
        .unit = p->bytes[at + AT_UNIT],
        .variability = p->bytes[at + AT_VARIABILITY],
    };
    return 1;
}

static int read_entries(struct perfdata *p)
{
    size_t at = u4(p, AT_FIRST_ENTRY), end = u4(p, AT_USED);
    uint32_t room = ROWS_FIRST;
    int error = 0;
    struct perfdata_row *first = realloc(p->rows, room * sizeof(*first));
    p->count = 0;
    if (!first)
        return -ENOMEM;
    p->rows = first;
    memcpy(first, of_prologue, sizeof(of_prologue));
    p->count = sizeof(of_prologue) / sizeof(of_prologue[0]);
    if (at < PROLOGUE)
        return E_TRUNCATED;
    if (end > p->len) {
        end = p->len;
        error = E_TRUNCATED;
    }
    for (uint32_t i = 0; i < p->entry_count && i < ENTRIES_MAX; i++) {
        uint32_t len = at <= end && end - at >= ENTRY ? u4(p, at + AT_LENGTH) : 0;
        if (len < ENTRY || len > end - at)
            return E_TRUNCATED;
        if (p->count == room) {
            room *= 2;
            struct perfdata_row *rows = realloc(p->rows, room * sizeof(*rows));
            if (!rows)
                return -ENOMEM;
            p->rows = rows;
        }
        int n = read_entry(p, at, len, &p->rows[p->count]);
        if (n < 0)
            return n;
        p->count += (uint32_t)n;
        at += len;
    }
    return error;
}

/* Whether a row is one of the prologue, whose names are static; other names lie in the bytes. */
static bool is_of_prologue(const struct perfdata_row *row)
{
    return row->at < PROLOGUE;
}

/* Make the names of the rows point into the next copy, which has the same length. Returns whether
 * all names are where they were: the owner of the file may have changed anything in it. */
static bool move_names(struct perfdata *p, const unsigned char *before)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_of_prologue(&p->rows[i]))
            continue;
        const char *old = p->rows[i].name;
        const char *name = (const char *)p->bytes + ((const unsigned char *)old - before);
        if (memcmp(name, old, strlen(old) + 1) != 0)
            return false;
        p->rows[i].name = name;
    }
    return true;
}

int perfdata_take(struct perfdata *p, unsigned char *bytes, size_t len)
{
    unsigned char *before = p->bytes;
    size_t before_len = p->len;
    p->bytes = bytes;
    p->len = len;
    if (len < PROLOGUE || memcmp(bytes + AT_MAGIC, magic, sizeof(magic)) != 0 ||
        bytes[AT_BYTE_ORDER] > 1 || bytes[AT_MAJOR] != VERSION) {
        p->count = p->entry_count = 0;
        free(before);
        return len < PROLOGUE || memcmp(bytes, magic, sizeof(magic)) != 0 ? E_FORMAT
                                                                          : E_UNSUPPORTED;
    }
    p->is_big_endian = bytes[AT_BYTE_ORDER] == 0;
    p->is_accessible = bytes[AT_ACCESSIBLE] != 0;
    int64_t changed = (int64_t)number(p, AT_CHANGED, 8);
    uint32_t entry_count = u4(p, AT_ENTRY_COUNT);
    int error = 0;
    bool is_known =
        before && before_len == len && changed == p->changed && entry_count == p->entry_count;
    if (!is_known || !move_names(p, before)) {
        p->changed = changed;
        p->entry_count = entry_count;
        error = read_entries(p);
        if (p->count > 0)
            qsort(p->rows, p->count, sizeof(*p->rows), compare_rows);
    }
    free(before);
    return error;
}

void perfdata_done(struct perfdata *p)
{
    free(p->rows);
    free(p->bytes);
    *p = (struct perfdata){0};
}

const struct perfdata_row *perfdata_find(const struct perfdata *p, const char *name)
{
    struct perfdata_row key = {.name = name};
    return p->count == 0 ? NULL : bsearch(&key, p->rows, p->count, sizeof(*p->rows), compare_rows);
}

int64_t perfdata_number(const struct perfdata *p, const struct perfdata_row *row)
{
    if (row->len != 0)
        return 0;
    return row->size == 0 ? (int64_t)p->len : (int64_t)number(p, row->at, row->size);
}

const char *perfdata_text(const struct perfdata *p, const struct perfdata_row *row, size_t *ret_len)
{
    const char *text = (const char *)p->bytes + row->at;
    *ret_len = strnlen(text, row->len);
    return row->len == 0 ? "" : text;
}

int64_t perfdata_number_of(const struct perfdata *p, const char *name, int64_t otherwise)
{
    const struct perfdata_row *row = perfdata_find(p, name);
    return row && row->len == 0 ? perfdata_number(p, row) : otherwise;
}

const char *perfdata_text_of(const struct perfdata *p, const char *name, size_t *ret_len)
{
    const struct perfdata_row *row = perfdata_find(p, name);
    *ret_len = 0;
    return row && row->len != 0 ? perfdata_text(p, row, ret_len) : NULL;
}

const char *perfdata_unit_word(unsigned unit)
{
    static const char *const texts[] = {
        [PERFDATA_NONE] = "number",   [PERFDATA_BYTES] = "bytes", [PERFDATA_TICKS] = "ticks",
        [PERFDATA_EVENTS] = "events", [PERFDATA_STRING] = "text", [PERFDATA_HERTZ] = "hertz",
    };
    return unit >= PERFDATA_NONE && unit <= PERFDATA_HERTZ ? texts[unit] : "?";
}
