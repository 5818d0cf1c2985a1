/*
 * unpack.h - packed bytes in, plain bytes out, piece by piece.
 *
 * A packed file consists of parts one behind the other: members of gzip (RFC 1952), frames of zstd
 * (RFC 8878). Zeros may stand behind the last part, as on a tape. HotSpot's packed heap dumps are
 * members of gzip of a megabyte each. The caller brings the bytes and takes the result, so this
 * knows neither files nor feeds. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "gzip/unpack_kind.h"

struct unpack {
    const struct unpack_kind *kind; /* NULL: closed */
    void *state;                    /* of the kind */
    bool is_between;                /* one part has ended and the next has not begun */
};

/** The kind of packed file that begins with these bytes; NULL: the file is not packed. */
const struct unpack_kind *unpack_kind_of(const unsigned char *bytes, size_t len);
/** Errors: 0; -ENOMEM; E_UNSUPPORTED: this program was built without the library for the kind,
 * and *ret_why says so. Owner: unpack_close(), also after an error. */
int unpack_open(struct unpack *u, const struct unpack_kind *kind, const char **ret_why);
/** Does nothing if it is closed. */
void unpack_close(struct unpack *u);

/**
 * Unpacks until `out` is full, or `in` is used up.
 *
 * Returns 1: more room or more bytes are wanted; 0: the packed data has ended, and so has `in`.
 * Errors: E_TRUNCATED: the data is cut off; E_FORMAT; E_LIMIT; -ENOMEM; *ret_why is then a static
 * text, or NULL. What was unpacked in front of the error is in `out`.
 */
int unpack_run(struct unpack *u, struct unpack_bytes *b, const char **ret_why);
