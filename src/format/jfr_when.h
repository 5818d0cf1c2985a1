/*
 * jfr_when.h - decides which events of a JFR file are wanted: by their times, and by the states of
 * their threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct reader_in;
struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct jfr_value;

/**
 * Call it before the first event of a chunk is read. Errors: 0; E_UNSUPPORTED: an edge of the
 * window is a System.nanoTime(), and the chunk has another clock.
 */
int jfr_when_begin(struct reader_in *in, const struct jfr_chunk *c);
/** Whether the time of an event is wanted. *ret_ns is this time since the epoch; 0 if nobody needs
 * times. */
bool jfr_when_has(const struct reader_in *in, const struct jfr_chunk *c,
                  const struct jfr_value *event, uint64_t *ret_ns);
/** Whether a sample of a thread in `state` is wanted. `state` NULL: the state is in the event's
 * field "state". If the user asked for no states every sample is wanted. */
bool jfr_when_has_state(struct reader_in *in, const struct jfr_chunk *c,
                        const struct jfr_value *event, const char *state);
/**
 * The CPU time between two samples, in ns, if this jdk.ActiveSetting says it; 0: it is another
 * setting. async-profiler first says in a setting of its own what it counts: *is_cpu remembers that
 * from one setting of the file to the next.
 */
uint64_t jfr_when_period(const struct jfr_chunk *c, const struct jfr_type *type,
                         const struct jfr_record *record, bool *is_cpu);
