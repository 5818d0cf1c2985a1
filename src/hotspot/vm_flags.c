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

/* There are 500 to 1500; a number beyond FLAGS_MAX is damage. */
enum { FLAGS_MAX = 10000, ORIGIN_MASK = 0xf };

static const char *const type_words[VM_FLAG_TYPES] = {
    [VM_FLAG_BOOL] = "bool",       [VM_FLAG_INT] = "int",       [VM_FLAG_UINT] = "uint",
    [VM_FLAG_INTX] = "intx",       [VM_FLAG_UINTX] = "uintx",   [VM_FLAG_UINT64] = "uint64_t",
    [VM_FLAG_SIZE] = "size_t",     [VM_FLAG_DOUBLE] = "double", [VM_FLAG_TEXT] = "ccstr",
    [VM_FLAG_TEXTS] = "ccstrlist",
};

/* JVMFlagOrigin */
static const char *const origin_words[] = {
    "default",   "command line", "environment", "config file",     "management",
    "ergonomic", "attach",       "internal",    "jimage resource",
};

int vm_flags_begin(const struct target *t, struct vm_flags *ret_flags)
{
    const char *type = target_size(t, "JVMFlag") > 0 ? "JVMFlag" : "Flag"; /* JDK 8 */
    struct vm_flags f = {
        .target = t,
        .row = target_static_value(t, type, "flags", 8),
        .left = target_static_value(t, type, "numFlags", 8),
        .name = target_field(t, type, "_name", -1),
        .value = target_field(t, type, "_addr", -1),
        .type = target_field(t, type, "_type", -1),
        .bits = target_field(t, type, "_flags", -1),
    };
    int32_t size = target_size(t, type);

    *ret_flags = f;
    if (size <= 0 || f.row == 0 || f.left > FLAGS_MAX || f.name < 0 || f.value < 0 || f.type < 0 ||
        f.bits < 0)
        return E_FACT_MISSING;
    ret_flags->row_size = (uint32_t)size;
    /* A number stands in the second half of a word, where no pointer can. */
    ret_flags->has_type_words = f.type % 8 == 0;
    return 0;
}

static bool read_type(const struct vm_flags *f, enum vm_flag_type *ret)
{
    char word[16];

    if (!f->has_type_words) {
        *ret = (enum vm_flag_type)target_u4(f->target, f->row + (uint64_t)f->type);
        return *ret < VM_FLAG_TYPES;
    }
    if (target_text(f->target, target_u8(f->target, f->row + (uint64_t)f->type), word,
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

    for (; f->left > 0 && !is_read; f->left--, f->row += f->row_size) {
        uint64_t name = target_u8(f->target, f->row + (uint64_t)f->name);

        ret_row->value_at = target_u8(f->target, f->row + (uint64_t)f->value);
        ret_row->origin = target_u4(f->target, f->row + (uint64_t)f->bits) & ORIGIN_MASK;
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

/* The bytes of a number, the others 0. */
static int read_number(const struct target *t, const struct vm_flag_row *row, uint64_t *ret)
{
    size_t size = row->type == VM_FLAG_BOOL                               ? 1
                  : row->type == VM_FLAG_INT || row->type == VM_FLAG_UINT ? 4
                                                                          : 8;

    *ret = 0;
    return mem_read(t->mem, row->value_at, ret, size);
}

/* Returns the length that the text has without a cut. */
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

/* 1 if the C string at `addr` is `name`. */
static bool is_string(const struct target *t, uint64_t addr, const char *name)
{
    char text[64];
    size_t len = strlen(name) + 1;
    if (len > sizeof(text) || addr == 0)
        return false;
    /* The first byte decides mostly, and keeps us from reading across the end of a mapping. */
    if (mem_read(t->mem, addr, text, 1) < 0 || text[0] != name[0])
        return false;
    return mem_read(t->mem, addr, text, len) == 0 && memcmp(text, name, len) == 0;
}

uint64_t vm_flags_number(const struct target *t, const char *name, size_t size, uint64_t otherwise)
{
    struct vm_flags f;

    if (vm_flags_begin(t, &f) < 0)
        return otherwise;
    for (; f.left > 0; f.left--, f.row += f.row_size) {
        uint64_t value = 0;
        if (!is_string(t, target_u8(t, f.row + (uint64_t)f.name), name))
            continue;
        uint64_t addr = target_u8(t, f.row + (uint64_t)f.value);
        return mem_read(t->mem, addr, &value, size) < 0 ? otherwise : value;
    }
    return otherwise;
}
