/*
 * jfr_frame.h - reads the frames of a stack in a JFR file, one after the other.
 *
 * Stacks are most of a recording. So each field of a frame is read once, in the order of the file,
 * and the meaning of the fields is looked up once for each chunk.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "jfr/jfr_value.h"
#include "profile/profile.h"

enum {
    JFR_FRAME_FIELDS = 16, /* fields behind the first 16 are skipped */
    JFR_FRAME_KINDS = 8,
};

struct jfr_frame_reader {
    const struct jfr_chunk *chunk;    /* borrowed */
    const struct jfr_type *type;      /* the type whose fields these are; NULL: none so far */
    uint8_t fields[JFR_FRAME_FIELDS]; /* enum field in jfr_frame.c */
    struct {
        const uint8_t *words; /* where the words stand in the chunk */
        enum frame_kind kind;
    } kinds[JFR_FRAME_KINDS]; /* kinds whose words have been read */
    uint32_t kind_count;
};

struct jfr_frame {
    struct jfr_value method;
    int64_t line, bci;
    enum frame_kind kind; /* FRAME_JAVA if the words of the file are unknown */
};

void jfr_frame_begin(struct jfr_frame_reader *r, const struct jfr_chunk *chunk);
/** Reads one element of the array `frames` and moves `l` behind it. `l` begins as frames->at. */
void jfr_frame_next(struct jfr_frame_reader *r, const struct jfr_value *frames, struct leb *l,
                    struct jfr_frame *ret_frame);
