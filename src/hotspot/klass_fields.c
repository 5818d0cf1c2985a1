/*
 * klass_fields.c - see klass_fields.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/klass_fields.h"
#include "hotspot/target.h"
#include "safe/mem.h"
#include <string.h>

enum { FIELDS_BYTES_MAX = 1 << 20 };
#define ROW_BYTES                                                                                  \
    12 /* access, name, signature, initial value, offset low and high: two bytes each */
enum {
    ACC_STATIC = 0x0008,
    /* the flags of a field that a class file can have (JVM specification 4.5); the VM's own flags
     * lie between them */
    ACC_FILE = 0x50df,
    /* the VM's own flag of a row: the field has a generic signature (accessFlags.hpp) */
    ROW_GENERIC = 0x0800,
};

/* One byte of the data; 0 beyond its end. */
static unsigned char byte_at(struct klass_fields *f, uint32_t at)
{
    if (at >= f->length) {
        f->broken = true;
        return 0;
    }
    if (at - f->window_at >= f->window_size || at < f->window_at) {
        uint32_t n = f->length - at;
        if (n > sizeof(f->window))
            n = sizeof(f->window);
        if (mem_read(f->facts->target->mem, f->data + at, f->window, n) < 0) {
            f->broken = true;
            return 0;
        }
        f->window_at = at;
        f->window_size = n;
    }
    return f->window[at - f->window_at];
}

static uint32_t next_number(struct klass_fields *f)
{
    uint32_t sum = 0;
    for (uint32_t i = 0, shift = 0; i < 5 && !f->broken; i++, shift += 6) {
        uint32_t b = byte_at(f, f->at++);
        sum += (b - 1) << shift;
        if (b < 192)
            break;
    }
    return sum;
}

static uint32_t next_u2(struct klass_fields *f)
{
    uint32_t low = byte_at(f, f->at++);
    return low | (uint32_t)byte_at(f, f->at++) << 8;
}

static uint64_t symbol_at(const struct klass_fields *f, uint32_t index)
{
    if (index == 0 || index >= f->pool_length)
        return 0;
    return target_u8(f->facts->target,
                     f->pool + (uint64_t)f->facts->target->layout->pool_size + (uint64_t)index * 8);
}

void klass_fields_begin(struct klass_fields *f, const struct klass_fields_facts *facts,
                        uint64_t klass)
{
    const struct target *t = facts->target;
    bool is_stream = facts->stream >= 0;
    uint64_t array = target_u8(t, klass + (uint64_t)(is_stream ? facts->stream : facts->array));
    *f = (struct klass_fields){.facts = facts};
    f->pool = target_u8(t, klass + (uint64_t)facts->constants);
    if (array == 0 || f->pool == 0)
        return;
    f->pool_length = target_u4(t, f->pool + (uint64_t)t->layout->pool_length);
    f->data = array + 4;
    f->length = target_u4(t, array);
    if (f->length > FIELDS_BYTES_MAX) {
        f->broken = true;
    } else if (is_stream) { /* JDK 21 on: number of fields, of injected fields, then the fields */
        f->count = f->length > 0 ? next_number(f) : 0;
        if (f->count > 0)
            next_number(f);
    } else {
        uint16_t count = 0;
        f->length *= 2;
        if (mem_read(t->mem, klass + (uint64_t)facts->count, &count, sizeof(count)) < 0)
            f->broken = true;
        f->count = count;
    }
}

/* The generic signatures of an array of rows stand at its end, in the order of the fields that have
 * one. So the first of them is found by counting such fields. */
static uint32_t next_generic(struct klass_fields *f)
{
    if (f->generics == 0) {
        uint32_t flagged = 0, at = f->at;
        for (uint32_t i = 0; i < f->count && !f->broken; i++) {
            f->at = i * ROW_BYTES;
            flagged += (next_u2(f) & ROW_GENERIC) != 0;
        }
        f->at = at;
        f->generics = f->length - 2 * flagged;
    }
    f->at = f->generics;
    f->generics += 2;
    return next_u2(f);
}

int klass_fields_next(struct klass_fields *f, struct klass_field *ret_field)
{
    uint32_t name, signature, offset, access, generic = 0;
    if (f->broken || f->index >= f->count)
        return 0;
    *ret_field = (struct klass_field){.index = f->index++};
    if (f->facts->stream >= 0) {
        name = next_number(f);
        signature = next_number(f);
        offset = next_number(f);
        access = next_number(f);
        uint32_t flags = next_number(f);
        uint32_t more = flags & f->facts->more;
        if (more & f->facts->initialized)
            next_number(f);
        if (more & f->facts->generic)
            generic = next_number(f);
        more &= ~(f->facts->initialized | f->facts->generic);
        for (; more != 0; more &= more - 1)
            next_number(f);
        ret_field->is_flat = (flags & f->facts->flat) != 0;
        ret_field->is_nullable = (flags & f->facts->nullable) != 0;
    } else {
        uint32_t row = ret_field->index * ROW_BYTES;
        f->at = row;
        access = next_u2(f);
        name = next_u2(f);
        signature = next_u2(f);
        f->at += 2;
        offset = next_u2(f);
        offset = (offset | next_u2(f) << 16) >> 2;
        if (access & ROW_GENERIC)
            generic = next_generic(f);
    }
    ret_field->name = symbol_at(f, name);
    ret_field->signature = symbol_at(f, signature);
    ret_field->generic = symbol_at(f, generic);
    ret_field->access = access & ACC_FILE;
    ret_field->offset = offset;
    ret_field->is_static = (access & ACC_STATIC) != 0;
    if (ret_field->name == 0 || ret_field->signature == 0)
        f->broken = true;
    return !f->broken;
}
