/*
 * jfr_out.h - a JFR recording as it is written: events into chunks, chunks into a file or a stream.
 *
 * Events are encoded at once and wait in memory of a fixed size. With each flush they go out,
 * behind the constants that they name. A file is one that every reader takes at any moment, also
 * while one reads and after the writer was killed, up to the last flush: it has its length from the
 * beginning of a chunk on, and the chunk's last record is a filler (jfr_filler.h) that reaches to
 * the end. What is new is written into that, and a filler behind it; then the header names the new
 * constants; and later, with jfr_out_show(), the filler in front becomes as short as can be. The
 * last chunk is cut to what it has. Into a stream, of which nothing can be written again, each
 * flush writes a chunk of its own. A chunk ends, and another begins, when it is large or old.
 *
 * What cannot be taken stays, until there is no room for it: then events are left out and counted,
 * nobody waits. Knows neither files nor clocks: who drives it says what time it is. Not
 * thread-safe. Layout: docs/format/jfr.md.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/jfr_bytes.h"
#include "format/jfr_pools.h"
#include "format/jfr_schema.h"
#include "profile/event.h"

enum { JFR_OUT_HEADER = 16 }; /* bytes of a chunk's header that say how long it is */

struct custom_list;
struct jfr_out;
struct jfr_words;

/** One moment on two clocks. */
struct jfr_out_time {
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC, as events have it */
    uint64_t wall_ns;      /* since 1970 */
    int64_t gmt_offset_ms; /* of the local time */
};

/** Where the chunks go. */
struct jfr_out_target {
    /** Appends all of `bytes` or none. Errors: 0; -EAGAIN no room by now; another: for ever. */
    int (*append)(void *to, const void *bytes, size_t len);
    /**
     * Replaces what was appended at `offset`. Errors: 0; -EAGAIN not now; another: for ever. NULL:
     * nothing can be replaced.
     */
    int (*replace)(void *to, uint64_t offset, const void *bytes, size_t len);
    /**
     * Of who can replace: what is appended from now on goes behind `bytes`, which go to `offset`;
     * with them the file gets `length` bytes, more or less than it had. Errors: as append().
     */
    int (*start)(void *to, uint64_t offset, const void *bytes, size_t len, uint64_t length);
    /** The same: the file gets `length` bytes, behind all that was asked before. Errors: likewise.
     */
    int (*resize)(void *to, uint64_t length);
    /** A chunk has begun: what each is to say of the program may be put in. May be NULL. */
    void (*begin_chunk)(void *to, struct jfr_out *o, const struct jfr_out_time *now);
    void *to;
};

/** What each sample is: one event or the other, or both. */
enum jfr_out_samples { JFR_OUT_EXECUTION_SAMPLES = 1, JFR_OUT_CPU_TIME_SAMPLES = 2 };

struct jfr_out_config {
    struct profile *profile; /* what events refer to; borrowed */
    struct jfr_out_target target;
    /* A chunk that has so much, or lasts so long, ends; a file grows by so much. */
    uint64_t chunk_bytes, chunk_ns;
    uint64_t interval_ns; /* of samples: what stands for several is so many of them */
    unsigned samples_as;  /* enum jfr_out_samples */
    size_t piece_bytes;   /* the target takes no more at once; 0: it takes any number */
    size_t marks_bytes;   /* of memory for what a chunk has of the model */
    const struct custom_list *customs; /* types of events that the program defines; NULL: none */
};

/** A chunk that is being written. */
struct jfr_out_chunk {
    bool is_open;                    /* something of it has gone out */
    uint64_t offset, bytes;          /* where it begins; what has gone out of it */
    uint64_t checkpoint, metadata;   /* from its start on: the newest of each, 0 none */
    uint64_t start_ns, start_ticks;  /* the same moment on both clocks */
    uint64_t first_ticks, end_ticks; /* of its first event; of its last flush */
};

/** The file; nothing of it is used where the target is a stream. */
struct jfr_out_file {
    uint64_t length, at; /* its length; where the next bytes go */
    uint64_t filler;     /* where the filler in front of them begins */
    uint64_t shown;      /* the one that readers come to: what lies behind it is to be shown */
    uint64_t chunk;      /* where the newest chunk begins */
    uint64_t largest;    /* bytes that went out at once, of late */
    bool is_short;       /* it is to get its length */
    uint64_t flushes;
    struct {
        uint64_t chunk, filler; /* where they begin */
        bool is_long;           /* the header says that it reaches to the end of the file */
        bool has_filler;        /* which does so */
        uint64_t flush;         /* that set the header right */
    } before;                   /* the chunk that the newest one lies in the filler of */
};

struct jfr_out {
    struct jfr_out_config config;
    struct jfr_pools pools;
    struct jfr_bytes events, other; /* events that wait; what goes out in front of them */
    struct jfr_words *words;        /* room for the metadata */
    uint32_t waiting;               /* of the events */
    bool has_contexts;              /* some that wait have a place for a context */
    struct jfr_schema_keys keys;    /* of the chunk */
    struct jfr_out_chunk chunk;
    struct jfr_out_file file;
    uint64_t last_start_ns; /* of the last chunk: none begins at the same time */
    struct jfr_out_time now;
    uint32_t gc_count;
    uint64_t written, lost; /* events; `lost` found no room */
    int error;              /* the target's: all that follows is lost */
};

/** Errors: 0, -ENOMEM. Owner: jfr_out_close(). */
int jfr_out_open(struct jfr_out *o, const struct jfr_out_config *config,
                 const struct jfr_out_time *now);
/* ---- for jfr_put.c */

/** The program may have named keys or types of events since the last event. */
void jfr_out_note_keys(struct jfr_out *o);
/**
 * There is room for an event, which comes before the keys of what it names: with a flush a chunk
 * may end, and the next one has none of its constants. Where the target takes nothing all that
 * waits is left out.
 */
void jfr_out_make_room(struct jfr_out *o);
/** An event of this time has found room among `o->events`, or not. */
void jfr_out_count(struct jfr_out *o, bool has_put, uint64_t time_ns);

/* ---- */

/** An event that is none of the model's. Its keys are those of `o->pools`. */
void jfr_out_put(struct jfr_out *o, enum jfr_schema_type type,
                 const union jfr_schema_value *values);
/**
 * Let what there is go to the target; a chunk ends where it is due, or `is_end`. Returns o->error.
 */
int jfr_out_flush(struct jfr_out *o, const struct jfr_out_time *now, bool is_end);
/**
 * Between two flushes: in a file readers come to the events of the last one. They lie there hidden
 * for as long as a reader may need that has read the constants before. Returns o->error, or
 * -EAGAIN: the next flush does it.
 */
int jfr_out_show(struct jfr_out *o);
/** Gives the memory back. What was not flushed is gone. */
void jfr_out_close(struct jfr_out *o);
/** How many bytes the chunk has whose header begins so; 0: this is no header. */
uint64_t jfr_out_chunk_bytes(const unsigned char header[JFR_OUT_HEADER]);
