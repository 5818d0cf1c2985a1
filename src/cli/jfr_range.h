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
    "its clock is not that of System.nanoTime; give times, or seconds since its beginning"

/**
 * The next chunk of the recording, the first one first. Errors: 0; E_UNSUPPORTED: a value of
 * System.nanoTime is asked for, and the recording's clock is another one.
 */
int jfr_range_chunk(struct window *w, const struct jfr_chunk *c);
/** Whether an event of the chunk was in the window, if only for a part of its duration. */
bool jfr_range_takes(const struct window *w, const struct jfr_chunk *c, const struct jfr_type *type,
                     const struct jfr_record *record);
