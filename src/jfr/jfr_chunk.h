/*
 * jfr_chunk.h - one chunk of a JFR file: its header, types, constants and events.
 *
 * Each chunk can be read without the others. The header of a finished chunk says where its metadata
 * and its constants are. An unfinished or cut chunk is walked record by record from its beginning,
 * and every whole record counts. Records are borrowed from the file.
 * Source: HotSpot, jfrChunkHeaderWriter and jfrCheckpointWriter; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/jfr_layout.h"
#include "jfr/jfr_metadata.h"
#include "jfr/jfr_pool.h"

struct jfr_budget;

struct jfr_header {
    uint16_t major, minor;
    /* size in bytes; offsets from the beginning of the chunk */
    uint64_t size, checkpoint, metadata;
    int64_t start_ns, duration_ns, start_ticks;
    double ticks_per_second;
    uint8_t state; /* enum jfr_layout_state */
    bool is_final; /* the last chunk of its recording */
};

/** One record: an event, metadata or a checkpoint with constants. */
struct jfr_record {
    uint64_t type_id;
    const uint8_t *bytes; /* where the record begins */
    size_t size;          /* bytes, including the record's size and type */
    struct leb payload;   /* the bytes after the size and type */
};

/** A moment in ns since the epoch, and the ticks at that moment. */
struct jfr_clock {
    int64_t ns, ticks;
};

/** What is read of a chunk when it is opened. */
struct jfr_chunk_reading {
    bool with_constants;       /* false: only the metadata */
    struct jfr_budget *budget; /* borrowed; NULL: no budget */
};

struct jfr_chunk {
    struct jfr_header header;
    struct jfr_clock clock; /* of this header or an earlier chunk's: see jfr_chunk_follow() */
    const uint8_t *bytes;
    size_t len;       /* bytes of whole records, the header included */
    bool is_finished; /* the header says "finished", and all bytes are there */
    bool has_types;   /* `metadata` was read */
    struct jfr_metadata metadata;
    struct jfr_record metadata_record; /* the record from which `metadata` was read */
    struct jfr_pools pools;
};

/** Whether a chunk may begin at `bytes`; `len` bytes are there. */
bool jfr_chunk_begins(const uint8_t *bytes, size_t len);
/**
 * Reads a header of JFR_LAYOUT_HEADER bytes. Errors: 0; E_FORMAT; E_UNSUPPORTED: another version.
 */
int jfr_chunk_read_header(const uint8_t *bytes, struct jfr_header *ret_header);
/**
 * Opens a chunk. `len` bytes are there, at least JFR_LAYOUT_HEADER; the next chunk may follow in
 * them.
 *
 * Errors:  0; E_TRUNCATED or E_FORMAT: *ret_what says what is missing, and everything else can be
 *          used; E_UNSUPPORTED; -ENOMEM.
 * Owner:   borrows the bytes; jfr_chunk_close(), also after an error.
 */
int jfr_chunk_open(struct jfr_chunk *c, const uint8_t *bytes, size_t len,
                   const struct jfr_chunk_reading *how, const char **ret_what);
/** Like jfr_chunk_open(), for a chunk whose header must not be trusted: it is walked record by
 * record. Never returns 0. */
int jfr_chunk_walk(struct jfr_chunk *c, const uint8_t *bytes, size_t len,
                   const struct jfr_chunk_reading *how, const char **ret_what);
void jfr_chunk_close(struct jfr_chunk *c);
/**
 * The record that begins at offset `at` of `bytes`. Returns 1; 0 at the end; a negative number if
 * there is no whole record.
 */
int jfr_chunk_record(const uint8_t *bytes, size_t len, size_t at, struct jfr_record *ret_record);
/**
 * The type of an event by its id; NULL: the type is not declared, is no event, or cannot be read.
 */
const struct jfr_type *jfr_chunk_type(const struct jfr_chunk *c, uint64_t type_id);
/* if two chunks' clocks differ by this or more, the wall clock was set */
enum { JFR_CHUNK_MOVED_NS = 100000000 };

/**
 * How far the wall clock was set between the chunk with the header `before` and the next chunk with
 * the header `h`: the difference of their wall times minus the difference of their ticks. Both have
 * ticks of the same length. Returns 0 also when the difference is an artefact of format 1.
 */
double jfr_chunk_clock_moved_ns(const struct jfr_header *h, const struct jfr_header *before);
/**
 * Takes over `clock`, the clock of the chunk with the header `before`, if the two clocks agree
 * within a tenth of a second. The JDK's reader uses the clock of the first chunk for all chunks.
 * With the same clock here, moments are equal to the JDK's and can be compared across chunks, even
 * while NTP adjusts the wall clock.
 */
void jfr_chunk_follow(struct jfr_chunk *c, const struct jfr_header *before, struct jfr_clock clock);
/** The moment of an event in ns since the epoch, and the length of an event in ns. Both are
 * computed from ticks. */
int64_t jfr_chunk_time_ns(const struct jfr_chunk *c, int64_t ticks);
int64_t jfr_chunk_span_ns(const struct jfr_chunk *c, int64_t ticks);
