/*
 * vmtables.c - see vmtables.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/vmtables.h"
#include "base/err.h"
#include "hotspot/paged.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Each symbol is a variable of eight bytes: a pointer to the table, or an offset within a row. */
enum table_symbol {
    STRUCTS,
    STRUCT_TYPE,
    STRUCT_FIELD,
    STRUCT_STATIC,
    STRUCT_OFFSET,
    STRUCT_ADDRESS,
    STRUCT_STRIDE,
    TYPES,
    TYPE_NAME,
    TYPE_SIZE,
    TYPE_STRIDE,
    INTS,
    INT_NAME,
    INT_VALUE,
    INT_STRIDE,
    LONGS,
    LONG_NAME,
    LONG_VALUE,
    LONG_STRIDE,
};

const char *const vmtables_symbols[VMTABLES_SYMBOL_COUNT] = {
    "gHotSpotVMStructs",
    "gHotSpotVMStructEntryTypeNameOffset",
    "gHotSpotVMStructEntryFieldNameOffset",
    "gHotSpotVMStructEntryIsStaticOffset",
    "gHotSpotVMStructEntryOffsetOffset",
    "gHotSpotVMStructEntryAddressOffset",
    "gHotSpotVMStructEntryArrayStride",
    "gHotSpotVMTypes",
    "gHotSpotVMTypeEntryTypeNameOffset",
    "gHotSpotVMTypeEntrySizeOffset",
    "gHotSpotVMTypeEntryArrayStride",
    "gHotSpotVMIntConstants",
    "gHotSpotVMIntConstantEntryNameOffset",
    "gHotSpotVMIntConstantEntryValueOffset",
    "gHotSpotVMIntConstantEntryArrayStride",
    "gHotSpotVMLongConstants",
    "gHotSpotVMLongConstantEntryNameOffset",
    "gHotSpotVMLongConstantEntryValueOffset",
    "gHotSpotVMLongConstantEntryArrayStride",
};

enum {
    /* known VMs have 3000 rows at most; a table that does not end is damaged */
    ROWS_MAX = 20000,
    ROW_BYTES_MAX = 128,
};

/* Read a C string of the target, cut to `size`. Returns 0 if it cannot be read. The pieces that are
 * read do not cross a page. */
static int read_string(struct mem *m, uint64_t addr, char *dst, size_t size)
{
    size_t at = 0;
    if (addr == 0)
        return 0;
    while (at + 1 < size) {
        size_t n = 32 - (addr + at) % 32;
        if (n > size - 1 - at)
            n = size - 1 - at;
        if (mem_read(m, addr + at, dst + at, n) < 0)
            return 0;
        if (memchr(dst + at, 0, n))
            return 1;
        at += n;
    }
    dst[size - 1] = 0;
    return 1;
}

static struct vmtables_row *add_row(struct vmtables *t, uint32_t *capacity)
{
    if (t->count == *capacity) {
        uint32_t grown = *capacity == 0 ? 2048 : *capacity * 2;
        struct vmtables_row *rows = realloc(t->rows, grown * sizeof(*rows));
        if (!rows)
            return NULL;
        t->rows = rows;
        *capacity = grown;
    }
    struct vmtables_row *row = &t->rows[t->count++];
    memset(row, 0, sizeof(*row));
    return row;
}

static uint64_t word_of(const unsigned char *row, uint64_t offset, size_t size)
{
    uint64_t value = 0;
    if (offset <= ROW_BYTES_MAX - 8)
        memcpy(&value, row + offset, size);
    return value;
}

