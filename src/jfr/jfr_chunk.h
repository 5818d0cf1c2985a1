/*
 * jfr_chunk.h - one chunk of a JFR file: its header, types, constants and events.
 *
 * A chunk stands for itself. One that was finished says where its metadata and its constants are;
 * one that was not, or that is cut, is walked record by record from its beginning, and all that is
 * whole counts. Records are borrowed from the file.
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

struct jfr_header {
    uint16_t major, minor;
    uint64_t size, checkpoint, metadata; /* bytes, from the beginning of the chunk */
    int64_t start_ns, duration_ns, start_ticks;
    double ticks_per_second;
    uint8_t state; /* enum jfr_layout_state */
    bool is_final; /* the last chunk of its recording */
};

/** A record that is no metadata and no constants, or one of those. */
struct jfr_record {
    uint64_t type_id;
    const uint8_t *bytes; /* its beginning */
    size_t size;          /* with its size and type */
    struct leb payload;   /* what follows them */
};

/** What wall time a number of ticks was. */
struct jfr_clock {
    int64_t ns, ticks;
};

struct jfr_chunk {
    struct jfr_header header;
    struct jfr_clock clock; /* the header's, or that of a chunk before: jfr_chunk_follow() */
    const uint8_t *bytes;
    size_t len;       /* of whole records, with the header */
    bool is_finished; /* its writer said so, and it is all there */
    bool has_types;   /* `metadata` is there */
    struct jfr_metadata metadata;
    struct jfr_record metadata_record; /* that it was read from */
    struct jfr_pools pools;
};

/** Whether a chunk may begin here: `len` bytes are there. */
bool jfr_chunk_begins(const uint8_t *bytes, size_t len);
/** Reads JFR_LAYOUT_HEADER bytes. Errors: 0; E_FORMAT; E_UNSUPPORTED, another version. */
int jfr_chunk_read_header(const uint8_t *bytes, struct jfr_header *ret_header);
/**
 * Opens a chunk of which `len` bytes are there, JFR_LAYOUT_HEADER at least; more may follow it.
 * Without constants it costs nothing but its metadata. Errors: 0; E_TRUNCATED or E_FORMAT:
 * *ret_what says what is missing, and what is there is there; E_UNSUPPORTED; -ENOMEM. Owner:
 * borrows the bytes; jfr_chunk_close(), also after an error.
 */
int jfr_chunk_open(struct jfr_chunk *c, const uint8_t *bytes, size_t len, bool with_constants,
                   const char **ret_what);
/** The same for a chunk whose header is not to be followed: never 0. */
int jfr_chunk_walk(struct jfr_chunk *c, const uint8_t *bytes, size_t len, bool with_constants,
                   const char **ret_what);
void jfr_chunk_close(struct jfr_chunk *c);
/**
 * The record at `at` bytes from the beginning of `bytes`. Returns 1; 0 at the end; negative where
 * there is no whole record.
 */
int jfr_chunk_record(const uint8_t *bytes, size_t len, size_t at, struct jfr_record *ret_record);
/** The type of a record's event; NULL: not declared, or it cannot be read. */
const struct jfr_type *jfr_chunk_type(const struct jfr_chunk *c, uint64_t type_id);
enum { JFR_CHUNK_MOVED_NS = 100000000 }; /* so much apart, two chunks' clocks do not agree */

/**
 * How far the wall clock moved between the chunk `before` and the next one, against the clock of
 * the events, whose ticks are equally long: 0 also where format 1 only seems to say so.
 */
double jfr_chunk_clock_moved_ns(const struct jfr_header *h, const struct jfr_header *before);
/**
 * Takes the clock of the chunk before, whose header is `before`, where the two agree to a tenth of
 * a second: as the JDK's reader does, which goes by the first chunk, so that moments are what it
 * says and compare across chunks while the wall clock is put right.
 */
void jfr_chunk_follow(struct jfr_chunk *c, const struct jfr_header *before, struct jfr_clock clock);
/** When an event was, in ns since the epoch, and how long it took, in ns: of what it says in ticks.
 */
int64_t jfr_chunk_time_ns(const struct jfr_chunk *c, int64_t ticks);
int64_t jfr_chunk_span_ns(const struct jfr_chunk *c, int64_t ticks);
