/*
 * jfr_nanotime.h - what System.nanoTime() was at the moment of an event of a JFR file.
 *
 * The ticks of hprof and async-profiler are System.nanoTime(). The JDK's recorder counts ticks from
 * the start of the JVM, or processor ticks, and says nowhere what System.nanoTime() was. For such a
 * file the value is computed from the time of day, with the clocks of the machine that recorded.
 * This works until that machine boots again.
 * Source: HotSpot, os::elapsed_counter() on Linux.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_chunk;
struct window;

enum jfr_nanotime {
    JFR_NANOTIME_UNKNOWN,  /* the chunk is older than the last boot of this machine */
    JFR_NANOTIME_RECKONED, /* computed with the clocks of this machine */
    JFR_NANOTIME_TICKS,    /* the ticks of the chunk are System.nanoTime() */
};

/** Whether ticks are ns since the start of the JVM. The JDK's recorder uses them when it does not
 * trust the processor's counter. */
bool jfr_nanotime_is_from_start(const struct jfr_chunk *c);
/** The value of System.nanoTime() at the moment of `c->clock`. */
enum jfr_nanotime jfr_nanotime_at_clock(const struct jfr_chunk *c, int64_t *ret_ns);
/** Resolve a window for the recording of this chunk. Errors: 0; E_UNSUPPORTED: an edge is a value
 * of System.nanoTime(), which is not known for this chunk. */
int jfr_nanotime_resolve(struct window *w, const struct jfr_chunk *c);
