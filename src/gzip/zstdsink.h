/*
 * zstdsink.h - a sink that packs its bytes by zstd and writes them into another sink.
 *
 * Writers write into `sink` as into any other sink; they cannot go back in it. Not thread-safe.
 * Source: RFC 8878. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"

struct zstdsink {
    struct sink sink; /* for writers */
    struct sink *to;
    void *stream;
    unsigned char *packed; /* a buffer of SINK_BUFFER bytes */
};

/** Opens a sink, which may not move until it is closed. `to` stays the caller's. Errors: 0;
 * -ENOMEM; E_UNSUPPORTED: this program was built without libzstd. */
int zstdsink_open(struct zstdsink *z, struct sink *to);
/** Writes what is left, and closes the sink, also after an error of open. Errors: 0, or the first
 * failure of either sink. */
int zstdsink_close(struct zstdsink *z);
