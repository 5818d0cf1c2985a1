/*
 * heap_record.h - the records within a heap dump of a binary HPROF file, for who writes and who
 * reads them.
 *
 * What a record is made of is said once, in heap_record.def; everything here is made from it, in
 * line, because a heap has many millions of records.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/be.h"
#include "base/rd.h"

enum heap_record_tag {
#define HEAP_RECORD(name, tag, fields) HEAP_RECORD_##name = (tag),
#include "format/heap_record.def"
#undef HEAP_RECORD
};

/** A record up to what varies in length. Fields that its kind does not have are 0. */
struct heap_record {
    uint64_t object; /* its id; of CLASS the class's */
    uint64_t klass;  /* of the object; for the elements of OBJECTS, their array's */
    uint64_t super, loader, signers, domain, reserved;
    uint64_t reference;     /* of a JNI global: its number */
    uint32_t thread, trace; /* serials */
    uint32_t frame;         /* depth; UINT32_MAX none */
    uint32_t bytes;         /* of the values of an instance */
    uint32_t count;         /* of elements */
    uint8_t type;           /* of elements: enum hprof_heap_type */
};

/** Bytes of the tag and the fields behind it; 0 for a tag that is none. Context: any. */
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

/** Writes tag and fields; returns the place behind them. There is room for them. Context: any. */
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
 * Reads the next tag and the fields behind it. Returns the tag, or -1 where there is none of a
 * record: then nothing but the tag was read. What is missing is in in->error. Context: any.
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
