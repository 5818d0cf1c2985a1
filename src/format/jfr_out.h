/*
 * jfr_out.h - writes a JFR recording: events into chunks, chunks into a file or a stream.
 *
 * Events are encoded at once and wait in memory of a fixed size. A flush writes them out, behind
 * the constants that they name.
 *
 * A file is valid for every reader at every moment, with all events up to the last flush: also
 * while a reader reads it, and after the writer was killed. For that purpose the file gets its
 * length when a chunk begins, and the last record of the chunk is a filler (jfr_filler.h) that
 * reaches to the end of the file. A flush writes the new records, and a new filler behind them,
 * into the bytes of the old filler. Then the header of the chunk names the new constants. Later,
 * jfr_out_show() makes the old filler as short as possible, and readers find the new records. The
 * last chunk is cut to the bytes that it uses.
 *
 * Bytes of a stream cannot be written again, so each flush writes a chunk of its own. In a file a
 * chunk ends, and another begins, when it is large or old.
 *
 * Bytes that the target does not take stay here. When there is no room for more, events are left
 * out and counted; the caller never waits. Nothing here knows files or clocks: the caller says what
 * time it is. Not thread-safe. Layout: docs/format/jfr.md.
 *
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/jfr_bytes.h"
#include "format/jfr_pools.h"
#include "format/jfr_schema.h"
#include "profile/event.h"

/* How many bytes of a chunk's header are needed to know the length of the chunk. */
enum { JFR_OUT_HEADER = 16 };

struct custom_list;
struct jfr_out;
struct jfr_words;

/** One moment on two clocks. */
struct jfr_out_time {
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC, the clock of events */
    uint64_t wall_ns;      /* since 1970 */
    int64_t gmt_offset_ms; /* offset of the local time */
};

/** This moment. The monotonic clock is read before and after the wall clock, several times; the
 * pair of looks that are nearest to each other counts. Context: any, not signal. */
struct jfr_out_time jfr_out_now(int64_t gmt_offset_ms);
/** The offset of the local time, for jfr_out_now(). Context: any, not signal; it may read a file.
 */
int64_t jfr_out_gmt_offset_ms(void);

/** The target to which the chunks are written. */
struct jfr_out_target {
    /** Appends all of `bytes` or none. Errors: 0; -EAGAIN: no room now; another code: the target
     * has failed for ever. */
    int (*append)(void *to, const void *bytes, size_t len);
    /**
     * Replaces bytes that were appended, at `offset`. Errors: 0; -EAGAIN: not now; another code:
     * the target has failed for ever. NULL: the target is a stream, in which no byte can be
     * replaced.
     */
    int (*replace)(void *to, uint64_t offset, const void *bytes, size_t len);
    /**
     * Only for targets with replace(): writes `bytes` at `offset`. The bytes that are appended
     * after that go behind them, and the file gets `length` bytes, which may be more or less than
     * before. Errors: as append().
     */
    int (*start)(void *to, uint64_t offset, const void *bytes, size_t len, uint64_t length);
    /** Only for targets with replace(): the file gets `length` bytes, after everything that was
     * requested before. Errors: as append(). */
    int (*resize)(void *to, uint64_t length);
    /** A chunk has begun. The target may put in the events that every chunk must have. May be
     * NULL. */
    void (*begin_chunk)(void *to, struct jfr_out *o, const struct jfr_out_time *now);
    void *to;
};

/** The type of event as which a sample is written: one type, the other, or both. */
enum jfr_out_samples { JFR_OUT_EXECUTION_SAMPLES = 1, JFR_OUT_CPU_TIME_SAMPLES = 2 };

struct jfr_out_config {
    struct profile *profile; /* what events refer to; borrowed */
    struct jfr_out_target target;
    /* A chunk ends when it has so many bytes or lasts so long. A file grows by about
     * `chunk_bytes`. */
    uint64_t chunk_bytes, chunk_ns;
    /* The time between two samples. A sample that stands for three intervals is written as three
     * events. */
    uint64_t interval_ns;
    unsigned samples_as; /* enum jfr_out_samples */
    /* The largest number of bytes that the target takes at once; 0: no limit. */
    size_t piece_bytes;
    /* Memory for marks: which rows of the model a chunk has already. */
    size_t marks_bytes;
    /* Types of events that the program defines; NULL: none. */
    const struct custom_list *customs;
};

