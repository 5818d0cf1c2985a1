/*
 * gzsink.h - a sink whose bytes go into another one packed by gzip.
 *
 * Writers write into `sink` as into any other; they cannot go back in it. The same bytes give the
 * same file: it has neither name nor date. Not thread-safe. Source: RFC 1952.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"

struct z_stream_s;

/** May not move between open and close: the sink refers to it. */
struct gzsink {
    struct sink sink; /* for writers */
    struct sink *to;
    struct z_stream_s *stream;
    unsigned char *packed; /* SINK_BUFFER bytes */
};

/** `to` stays the caller's, and open until gzsink_close(). Errors: 0, -ENOMEM. */
int gzsink_open(struct gzsink *g, struct sink *to);
/** From 1, fast, to 9, small; before anything is written. It is 6 by itself. */
void gzsink_set_level(struct gzsink *g, int level);
/**
 * Writes what is left and the end of the packed data; also after an error of open. Errors: 0, or
 * the first failure of either sink.
 */
int gzsink_close(struct gzsink *g);
/** How long ".gz" is at the end of this file name: 3, or 0 where it has another end, or no more. */
int gzsink_suffix(const char *path);
