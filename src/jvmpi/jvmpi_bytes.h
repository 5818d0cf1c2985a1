/*
 * jvmpi_bytes.h - the bytes of a dump, as agents read them.
 *
 * Numbers are big-endian, ids and pointers are the machine's own and as wide as a pointer: the open
 * HPROF agent reads them so. A dump that becomes large lies in a file without a name, mapped into
 * memory, whose pages the kernel can write to the disk when memory is short.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** All zero: nothing so far, and jvmpi_bytes_free() need not be called. */
struct jvmpi_bytes {
    char *begin; /* NULL: nothing so far */
    size_t len, room;
    int file;            /* the file behind a mapping; 0: `begin` is malloc'd */
    bool failed;         /* no memory, or no room on the disk: what came later is not there */
    size_t room_refused; /* that there was not, when it failed */
};

void jvmpi_bytes_u1(struct jvmpi_bytes *b, uint8_t v);
void jvmpi_bytes_u2(struct jvmpi_bytes *b, uint16_t v);
void jvmpi_bytes_u4(struct jvmpi_bytes *b, uint32_t v);
void jvmpi_bytes_pointer(struct jvmpi_bytes *b, const void *p);
void jvmpi_bytes_all(struct jvmpi_bytes *b, const void *bytes, size_t len);
/** Room for what comes later. Returns where it is: jvmpi_bytes_at() says what is there. */
size_t jvmpi_bytes_zeros(struct jvmpi_bytes *b, size_t len);
/** The bytes from `at` on, until the next ones are added; NULL if there are less than `len`. */
uint8_t *jvmpi_bytes_at(struct jvmpi_bytes *b, size_t at, size_t len);
void jvmpi_bytes_free(struct jvmpi_bytes *b);