/** A chunk that is being written. */
struct jfr_out_chunk {
    bool is_open;           /* a part of it has been written */
    uint64_t offset, bytes; /* where it begins; how much of it has been written */
    /* Offsets in the chunk of the newest checkpoint and metadata; 0: none. */
    uint64_t checkpoint, metadata;
    uint64_t start_ns, start_ticks;  /* the same moment on both clocks */
    uint64_t first_ticks, end_ticks; /* of the earliest event; of the last flush */
};

/** The file. Not used if the target is a stream. */
struct jfr_out_file {
    /* The length of the file, and the offset of the next bytes. */
    uint64_t length, at;
    /* Offset of the newest filler, whose head ends at `at`. */
    uint64_t filler;
    /* Offset of the filler at which readers stop. If it is not the newest filler, the records
     * behind it are still hidden. */
    uint64_t shown;
    uint64_t chunk;   /* where the newest chunk begins */
    uint64_t largest; /* bytes of the largest recent write */
    bool is_short;    /* the file does not have `length` bytes yet */
    uint64_t flushes;
    /* The chunk before the newest one, if the newest one lies in its filler. */
    struct {
        uint64_t chunk, filler; /* offsets of the chunk and of its last filler */
        /* The chunk's header still says that the chunk reaches to the end of the file. */
        bool is_long;
        bool has_filler; /* its last filler still reaches to the end of the file */
        uint64_t flush;  /* number of the flush that corrected the header */
    } before;
};

struct jfr_out {
    struct jfr_out_config config;
    struct jfr_pools pools;
    /* The events that wait, and the bytes of the next write: constants, then the events. */
    struct jfr_bytes events, other;
    struct jfr_words *words;     /* memory for the metadata */
    uint32_t waiting;            /* number of events that wait */
    bool has_contexts;           /* an event that waits has a field for a context */
    struct jfr_schema_keys keys; /* the keys and types of the chunk */
    struct jfr_out_chunk chunk;
    struct jfr_out_file file;
    /* When the last chunk began: no two chunks begin at the same time. */
    uint64_t last_start_ns;
    struct jfr_out_time now;
    uint32_t gc_count;
    uint64_t written, lost; /* numbers of events; `lost` events found no room */
    int error;              /* failure of the target: all later events are lost */
};

/** Errors: 0, -ENOMEM. Owner: jfr_out_close(). */
int jfr_out_open(struct jfr_out *o, const struct jfr_out_config *config,
                 const struct jfr_out_time *now);
/* ---- The following functions are for jfr_put.c. */

/** The program may have named keys or types of events since the last event. */
void jfr_out_note_keys(struct jfr_out *o);
/**
 * Make room for an event. Call it before asking for the keys of the rows that the event names: it
 * may flush, a flush may end the chunk, and the next chunk has none of the old constants. If the
 * target takes nothing, all events that wait are lost.
 */
void jfr_out_make_room(struct jfr_out *o);
/** Count an event of this time. `has_put`: it found room in `o->events`. */
void jfr_out_count(struct jfr_out *o, bool has_put, uint64_t time_ns);

/* ---- The following functions are for all callers. */

/** Write an event that is not an event of the model. Its keys come from `o->pools`. */
void jfr_out_put(struct jfr_out *o, enum jfr_schema_type type,
                 const union jfr_schema_value *values);
/**
 * Give the bytes that wait to the target. Ends the chunk if it is large or old, or if `is_end`.
 * Returns o->error.
 */
int jfr_out_flush(struct jfr_out *o, const struct jfr_out_time *now, bool is_end);
/**
 * Call it between two flushes: readers of a file now find the events of the last flush. Until then
 * these events are hidden, so that a reader that read the constants before the flush does not find
 * events that name newer constants. Returns o->error; -EAGAIN: the next flush will do it.
 */
int jfr_out_show(struct jfr_out *o);
/** Frees the memory. Events that were not flushed are lost. */
void jfr_out_close(struct jfr_out *o);
/** How many bytes the chunk with this header has; 0: this is no header of a chunk. */
uint64_t jfr_out_chunk_bytes(const unsigned char header[JFR_OUT_HEADER]);
