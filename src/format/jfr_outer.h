/*
 * jfr_outer.h - what an enclosing event says about the events within it.
 *
 * An event encloses another event of the same thread if it began before and ended after that event.
 * The innermost enclosing event that has the wanted field counts. The user names the field with its
 * event ("Trace.user"), or alone if the field is marked as Contextual (JDK 25). An enclosing event
 * ends later than the events within it, so it is written behind them. For this reason the whole
 * file is read once before the events are read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_around.h"

struct feed;
struct jfr_chunk;
struct jfr_file;
struct jfr_value;

/** All zero: nothing was read. Owner: jfr_around_done() of `spans`. */
struct jfr_outer {
    struct jfr_around spans;
    bool is_there; /* a type of events has the wanted field */
    bool has_all;  /* the whole file was read for this field */
    uint64_t jvm;  /* jfr_place_jvm() of the chunk whose events are asked for */
};

/** Reads the whole file if it lies in memory; does nothing for a stream. Errors: 0, -ENOMEM. */
int jfr_outer_read(struct jfr_outer *o, const struct feed *feed, const char *by);
/**
 * Call it before the events of a chunk are read. Reads the enclosing events of this chunk, unless
 * those of the whole file were read already. Errors: 0, -ENOMEM.
 */
int jfr_outer_begin(struct jfr_outer *o, struct jfr_file *f, const char *by);
/** The text that the enclosing event has for an event of the chunk; NULL: there is none. */
const char *jfr_outer_of(const struct jfr_outer *o, const struct jfr_chunk *c,
                         const struct jfr_value *event);
