/*
 * vm_flags.c - see vm_flags.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/vm_flags.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/target.h"

enum { ORIGIN_MASK = 0xf };

static const char *const type_words[VM_FLAG_TYPES] = {
    [VM_FLAG_BOOL] = "bool",       [VM_FLAG_INT] = "int",       [VM_FLAG_UINT] = "uint",
    [VM_FLAG_INTX] = "intx",       [VM_FLAG_UINTX] = "uintx",   [VM_FLAG_UINT64] = "uint64_t",
    [VM_FLAG_SIZE] = "size_t",     [VM_FLAG_DOUBLE] = "double", [VM_FLAG_TEXT] = "ccstr",
    [VM_FLAG_TEXTS] = "ccstrlist",
};

/* The words of JVMFlagOrigin. */
static const char *const origin_words[] = {
    "default",   "command line", "environment", "config file",     "management",
    "ergonomic", "attach",       "internal",    "jimage resource",
};

int vm_flags_begin(const struct target *t, struct vm_flags *ret_flags)
{
    struct vm_flags f = {.target = t};
    int error = flag_table_begin(t->mem, &t->tables, &f.table);
    *ret_flags = f;
    if (error < 0)
        return error;
    f.type = target_field(t, f.table.type, "_type", -1);
    f.bits = target_field(t, f.table.type, "_flags", -1);
    if (f.type < 0 || f.bits < 0)
        return E_FACT_MISSING;
    /* A number is in the second half of a word, where a pointer cannot be. */
    f.has_type_words = f.type % 8 == 0;
    *ret_flags = f;
    return 0;
}

static bool read_type(const struct vm_flags *f, enum vm_flag_type *ret)
{
    char word[16];
    if (!f->has_type_words) {
        *ret = (enum vm_flag_type)target_u4(f->target, f->table.row + (uint64_t)f->type);
        return *ret < VM_FLAG_TYPES;
    }
    if (target_text(f->target, target_u8(f->target, f->table.row + (uint64_t)f->type), word,
                    sizeof(word)) < 0)
        return false;
    for (*ret = 0; *ret < VM_FLAG_TYPES; ++*ret)
        if (strcmp(type_words[*ret], word) == 0)
            return true;
    return false;
}

bool vm_flags_next(struct vm_flags *f, struct vm_flag_row *ret_row)
{
    bool is_read = false;
    for (; f->table.left > 0 && !is_read; flag_table_step(&f->table)) {
        uint64_t name = flag_table_name(&f->table);
        ret_row->value_at = flag_table_value(&f->table);
        ret_row->origin = target_u4(f->target, f->table.row + (uint64_t)f->bits) & ORIGIN_MASK;
        is_read = name != 0 && ret_row->value_at != 0 && read_type(f, &ret_row->type) &&
                  target_text(f->target, name, ret_row->name, sizeof(ret_row->name)) > 0;
    }
    return is_read;
}

const char *vm_flags_type_word(enum vm_flag_type type)
{
    return type_words[type];
}

const char *vm_flags_origin_word(unsigned origin)
{
    return origin < sizeof(origin_words) / sizeof(*origin_words) ? origin_words[origin] : "unknown";
}

/* Read the bytes of a number; the other bytes of *ret are 0. */
static int read_number(const struct target *t, const struct vm_flag_row *row, uint64_t *ret)
{
    size_t size = row->type == VM_FLAG_BOOL                               ? 1
                  : row->type == VM_FLAG_INT || row->type == VM_FLAG_UINT ? 4
                                                                          : 8;
    *ret = 0;
    return mem_read(t->mem, row->value_at, ret, size);
}

/* Write the value as text. Returns the length of the text without a cut. */
static int put_value(const struct target *t, enum vm_flag_type type, uint64_t bits, char *dst,
                     size_t size)
{
    double number;
    switch (type) {
    case VM_FLAG_BOOL:
        return snprintf(dst, size, "%s", bits != 0 ? "true" : "false");
    case VM_FLAG_INT:
        return snprintf(dst, size, "%" PRId32, (int32_t)bits);
    case VM_FLAG_INTX:
        return snprintf(dst, size, "%" PRId64, (int64_t)bits);
    case VM_FLAG_DOUBLE:
        memcpy(&number, &bits, sizeof(number));
        return snprintf(dst, size, "%f", number);
    case VM_FLAG_TEXT:
    case VM_FLAG_TEXTS:
        *dst = '\0';
        return bits != 0 ? target_text(t, bits, dst, size) : 0;
    default:
        return snprintf(dst, size, "%" PRIu64, bits);
    }
}

int vm_flags_value(const struct target *t, const struct vm_flag_row *row, char *dst, size_t size)
{
    uint64_t bits;
    int len = read_number(t, row, &bits) < 0 ? -1 : put_value(t, row->type, bits, dst, size);
    return len >= (int)size ? (int)size - 1 : len;
}

uint64_t vm_flags_number(const struct target *t, const char *name, size_t size, uint64_t otherwise)
{
    uint64_t addr = flag_table_find(t->mem, &t->tables, name), value = 0;
    return addr == 0 || mem_read(t->mem, addr, &value, size) < 0 ? otherwise : value;
}
