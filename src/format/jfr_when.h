/*
 * jfr_when.h - which events of a JFR file are wanted: by their times, and by what their threads
 * did.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct format_in;
struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct jfr_value;

/**
 * Before the first event of a chunk is read. Errors: 0; E_UNSUPPORTED: the edge of the window is a
 * System.nanoTime(), and the chunk's clock is another.
 */
int jfr_when_begin(struct format_in *in, const struct jfr_chunk *c);
/** Whether events are wanted at that time; *ret_ns, since the epoch, is 0 where nobody asks. */
bool jfr_when_has(const struct format_in *in, const struct jfr_chunk *c,
                  const struct jfr_value *event, uint64_t *ret_ns);
/** Whether a sample is wanted whose thread was in `state`, or where that is NULL in that of its
 * field "state". Where nobody asks for states all are. */
bool jfr_when_has_state(struct format_in *in, const struct jfr_chunk *c,
                        const struct jfr_value *event, const char *state);
/**
 * The CPU time between two samples that a jdk.ActiveSetting tells, in ns; 0: it is another one.
 * async-profiler says first what it counts: *is_cpu is kept from one setting to the next of a file.
 */
uint64_t jfr_when_period(const struct jfr_chunk *c, const struct jfr_type *type,
                         const struct jfr_record *record, bool *is_cpu);
