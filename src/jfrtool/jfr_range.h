/*
 * jfr_range.h - chooses the events of a JFR recording in a range of time (base/window.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/window.h"

struct jfr_chunk;
struct jfr_record;
struct jfr_type;

/** The message if a recording has no System.nanoTime(). */
#define JFR_RANGE_NO_NANOTIME                                                                      \
    "System.nanoTime is not in it, nor known: this machine has booted since; give times, or "      \
    "seconds "                                                                                     \
    "since its beginning"

/**
 * To be called for each chunk of the recording, in order. Errors: 0; E_UNSUPPORTED: the range is
 * given as System.nanoTime(), which this recording cannot convert.
 */
int jfr_range_chunk(struct window *w, const struct jfr_chunk *c);
/** Whether an event of the chunk is in the range, at least for a part of its duration. */
bool jfr_range_takes(const struct window *w, const struct jfr_chunk *c, const struct jfr_type *type,
                     const struct jfr_record *record);
