/*
 * perf_counter.c - see perf_counter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/perf_counter.h"
#include "safe/mem.h"
#include <stdbool.h>
#include <string.h>

enum {
    MAGIC = 0xcafec0c0, /* in big-endian order, whatever the byte order of the CPU */
    ENTRIES_MAX = 4096,
    NAME_MAX_BYTES = 64,
    TYPE_LONG = 'J',
    TYPE_BYTE = 'B', /* an array of bytes is a text */
};

/* PerfDataPrologue. */
struct prologue {
    unsigned char magic[4];
    uint8_t byte_order, major, minor, accessible;
    int32_t used, overflow;
    int64_t mod_time_stamp;
    int32_t entry_offset, num_entries;
};

/* PerfDataEntry. The name, and then the value, lie behind it. */
struct entry {
    int32_t length, name_offset, vector_length;
    uint8_t type, flags, units, variability;
    int32_t data_offset;
};

static bool has_magic(const unsigned char *bytes)
{
    return ((uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
            bytes[3]) == MAGIC;
}

static bool is_named(struct mem *m, uint64_t at, const char *name)
{
    char text[NAME_MAX_BYTES];
    size_t len = strlen(name) + 1;
    return len <= sizeof(text) && mem_read(m, at, text, len) == 0 && memcmp(text, name, len) == 0;
}

static bool is_text(const struct entry *e)
{
    return e->vector_length > 0 && e->type == TYPE_BYTE;
}

static bool is_number(const struct entry *e)
{
    return e->vector_length == 0 && e->type == TYPE_LONG;
}

static uint64_t find(struct mem *m, uint64_t start, const char *name,
                     bool (*is_wanted)(const struct entry *))
{
    struct prologue p;
    struct entry e;
    if (start == 0 || mem_read(m, start, &p, sizeof(p)) < 0 || !has_magic(p.magic))
        return 0;
    uint64_t at = start + (uint32_t)p.entry_offset;
    for (int32_t i = 0; i < p.num_entries && i < ENTRIES_MAX; i++) {
        if (mem_read(m, at, &e, sizeof(e)) < 0 || e.length < (int32_t)sizeof(e))
            return 0;
        if (is_wanted(&e) && is_named(m, at + (uint32_t)e.name_offset, name))
            return at + (uint32_t)e.data_offset;
        at += (uint32_t)e.length;
    }
    return 0;
}

uint64_t perf_counter_find(struct mem *m, uint64_t start, const char *name)
{
    return find(m, start, name, is_number);
}

uint64_t perf_counter_find_text(struct mem *m, uint64_t start, const char *name)
{
    return find(m, start, name, is_text);
}
