/*
 * jfrlib_reading.h - what the tests of libhprofjfr share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <hprof_jfr.h>

/* What tests/data/jfr/make_small.py wrote into small.jfr. */
enum { CHUNKS = 2, EVENTS_OF_A_CHUNK = 12, TEXTS = 7, SAMPLES_OF_A_CHUNK = 4 };

/** The bytes of tests/data/jfr/NAME, in memory of just that size; free() them. */
unsigned char *jfrlib_reading_bytes(const char *name, size_t *ret_len);
/** Opens bytes; a failure ends the test. */
struct hprof_jfr *jfrlib_reading_open(const void *bytes, size_t len,
                                      const struct hprof_jfr_options *options);
/** Reads to the end, and looks at each field of each event, and at its thread and stack. Returns
 * what the last hprof_jfr_next() returned. */
int jfrlib_reading_all(struct hprof_jfr *jfr, unsigned *ret_events);
/** Moves to the next event of a type; a failure ends the test. */
const struct hprof_jfr_event *jfrlib_reading_next(struct hprof_jfr *jfr, const char *type);
