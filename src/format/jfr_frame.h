/*
 * jfr_frame.h - the frames of a stack in a JFR file, one after the other.
 *
 * Stacks are most of a recording: each field of a frame is read once, in the order of the file, and
 * which field is which is looked up once for a chunk. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "jfr/jfr_value.h"
#include "profile/profile.h"

enum {
    JFR_FRAME_FIELDS = 16, /* what stands behind so many is not asked for */
    JFR_FRAME_KINDS = 8,
};

struct jfr_frame_reader {
    const struct jfr_chunk *chunk;    /* borrowed */
    const struct jfr_type *type;      /* whose fields these are; NULL: none so far */
    uint8_t fields[JFR_FRAME_FIELDS]; /* what each is */
    struct {
        const uint8_t *words; /* where they stand in the chunk */
        enum frame_kind kind;
    } kinds[JFR_FRAME_KINDS]; /* words that have been read */
    uint32_t kind_count;
};

struct jfr_frame {
    struct jfr_value method;
    int64_t line, bci;
    enum frame_kind kind; /* FRAME_JAVA where the file's word says no more */
};

void jfr_frame_begin(struct jfr_frame_reader *r, const struct jfr_chunk *chunk);
/** Reads an element of the array `frames`, where `l` begins as frames->at, and moves behind it. */
void jfr_frame_next(struct jfr_frame_reader *r, const struct jfr_value *frames, struct leb *l,
                    struct jfr_frame *ret_frame);
