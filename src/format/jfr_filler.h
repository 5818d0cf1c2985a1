/*
 * jfr_filler.h - records of a JFR chunk that say nothing: they take the place of what is still to
 * come, so that a file has one length while it is written.
 *
 * A checkpoint without pools, which no chain of checkpoints leads to: every reader passes it over
 * by its size. It begins at a multiple of its head's length, so that a write of the head is within
 * one page, and the head is read whole: how long a filler is changes at once. What lies behind the
 * head is whatever it is. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "format/jfr_bytes.h"

enum {
    JFR_FILLER_HEAD = 16,      /* bytes of the shortest filler */
    JFR_FILLER_MAX = 128 << 20 /* the longest one has no more */
};

/** The head of a filler that has `size` bytes with it, JFR_FILLER_MAX at most. */
void jfr_filler_head(unsigned char ret[JFR_FILLER_HEAD], uint64_t size);
/** Bytes that jfr_filler_put() adds at most. */
enum { JFR_FILLER_ROOM = 3 * JFR_FILLER_HEAD };
/**
 * Behind what `b` has, from a multiple of JFR_FILLER_HEAD on: the head of a filler that ends
 * `space` bytes behind the beginning of `b`.
 */
void jfr_filler_put(struct jfr_bytes *b, uint64_t space);