/* Read one table: rows of `stride` bytes until the name pointer is NULL. */
static int read_table(struct mem *m, const uint64_t *s, int which, struct vmtables *t,
                      uint32_t *capacity)
{
    int stride_at = which == STRUCTS ? STRUCT_STRIDE
                    : which == TYPES ? TYPE_STRIDE
                    : which == INTS  ? INT_STRIDE
                                     : LONG_STRIDE;
    uint64_t at = s[which], stride = s[stride_at];
    unsigned char bytes[ROW_BYTES_MAX];
    if (stride < 16 || stride > sizeof(bytes))
        return E_VM_STATE;
    for (uint32_t n = 0; n < ROWS_MAX; n++, at += stride) {
        memset(bytes, 0, sizeof(bytes));
        if (mem_read(m, at, bytes, stride) < 0)
            return 0;
        uint64_t name = word_of(bytes, s[which + 1], 8);
        if (name == 0)
            return 0;
        struct vmtables_row *row = add_row(t, capacity);
        if (!row)
            return -ENOMEM;
        if (!read_string(m, name, row->type, sizeof(row->type))) {
            t->count--;
            return 0;
        }
        if (which == STRUCTS) {
            if (!read_string(m, word_of(bytes, s[STRUCT_FIELD], 8), row->name, sizeof(row->name))) {
                t->count--;
                continue;
            }
            row->kind = word_of(bytes, s[STRUCT_STATIC], 4) != 0 ? 's' : 'f';
            row->value = word_of(bytes, s[row->kind == 's' ? STRUCT_ADDRESS : STRUCT_OFFSET], 8);
        } else if (which == TYPES) {
            row->kind = 't';
            row->value = word_of(bytes, s[TYPE_SIZE], 8);
        } else if (which == INTS) {
            row->kind = 'i';
            row->value = (uint64_t)(int64_t)(int32_t)word_of(bytes, s[INT_VALUE], 4);
        } else {
            row->kind = 'i';
            row->value = word_of(bytes, s[LONG_VALUE], 8);
        }
    }
    return 0;
}

static uint32_t hash_of(char kind, const char *type, const char *name)
{
    uint32_t hash = (unsigned char)kind;
    for (const char *p = type; *p != 0; p++)
        hash = (hash ^ (unsigned char)*p) * 0x01000193u;
    for (const char *p = name; *p != 0; p++)
        hash = (hash ^ (unsigned char)*p) * 0x01000193u;
    return hash ^ hash >> 15;
}

/* If rows have the same name, a lookup finds the first of them. */
static int index_rows(struct vmtables *t)
{
    t->slot_count = 1024;
    while (t->slot_count < t->count * 2)
        t->slot_count *= 2;
    t->slots = calloc(t->slot_count, sizeof(*t->slots));
    if (!t->slots)
        return -ENOMEM;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct vmtables_row *row = &t->rows[i];
        uint32_t slot = hash_of(row->kind, row->type, row->name) & (t->slot_count - 1);
        while (t->slots[slot] != 0)
            slot = (slot + 1) & (t->slot_count - 1);
        t->slots[slot] = i + 1;
    }
    return 0;
}

int vmtables_open(struct mem *m, const uint64_t symbols[VMTABLES_SYMBOL_COUNT],
                  struct vmtables *ret_tables)
{
    uint64_t values[VMTABLES_SYMBOL_COUNT];
    struct vmtables t = {0};
    uint32_t capacity = 0;
    int error = 0;
    for (int i = 0; i < VMTABLES_SYMBOL_COUNT; i++) {
        if (symbols[i] == 0)
            return E_FACT_MISSING;
        if (mem_read(m, symbols[i], &values[i], 8) < 0)
            return E_VM_STATE;
    }
    struct paged *paged = paged_open(m); /* 10,000 small pieces close together */
    if (!paged)
        return -ENOMEM;
    static const int tables[] = {STRUCTS, TYPES, INTS, LONGS};
    for (unsigned i = 0; i < 4 && error == 0; i++)
        error = read_table(paged_mem(paged), values, tables[i], &t, &capacity);
    paged_close(paged);
    if (error == 0 && t.count == 0)
        error = E_VM_STATE;
    if (error == 0)
        error = index_rows(&t);
    if (error < 0)
        vmtables_done(&t);
    else
        *ret_tables = t;
    return error;
}

void vmtables_done(struct vmtables *t)
{
    free(t->rows);
    free(t->slots);
    *t = (struct vmtables){0};
}

int vmtables_find(const struct vmtables *t, char kind, const char *type, const char *name,
                  uint64_t *ret_value)
{
    if (t->slot_count == 0)
        return 0;
    uint32_t slot = hash_of(kind, type, name) & (t->slot_count - 1);
    for (; t->slots[slot] != 0; slot = (slot + 1) & (t->slot_count - 1)) {
        const struct vmtables_row *row = &t->rows[t->slots[slot] - 1];
        if (row->kind == kind && strcmp(row->type, type) == 0 && strcmp(row->name, name) == 0) {
            *ret_value = row->value;
            return 1;
        }
    }
    return 0;
}
