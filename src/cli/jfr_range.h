/*
 * jfr_range.h - the events of a JFR recording in a part of its time (base/window.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/window.h"

struct jfr_chunk;
struct jfr_record;
struct jfr_type;

/** What to say where there is no System.nanoTime in a recording. */
#define JFR_RANGE_NO_NANOTIME                                                                      \
    "System.nanoTime is not in it, nor known: this machine has booted since; give times, or "      \
    "seconds "                                                                                     \
    "since its beginning"

/**
 * The next chunk of the recording, the first one first. Errors: 0; E_UNSUPPORTED: a value of
 * System.nanoTime is asked for, which leads nowhere in the recording.
 */
int jfr_range_chunk(struct window *w, const struct jfr_chunk *c);
/** Whether an event of the chunk was in the window, if only for a part of its duration. */
bool jfr_range_takes(const struct window *w, const struct jfr_chunk *c, const struct jfr_type *type,
                     const struct jfr_record *record);
