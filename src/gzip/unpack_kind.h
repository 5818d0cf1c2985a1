/*
 * unpack_kind.h - the kinds of packed files, each in a file unpack_NAME.c, and the bytes that they
 * are given. Others use unpack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { UNPACK_HEAD = 4 }; /* the first bytes, which tell whether a file is packed */

/** What goes in and where the result goes. Both are moved along. */
struct unpack_bytes {
    const unsigned char *in;
    size_t in_len;
    bool is_end; /* no bytes come behind `in` */
    unsigned char *out;
    size_t out_room;
};

struct unpack_kind {
    const char *missing; /* why it cannot be unpacked; NULL: it can */
    /** Whether a part may begin with these bytes, of which there may be fewer than it needs. */
    bool (*begins)(const unsigned char *bytes, size_t len);
    /** Makes the state. NULL: no memory. */
    void *(*open)(void);
    void (*close)(void *state);
    /** Gets ready for another part. Errors: 0; -ENOMEM. */
    int (*next)(void *state);
    /** Unpacks a piece of a part. Returns 1; 0: the part has ended. Errors as unpack_run(). */
    int (*step)(void *state, struct unpack_bytes *b, const char **ret_why);
};

extern const struct unpack_kind unpack_gzip, unpack_zstd;
