/*
 * unpack.c - the parts of a packed file one behind the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/unpack.h"
#include <errno.h>
#include "base/err.h"
#include "gzip/unpack_kind.h"

static const struct unpack_kind *const kinds[] = {&unpack_gzip, &unpack_zstd};

const struct unpack_kind *unpack_kind_of(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i]->begins(bytes, len))
            return kinds[i];
    return NULL;
}

int unpack_open(struct unpack *u, const struct unpack_kind *kind, const char **ret_why)
{
    *ret_why = kind->missing;
    *u = (struct unpack){.kind = kind};
    if (kind->missing)
        return E_UNSUPPORTED;
    u->state = kind->open();
    return u->state ? 0 : -ENOMEM;
}

void unpack_close(struct unpack *u)
{
    if (u->kind && u->state)
        u->kind->close(u->state);
    *u = (struct unpack){.kind = NULL};
}

/* Begins the next part. Returns 2: it has begun; 1: more bytes are wanted; 0: there is none. */
static int begin_next(struct unpack *u, struct unpack_bytes *b, const char **ret_why)
{
    while (b->in_len > 0 && b->in[0] == 0) {
        b->in++;
        b->in_len--;
    }
    if (b->in_len < UNPACK_HEAD && !b->is_end)
        return 1;
    if (b->in_len == 0)
        return 0;
    if (u->kind->begins(b->in, b->in_len)) {
        u->is_between = false;
        int error = u->kind->next(u->state);
        return error < 0 ? error : 2;
    }
    *ret_why = "behind the packed data there is something else";
    return E_FORMAT;
}

int unpack_run(struct unpack *u, struct unpack_bytes *b, const char **ret_why)
{
    int r;
    do {
        if (u->is_between) {
            r = begin_next(u, b, ret_why);
            continue;
        }
        /* Without bytes too: the library may still hold some that it has unpacked. */
        size_t in_len = b->in_len, out_room = b->out_room;
        r = u->kind->step(u->state, b, ret_why);
        if (r < 0)
            return r;
        u->is_between = r == 0;
        bool has_moved = b->in_len != in_len || b->out_room != out_room;
        r = u->is_between || has_moved ? 2 : 1;
        if (r == 1 && b->out_room > 0 && (b->in_len > 0 || b->is_end)) {
            *ret_why = b->in_len > 0 ? "the packed data is damaged" : "the packed data is cut off";
            return b->in_len > 0 ? E_FORMAT : E_TRUNCATED;
        }
    } while (r == 2 && b->out_room > 0);
    return r == 2 ? 1 : r;
}
