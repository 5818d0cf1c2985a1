/*
 * jfr_file.h - a JFR file from its first chunk to its last, whatever state it is in.
 *
 * Chunks stand one after another. What is damaged or cut is passed over up to where the next chunk
 * begins; how much was lost, and where, is kept for the message.
 * Memory: one chunk of the file, which is mapped, and its types and constants.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"

struct feed;

enum { JFR_DAMAGES = 8 }; /* that are kept; all are counted */

struct jfr_damage {
    uint64_t offset; /* in the file */
    uint64_t lost;   /* bytes that were passed over */
    const char *what;
};

struct jfr_file {
    struct feed *feed; /* borrowed */
    bool with_constants;
    uint64_t offset;  /* of the chunk */
    uint64_t claimed; /* the furthest end that the header of a broken chunk gave */
    size_t at;        /* of the next record in the chunk */
    bool is_open;
    struct jfr_chunk chunk;
    uint32_t chunks; /* that were opened */
    struct jfr_damage damages[JFR_DAMAGES];
    uint32_t damage_count;
};

/** Errors: 0; E_FORMAT: no JFR file. Owner: jfr_file_close(). */
int jfr_file_open(struct jfr_file *f, struct feed *feed, bool with_constants);
void jfr_file_close(struct jfr_file *f);
/**
 * Opens the next chunk and closes the one before, whose bytes may go. Returns 1; 0 at the end;
 * E_UNSUPPORTED: the first chunk is of another version; -ENOMEM.
 */
int jfr_file_next_chunk(struct jfr_file *f);
/** The chunk's next record, metadata and constants too. Returns 1; 0 at its end. */
int jfr_file_next_record(struct jfr_file *f, struct jfr_record *ret_record);
/** Back to the chunk's first record. */
void jfr_file_rewind(struct jfr_file *f);
/** Keeps what was found to be wrong at an offset of the file. */
void jfr_file_damage(struct jfr_file *f, uint64_t offset, uint64_t lost, const char *what);
