/*
 * jfr_filler.h - records of a JFR chunk without content. They take the place of records that are
 * still to come, so that the length of a file need not change while the file is written.
 *
 * A filler is a checkpoint without pools that is not part of the chain of checkpoints. Every reader
 * passes over it by its size. Its head begins at a multiple of the head's length. So the head lies
 * within one page, a reader sees either the old or the new head, and the length of a filler changes
 * at once. The bytes behind the head may be anything. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "format/jfr_bytes.h"

enum {
    JFR_FILLER_HEAD = 16,      /* bytes of the shortest filler */
    JFR_FILLER_MAX = 128 << 20 /* bytes of the longest filler */
};

/** Makes the head of a filler of `size` bytes, head included; at most JFR_FILLER_MAX. */
void jfr_filler_head(unsigned char ret[JFR_FILLER_HEAD], uint64_t size);
/** The largest number of bytes that jfr_filler_put() adds. */
enum { JFR_FILLER_ROOM = 3 * JFR_FILLER_HEAD };
/**
 * Adds the head of a filler to `b`, at the next multiple of JFR_FILLER_HEAD. The filler ends
 * `space` bytes after the beginning of `b`.
 */
void jfr_filler_put(struct jfr_bytes *b, uint64_t space);
