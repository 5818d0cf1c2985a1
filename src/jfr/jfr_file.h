/*
 * jfr_file.h - reads a JFR file from its first chunk to its last, even if parts are damaged.
 *
 * The chunks of a file stand one after another. Damaged or cut bytes are skipped up to the
 * beginning of the next chunk. The place and the size of each loss are kept for the message.
 * Memory: one chunk of the file, and its types and constants; or the budget, if there is one.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"

struct diag;
struct feed;

enum { JFR_DAMAGES = 8 }; /* losses whose details are kept; all are counted */

struct jfr_damage {
    uint64_t offset; /* offset in the file */
    uint64_t lost;   /* bytes that were skipped */
    const char *what;
};

struct jfr_file {
    struct feed *feed;            /* borrowed */
    struct jfr_chunk_reading how; /* what is read of each chunk */
    uint64_t offset;              /* where the chunk begins in the file */
    uint64_t claimed;             /* the largest end that the header of a broken chunk claimed */
    size_t at;                    /* offset of the next record in the chunk */
    bool is_open;
    struct jfr_chunk chunk;
    uint32_t chunks; /* chunks opened so far */
    struct jfr_damage damages[JFR_DAMAGES];
    uint32_t damage_count;
    uint64_t lost; /* bytes that were skipped, in all places */
};

/** Errors: 0; E_FORMAT: this is no JFR file. Owner: jfr_file_close(). */
int jfr_file_open(struct jfr_file *f, struct feed *feed, const struct jfr_chunk_reading *how);
/**
 * Goes on with the next file of a recording that has several; the chunk before is closed. What is
 * known of damage stays. Errors: as jfr_file_open().
 */
int jfr_file_follow(struct jfr_file *f, struct feed *feed);
void jfr_file_close(struct jfr_file *f);
/**
 * Opens the next chunk and closes the one before, whose bytes may be given back. Returns 1; 0 at
 * the end; E_UNSUPPORTED: the first chunk has another version; -ENOMEM, also if the budget is
 * short.
 */
int jfr_file_next_chunk(struct jfr_file *f);
/** The next record of the chunk, also if it is metadata or a checkpoint. Returns 1; 0 at the end of
 * the chunk. */
int jfr_file_next_record(struct jfr_file *f, struct jfr_record *ret_record);
/** Go back to the first record of the chunk. */
void jfr_file_rewind(struct jfr_file *f);
/** Tells what was damaged so far, of a file that messages call `name`. */
void jfr_file_tell_damage(const struct jfr_file *f, const char *name, struct diag *diag);
/** Tells why jfr_file_next_chunk() has returned E_UNSUPPORTED. */
void jfr_file_tell_version(const struct jfr_file *f, const char *name, struct diag *diag);
/** Record that something is wrong at an offset of the file. */
void jfr_file_damage(struct jfr_file *f, uint64_t offset, uint64_t lost, const char *what);
