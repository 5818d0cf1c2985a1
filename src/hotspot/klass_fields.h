/*
 * klass_fields.h - the fields that a Java class declares, in the order of its class file.
 *
 * Fields that the VM injected are left out. Nothing here allocates.
 * Source: HotSpot fieldInfo.hpp, fieldStreams.hpp, unsigned5.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

struct klass_field {
    uint64_t name, signature; /* symbols */
    uint32_t offset;          /* in the object; a static one's in the mirror */
    uint32_t index;           /* among the fields of the class, from 0 */
    bool is_static;
    bool is_flat;     /* the object of a value class lies in the field itself */
    bool is_nullable; /* of a flat field: a byte of it says whether it is null */
};

/** Where a class of this VM keeps its fields; -1: nowhere. A class has an array of rows and their
 * count, or, from JDK 21 on, a stream. */
struct klass_fields_facts {
    const struct target *target;
    int32_t array, count, stream, constants;
    uint32_t more;           /* flags of a field in the stream that say: one more number follows */
    uint32_t flat, nullable; /* flags of a field that has its value inside; JDK 28, else 0 */
};

/** The fields belong to klass_fields.c, `broken` to the caller: the class data made no sense. */
struct klass_fields {
    const struct klass_fields_facts *facts;
    uint64_t pool, pool_length, data; /* addresses of the pool, and of the first byte of the rows */
    uint32_t length;                  /* of the data, bytes */
    uint32_t at, index, count;
    bool broken;
    unsigned char window[64];
    uint32_t window_at, window_size;
};

/** Begin with the first field of an InstanceKlass. */
void klass_fields_begin(struct klass_fields *f, const struct klass_fields_facts *facts,
                        uint64_t klass);
/** The next one; 0 at the end. */
int klass_fields_next(struct klass_fields *f, struct klass_field *ret_field);
