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
    uint64_t generic;         /* symbol of the generic signature; 0: none */
    uint32_t access;          /* access flags of the class file */
    uint32_t offset;          /* in the object; of a static field: in the mirror */
    uint32_t index;           /* position among the fields of the class, from 0 */
    bool is_static;
    bool is_flat;     /* the object of a value class lies in the field itself */
    bool is_nullable; /* flat field: a byte of it says whether it is null */
};

/** The places in which a class of this VM keeps its fields; -1: the VM has no such place. A class
 * has an array of rows and their count, or, from JDK 21 on, a stream. */
struct klass_fields_facts {
    const struct target *target;
    int32_t array, count, stream, constants;
    uint32_t more; /* flags of a field in the stream: for each of these, one more number follows */
    uint32_t initialized, generic; /* two of these; their numbers are the first */
    uint32_t flat, nullable; /* flags of a flat field (see is_flat, is_nullable); JDK 28, else 0 */
};

/** A reader of fields. The caller may read `broken` (the class data made no sense); all other
 * members belong to klass_fields.c. */
struct klass_fields {
    const struct klass_fields_facts *facts;
    uint64_t pool, pool_length, data; /* address and length of the pool; address of the rows */
    uint32_t length;                  /* bytes of the data */
    uint32_t at, index, count;
    uint32_t generics; /* an array of rows: where the next generic signature is; 0: not known yet */
    bool broken;
    unsigned char window[64];
    uint32_t window_at, window_size;
};

/** Begin with the first field of an InstanceKlass. */
void klass_fields_begin(struct klass_fields *f, const struct klass_fields_facts *facts,
                        uint64_t klass);
/** Read the next field. Returns 0 at the end. */
int klass_fields_next(struct klass_fields *f, struct klass_field *ret_field);
