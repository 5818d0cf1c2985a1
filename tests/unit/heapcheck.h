/*
 * heapcheck.h - reads the heap dump records of a binary HPROF stream, and believes no length.
 *
 * For tests of the writers: made from docs/format/hprof-binary.md and not from their code.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/** A sub-record, or one of the records around them. */
struct heapcheck_thing {
    int tag;         /* of the sub-record; of a record 0x100 more */
    uint64_t id;     /* of the object; of a string; of the class in LOAD CLASS */
    uint64_t klass;  /* of an object; of a class its superclass; of LOAD CLASS the name */
    uint32_t trace;  /* of a root: its second number */
    uint32_t number; /* of a root: its first number; of a class or LOAD CLASS: its serial */
    uint32_t count;  /* elements; bytes of an instance's values; fields of a class */
    int type;        /* of the elements */
    uint32_t statics, constants;
    const unsigned char *start; /* of a sub-record: its tag */
    const unsigned char *data;  /* values, elements, text */
    size_t len;                 /* of data; of a segment: its body */
};

typedef void heapcheck_seen(void *arg, const struct heapcheck_thing *t);

/**
 * Read records to the end of the bytes; `seen` gets each, a segment before what it holds.
 * Returns 0, or where the first one is that does not end where it says.
 */
size_t heapcheck_read(const unsigned char *bytes, size_t len, unsigned id_bytes,
                      heapcheck_seen *seen, void *arg);
