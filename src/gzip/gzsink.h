/*
 * gzsink.h - a sink that packs its bytes by gzip and writes them into another sink.
 *
 * Writers write into `sink` as into any other sink; they cannot go back in it. The same bytes give
 * the same file, because the file has neither a name nor a date. Not thread-safe. Source: RFC 1952.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"

struct z_stream_s;

/** A gzsink may not be moved between open and close, because its sink points to it. */
struct gzsink {
    struct sink sink; /* for writers */
    struct sink *to;
    struct z_stream_s *stream;
    unsigned char *packed; /* a buffer of SINK_BUFFER bytes */
};

/** Open a sink. `to` stays the caller's, and open until gzsink_close(). Errors: 0, -ENOMEM. */
int gzsink_open(struct gzsink *g, struct sink *to);
/** Set the level of compression, from 1 (fast) to 9 (small), before anything is written. The
 * default is 6. */
void gzsink_set_level(struct gzsink *g, int level);
/** Write the bytes that are left and the end of the packed data, and close the sink, also after an
 * error of open. Errors: 0, or the first failure of either sink. */
int gzsink_close(struct gzsink *g);
/** The length of ".gz" at the end of this file name: 3; 0 if the name has another end, or is only
 * ".gz". */
int gzsink_suffix(const char *path);
