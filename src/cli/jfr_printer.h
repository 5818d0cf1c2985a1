/*
 * jfr_printer.h - what the writers of `hprof jfr print` share: where they write, and what they may
 * not pass.
 *
 * A constant that is written again costs a copy of its text, which is kept by its key and its
 * indentation: methods and classes are most of what a recording says.
 *
 * Constants name constants, so a file of 2 KB can say what no disk holds. The work has two bounds:
 * the text of one event, and the text of all events, which grows with the bytes of the chunks and
 * with the frames that are shown of a stack. Bytes that are read and not shown count as text.
 * Memory: 32 MB of such texts, and the text of one event.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/textbuf.h"
#include "jfr/jfr_chunk.h"

struct jfr_around;
struct jfr_field;
struct jfr_type;
struct jfr_value;
struct sink;

/** How moments are written that the events have in ticks. */
enum jfr_printer_clock {
    JFR_PRINTER_LOCAL, /* at the offset of the machine that recorded */
    JFR_PRINTER_UTC,
    JFR_PRINTER_NANOTIME, /* as System.nanoTime() had it, where that is the recording's clock */
    JFR_PRINTER_TICKS,
};

enum {
    JFR_PRINTER_CONTEXTS = 64,        /* of one event: of more the inner ones */
    JFR_PRINTER_DEPTH = 1024,         /* constants within constants: 512 references of a chain */
    JFR_PRINTER_EVENT_MAX = 64 << 20, /* bytes of one event */
    JFR_PRINTER_LEAST = 256 << 20,    /* bytes of text that any file may have */
    JFR_PRINTER_RATE = 512,           /* more of them for a byte of a chunk, and for each frame */
    JFR_PRINTER_FRAMES = 2048,        /* of a stack: no JVM writes more */
};

/** What of the text may still come, and what did not. */
struct jfr_printer_bound {
    uint64_t cut;       /* values that were not written: too deep, or too much for one event */
    size_t event_start; /* where the present event begins in the text */
    uint64_t left;      /* bytes of text that may still come of the chunks so far */
    uint64_t rate;      /* how much a byte of a chunk adds to these */
    uint64_t done;      /* bytes of text that have come, and of what was read and not shown */
    uint64_t event_at;  /* offset of the present event in the file, for messages */
    uint64_t cut_at;    /* that of the first event of which values were not written */
};

struct jfr_printer {
    struct textbuf text;
    struct sink *sink;
    const struct jfr_chunk *chunk;
    unsigned stack_depth;
    bool is_exact;
    enum jfr_printer_clock clock;
    unsigned indent, depth;
    struct jfr_printer_bound bound;
    bool is_first; /* no event was written yet */
    char *texts;   /* that are kept; its pages stay when they are forgotten */
    size_t texts_len;
    struct jfr_printer_kept *kept;
    size_t kept_count;
    char second[32]; /* the last time that was written, up to its second */
    int64_t second_of;
    const struct jfr_around *contexts; /* of the events; NULL: none are to be shown */
    uint64_t jvm;                      /* of the chunk, where there are contexts: jfr_place.h */
    int64_t nanotime_ns;               /* System.nanoTime at the moment of the chunk's clock */
};

int jfr_printer_init(struct jfr_printer *o, struct sink *sink, unsigned stack_depth);
void jfr_printer_done(struct jfr_printer *o);
/** Another chunk: nothing that is kept has a meaning any more, and its bytes allow more text. */
void jfr_printer_chunk(struct jfr_printer *o, const struct jfr_chunk *chunk);
/** Counts the text of an event that is whole, and hands it to the sink where it is long enough. */
void jfr_printer_end_event(struct jfr_printer *o);
/** Counts its text alone, where that goes elsewhere. */
void jfr_printer_count_event(struct jfr_printer *o);
/** Counts bytes that were read for the event and are not shown. */
void jfr_printer_passes(struct jfr_printer *o, size_t len);
/** jfr_value_read() of the present chunk; the bytes that it reads count as passed. */
void jfr_printer_read(struct jfr_printer *o, const struct jfr_field *field, struct leb *l,
                      struct jfr_value *ret_value);
/** jfr_value_element(), likewise. */
void jfr_printer_element(struct jfr_printer *o, const struct jfr_value *array, struct leb *l,
                         struct jfr_value *ret_value);
/** Whether the text has its bound: no further event is to be written. */
static inline bool jfr_printer_is_used_up(const struct jfr_printer *o)
{
    return o->bound.left == 0;
}
/** Says what of the file was not shown, if anything. Returns whether all was. */
bool jfr_printer_say(const struct jfr_printer *o, const char *path);
/** Hands all of it to the sink, between two events. */
void jfr_printer_flush(struct jfr_printer *o);
/** Writes what a file says, which may not drive a terminal. */
void jfr_printer_plain(struct jfr_printer *o, const char *text, size_t len);
/** Whether a value may still be written, or would be too deep, or too much, which is counted: null
 * stands in its place. */
bool jfr_printer_may_go_on(struct jfr_printer *o);
/** Whether the event has all that may be written of it: so many further values of a structure or an
 * array are left out, and counted. */
bool jfr_printer_leaves_out(struct jfr_printer *o, uint64_t count);
/** Writes the text of a constant again, at this indentation. Returns whether it is kept. */
bool jfr_printer_again(struct jfr_printer *o, const struct jfr_type *type, uint64_t key);
/** Keeps what was written of a constant from `start` on. */
void jfr_printer_keep(struct jfr_printer *o, const struct jfr_type *type, uint64_t key,
                      size_t start);
/** Whether the moments of a field are written as mere numbers. */
bool jfr_printer_is_number(const struct jfr_printer *o, const struct jfr_field *f);
/** A moment, as OffsetDateTime has it, or a number. INT64_MIN: there is none. */
void jfr_printer_stamp(struct jfr_printer *o, const struct jfr_field *f, int64_t number);
