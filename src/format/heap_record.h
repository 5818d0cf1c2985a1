/*
 * heap_record.h - the records within a heap dump of a binary HPROF file, for readers and writers.
 *
 * heap_record.def says once which fields each record has. The functions here are made from that
 * list. They are inline because a heap has many millions of records.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/be.h"
#include "base/rd.h"

enum heap_record_tag {
#define HEAP_RECORD(name, tag, fields) HEAP_RECORD_##name = (tag),
#include "format/heap_record.def"
#undef HEAP_RECORD
};

/** The fixed-length fields of a record. Fields that a kind of record does not have are 0. */
struct heap_record {
    uint64_t object; /* id of the object; in a CLASS record, of the class */
    uint64_t klass;  /* class of the object; in an OBJECTS record, of the array */
    uint64_t super, loader, signers, domain, reserved;
    uint64_t reference;     /* in ROOT_JNI_GLOBAL: its number; in HEAP_INFO: the id of a name */
    uint32_t thread, trace; /* serial numbers */
    uint32_t frame;         /* depth of the frame; UINT32_MAX: none */
    uint32_t bytes;         /* bytes of the values of an instance */
    uint32_t count;         /* number of elements; in HEAP_INFO the number of the heap */
    uint8_t type;           /* type of the elements: enum hprof_heap_type */
};

/** The class of arrays whose elements have this primitive type (enum hprof_heap_type), as Java
 * source writes it; NULL: there is no such type. Context: any. */
static inline const char *heap_record_array_name(unsigned type)
{
    static const char *const names[] = {
        [4] = "boolean[]", [5] = "char[]",  [6] = "float[]", [7] = "double[]",
        [8] = "byte[]",    [9] = "short[]", [10] = "int[]",  [11] = "long[]",
    };
    return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

/** How many bytes the tag and the fields behind it have; 0: no record has this tag. Context:
 * any. */
static inline uint32_t heap_record_bytes(int tag, uint32_t id_bytes)
{
    /* NOLINTBEGIN(bugprone-macro-parentheses,bugprone-branch-clone): parts of a sum */
    switch (tag) {
#define ID(field) +id_bytes
#define U4(field) +4
#define U1(field) +1
#define HEAP_RECORD(name, tag, fields)                                                             \
    case tag:                                                                                      \
        return 1 fields;
#include "format/heap_record.def"
#undef HEAP_RECORD
#undef ID
#undef U4
#undef U1
    default:
        return 0;
    }
    /* NOLINTEND(bugprone-macro-parentheses,bugprone-branch-clone) */
}

/** Writes a tag and the fields of its record to `to`, which must have room for them. Returns the
 * address behind them. Context: any. */
static inline unsigned char *heap_record_put(unsigned char *to, enum heap_record_tag tag,
                                             const struct heap_record *r, uint32_t id_bytes)
{
    to = be_put1(to, (uint8_t)tag);
    /* NOLINTBEGIN(bugprone-macro-parentheses,bugprone-branch-clone): statements */
    switch (tag) {
#define ID(field) to = be_put_id(to, r->field, id_bytes);
#define U4(field) to = be_put4(to, r->field);
#define U1(field) to = be_put1(to, r->field);
#define HEAP_RECORD(name, tag, fields)                                                             \
    case tag:                                                                                      \
        fields break;
#include "format/heap_record.def"
#undef HEAP_RECORD
#undef ID
#undef U4
#undef U1
    }
    /* NOLINTEND(bugprone-macro-parentheses,bugprone-branch-clone) */
    return to;
}

/**
 * Reads the next tag and the fields behind it. Returns the tag; -1 if no record has this tag, and
 * then only the tag was read. If bytes are missing, in->error says so. Context: any.
 */
static inline int heap_record_take(struct rd *in, uint32_t id_bytes, struct heap_record *ret_record)
{
    struct heap_record *r = ret_record;
    int tag = rd_u1(in);
    *r = (struct heap_record){0};
    /* NOLINTBEGIN(bugprone-macro-parentheses,bugprone-branch-clone): statements */
    switch (tag) {
#define ID(field) r->field = rd_id(in, id_bytes);
#define U4(field) r->field = rd_u4(in);
#define U1(field) r->field = rd_u1(in);
#define HEAP_RECORD(name, tag, fields)                                                             \
    case tag:                                                                                      \
        fields return tag;
#include "format/heap_record.def"
#undef HEAP_RECORD
#undef ID
#undef U4
#undef U1
    default:
        return -1;
    }
    /* NOLINTEND(bugprone-macro-parentheses,bugprone-branch-clone) */
}
