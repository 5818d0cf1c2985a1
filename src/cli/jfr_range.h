/*
 * jfr_range.h - a part of the time that a JFR recording spans.
 *
 * A moment is written as a time of day or a day and time, which is that of the machine that
 * recorded unless Z or an offset follows; as a value of System.nanoTime, a bare number; or as a
 * duration since the recording began, 90s.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_chunk;
struct jfr_record;
struct jfr_type;

enum jfr_range_kind {
    JFR_RANGE_OPEN,        /* no moment */
    JFR_RANGE_NANOTIME,    /* of System.nanoTime() */
    JFR_RANGE_SINCE_START, /* ns */
    JFR_RANGE_TIME,        /* ns since the epoch, at the offset that the recording has */
    JFR_RANGE_UTC,         /* ns since the epoch */
    JFR_RANGE_CLOCK,       /* ns since midnight, of the day on which the recording began */
};

struct jfr_range_moment {
    enum jfr_range_kind kind;
    int64_t value;
};

struct jfr_range {
    struct jfr_range_moment from, to;
    bool has_begun;         /* a chunk was seen */
    int64_t start_ns;       /* of the recording */
    int64_t from_ns, to_ns; /* of the present chunk's events, since the epoch */
};

/** Errors: 0, E_SYNTAX. */
int jfr_range_parse(const char *text, struct jfr_range_moment *ret_moment);
/** Whether it leaves out anything. */
bool jfr_range_is_open(const struct jfr_range *r);
/**
 * The next chunk of the recording, the first one first. Errors: 0; E_UNSUPPORTED: a value of
 * System.nanoTime is asked for, and the chunk's clock is another one.
 */
int jfr_range_chunk(struct jfr_range *r, const struct jfr_chunk *c);
/** Whether an event of the chunk was in the range, if only for a part of its duration. */
bool jfr_range_takes(const struct jfr_range *r, const struct jfr_chunk *c,
                     const struct jfr_type *type, const struct jfr_record *record);
