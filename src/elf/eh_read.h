/*
 * eh_read.h - read numbers from the call frame information of an ELF file.
 *
 * Beyond its end a reader gives zeros and sets `failed`; callers therefore check once per record.
 * Numbers are little-endian, as the files and our hosts are.
 * Source: Linux Standard Base 5.0 (pointer encodings), DWARF 5 section 7.6 (LEB128). Context: any,
 * not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <string.h>

struct eh_read {
    const unsigned char *p, *end;
    int failed;
};

/** The form of a pointer: its size in the low bits, its base in the higher bits. */
enum eh_read_encoding {
    EH_READ_SIZE = 0x0f,
    EH_READ_BASE = 0x70,
    EH_READ_PCREL = 0x10,
    EH_READ_INDEX = 0x3b, /* signed, 4 bytes, relative to the index */
    EH_READ_OMIT = 0xff,
};

/** Take a number of `size` <= 8 bytes, little-endian. */
static inline uint64_t eh_read_take(struct eh_read *r, unsigned size)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->p) < size) {
        r->p = r->end;
        r->failed = 1;
        return 0;
    }
    memcpy(&value, r->p, size);
    r->p += size;
    return value;
}

/** Take a LEB128 number, without (uleb) or with (sleb) a sign. */
static inline uint64_t eh_read_uleb(struct eh_read *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t b = eh_read_take(r, 1);
        value |= (b & 0x7f) << shift;
        if (!(b & 0x80))
            break;
    }
    return value;
}

static inline int64_t eh_read_sleb(struct eh_read *r)
{
    uint64_t value = 0, b;
    unsigned shift = 0;
    do {
        b = eh_read_take(r, 1);
        value |= (b & 0x7f) << shift;
        shift += 7;
    } while ((b & 0x80) && shift < 63);
    if (shift < 64 && (b & 0x40))
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

/** Take a pointer in the encoding `encoding`; `addr` is the address of its first byte. */
static inline uint64_t eh_read_pointer(struct eh_read *r, uint8_t encoding, uint64_t addr)
{
    uint64_t value;
    switch (encoding & EH_READ_SIZE) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = eh_read_take(r, 8);
        break;
    case 0x01:
        value = eh_read_uleb(r);
        break;
    case 0x02:
        value = eh_read_take(r, 2);
        break;
    case 0x03:
        value = eh_read_take(r, 4);
        break;
    case 0x09:
        value = (uint64_t)eh_read_sleb(r);
        break;
    case 0x0a:
        value = (uint64_t)(int64_t)(int16_t)eh_read_take(r, 2);
        break;
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)eh_read_take(r, 4);
        break;
    default:
        r->failed = 1;
        return 0;
    }
    return (encoding & EH_READ_BASE) == EH_READ_PCREL ? value + addr : value;
}

/** Take a block that follows its length. If it is cut, the result is empty and `r` has failed. */
static inline struct eh_read eh_read_block(struct eh_read *r)
{
    uint64_t len = eh_read_uleb(r);
    struct eh_read block = {r->p, r->p, 0};
    if (len > (uint64_t)(r->end - r->p)) {
        r->failed = 1;
        return block;
    }
    r->p += len;
    block.end = r->p;
    return block;
}
