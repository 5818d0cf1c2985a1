/*
 * jvmpi_bytes.h - the bytes of a dump, as agents read them.
 *
 * Numbers are big-endian. Ids and pointers have the machine's byte order and the width of a
 * pointer, as the open HPROF agent reads them. A dump that becomes large lies in a file without a
 * name, mapped into memory; the kernel can write the file's pages to the disk when memory is short.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The bytes so far. All fields are zero at first; jvmpi_bytes_free() is not needed then. */
struct jvmpi_bytes {
    char *begin; /* NULL: there are no bytes */
    size_t len, room;
    int file;            /* the file that is mapped; 0: `begin` is malloc'd */
    bool failed;         /* there was no memory, or no room on the disk: later bytes are missing */
    size_t room_refused; /* the size for which there was no room, if `failed` */
};

void jvmpi_bytes_u1(struct jvmpi_bytes *b, uint8_t v);
void jvmpi_bytes_u2(struct jvmpi_bytes *b, uint16_t v);
void jvmpi_bytes_u4(struct jvmpi_bytes *b, uint32_t v);
void jvmpi_bytes_pointer(struct jvmpi_bytes *b, const void *p);
void jvmpi_bytes_all(struct jvmpi_bytes *b, const void *bytes, size_t len);
/** Append zeros, to be filled in later. Returns their offset for jvmpi_bytes_at(). */
size_t jvmpi_bytes_zeros(struct jvmpi_bytes *b, size_t len);
/** The bytes from the offset `at` on, valid until more bytes are appended; NULL: there are less
 * than `len`. */
uint8_t *jvmpi_bytes_at(struct jvmpi_bytes *b, size_t at, size_t len);
void jvmpi_bytes_free(struct jvmpi_bytes *b);
