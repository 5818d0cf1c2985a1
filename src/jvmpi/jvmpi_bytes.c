/*
 * jvmpi_bytes.c - see jvmpi_bytes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_bytes.h"
#include <stdlib.h>
#include <string.h>
#include "base/be.h"

enum { FIRST = 4096 };

static void put(struct jvmpi_bytes *b, const void *bytes, size_t len)
{
    if (b->failed)
        return;
    if (b->len + len > b->room) {
        size_t room = b->room ? 2 * b->room : FIRST;
        char *begin = realloc(b->begin, room);

        if (!begin) {
            b->failed = true;
            return;
        }
        b->begin = begin;
        b->room = room;
    }
    memcpy(b->begin + b->len, bytes, len);
    b->len += len;
}

void jvmpi_bytes_u1(struct jvmpi_bytes *b, uint8_t v)
{
    put(b, &v, sizeof(v));
}

void jvmpi_bytes_u4(struct jvmpi_bytes *b, uint32_t v)
{
    uint8_t bytes[sizeof(v)];

    be_put4(bytes, v);
    put(b, bytes, sizeof(bytes));
}

void jvmpi_bytes_pointer(struct jvmpi_bytes *b, const void *p)
{
    put(b, &p, sizeof(p));
}

void jvmpi_bytes_free(struct jvmpi_bytes *b)
{
    free(b->begin);
    *b = (struct jvmpi_bytes){.begin = NULL};
}
