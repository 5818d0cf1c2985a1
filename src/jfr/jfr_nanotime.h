/*
 * jfr_nanotime.h - what System.nanoTime was when an event of a JFR file was.
 *
 * hprof and async-profiler write it as their ticks. The JDK's recorder counts from the JVM's start
 * on, or ticks of the processor, and says nowhere what System.nanoTime was: the time of day leads
 * there, by the clocks of the machine that recorded, as long as it has not booted since.
 * Source: HotSpot, os::elapsed_counter() on Linux.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_chunk;
struct window;

enum jfr_nanotime {
    JFR_NANOTIME_UNKNOWN,  /* the chunk is older than this machine runs */
    JFR_NANOTIME_RECKONED, /* by the clocks of this machine */
    JFR_NANOTIME_TICKS,    /* the chunk has it as its ticks */
};

/** Whether ticks are ns since the JVM began, as the JDK's recorder has them where no counter of the
 * processor is trusted. */
bool jfr_nanotime_is_from_start(const struct jfr_chunk *c);
/** What it was at the moment of `c->clock`. */
enum jfr_nanotime jfr_nanotime_at_clock(const struct jfr_chunk *c, int64_t *ret_ns);
/** The window as one of the chunk's recording. Errors: 0; E_UNSUPPORTED: a value of System.nanoTime
 * is asked for, and it is not known. */
int jfr_nanotime_resolve(struct window *w, const struct jfr_chunk *c);
