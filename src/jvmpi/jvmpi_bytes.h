/*
 * jvmpi_bytes.h - the bytes of a dump, as agents read them.
 *
 * Numbers are big-endian, ids and pointers are the machine's own and as wide as a pointer: the open
 * HPROF agent reads them so. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jvmpi_bytes {
    char *begin; /* malloc'd; NULL: nothing so far */
    size_t len, room;
    bool failed; /* no memory: what came later is not there */
};

void jvmpi_bytes_u1(struct jvmpi_bytes *b, uint8_t v);
void jvmpi_bytes_u4(struct jvmpi_bytes *b, uint32_t v);
void jvmpi_bytes_pointer(struct jvmpi_bytes *b, const void *p);
void jvmpi_bytes_free(struct jvmpi_bytes *b);
