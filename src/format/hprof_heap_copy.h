/*
 * hprof_heap_copy.h - copies instances, as they lie in memory, into records of a binary file.
 *
 * A heap has many millions of instances, so these functions are inline in the walk of the heap. The
 * head of the record is made once for each class. Then each value is copied and its bytes are
 * reversed, because the file is big-endian. The result is the same as that of hprof_heap_bin's
 * instance().
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <string.h>
#include "base/be.h"
#include "format/heap_record.h"
#include "format/hprof_heap.h"

/* Bytes that are copied at once. The head of a record is shorter. */
enum { HPROF_HEAP_COPY_HEAD = 32 };

/** How the instances of a class become records. */
struct hprof_heap_copy {
    const struct hprof_heap_value *values;
    uint32_t count;
    /* How many bytes must be free in the buffer; at least the size of the record. */
    uint32_t room_bytes;
    bool has_zeros; /* some values are not copied: hprof_heap_copy_zeros() */
    unsigned char head[HPROF_HEAP_COPY_HEAD];
};

/** Prepares `ret_copy` for a class whose `values` are known. */
void hprof_heap_bin_copy(const struct hprof_heap *h, const struct hprof_heap_class *k,
                         struct hprof_heap_copy *ret_copy);

/* These functions copy a number and reverse its bytes. Each returns the address behind the copy. */
static inline unsigned char *hprof_heap_copy2(unsigned char *to, const unsigned char *from)
{
    uint16_t v;
    memcpy(&v, from, sizeof(v));
    return be_put2(to, v);
}

static inline unsigned char *hprof_heap_copy4(unsigned char *to, const unsigned char *from)
{
    uint32_t v;
    memcpy(&v, from, sizeof(v));
    return be_put4(to, v);
}

static inline unsigned char *hprof_heap_copy8(unsigned char *to, const unsigned char *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof(v));
    return be_put8(to, v);
}

static inline unsigned char *hprof_heap_copy_reference(const struct hprof_heap_refs *r,
                                                       uint32_t id_bytes, unsigned char *to,
                                                       const unsigned char *from)
{
    return be_put_id(to, hprof_heap_ref(r, from), id_bytes);
}

/** Writes one record to `to`, where `room_bytes` must be free. Returns the address behind the
 * record. */
static inline unsigned char *hprof_heap_copy_instance(const struct hprof_heap_copy *c,
                                                      const struct hprof_heap_refs *r,
                                                      uint32_t id_bytes, uint64_t id,
                                                      uint32_t trace, const unsigned char *memory,
                                                      unsigned char *to)
{
    memcpy(to, c->head, sizeof(c->head));
    /* The fields that differ between two objects of a class are directly behind the tag. */
    be_put4(be_put_id(to + 1, id, id_bytes), trace);
    to += heap_record_bytes(HEAP_RECORD_INSTANCE, id_bytes);
    for (const struct hprof_heap_value *v = c->values, *end = v + c->count; v < end; v++) {
        const unsigned char *from = memory + v->offset;
        if (v->bytes == 0)
            to = hprof_heap_copy_reference(r, id_bytes, to, from);
        else if (v->bytes == 4)
            to = hprof_heap_copy4(to, from);
        else if (v->bytes == 8)
            to = hprof_heap_copy8(to, from);
        else if (v->bytes == 2)
            to = hprof_heap_copy2(to, from);
        else
            *to++ = *from;
    }
    return to;
}

/** Puts zeros in the place of values, in the record that ends at `end`. */
static inline void hprof_heap_copy_zeros(const struct hprof_heap_copy *c, uint32_t id_bytes,
                                         unsigned char *end)
{
    for (uint32_t i = c->count; i > 0; i--) {
        uint32_t bytes = c->values[i - 1].bytes == 0 ? id_bytes : c->values[i - 1].bytes;
        end -= bytes;
        if (c->values[i - 1].is_zeroed)
            memset(end, 0, bytes);
    }
}
