/*
 * jfr_printer.h - the state that the writers of `hprof jfr print` share: the output, texts to
 * reuse, and bounds.
 *
 * The text of a constant is kept by its key and its indentation, so writing the constant again only
 * costs a copy. Most of a recording's text is methods and classes.
 *
 * Constants refer to constants, so a file of 2 KB can describe more text than a disk holds.
 * Therefore the text has two bounds: one for the text of each event, and one for the text of all
 * events. The second grows with the bytes of the chunks and with the number of frames that are
 * shown of a stack. Bytes that are read but not shown count as text.
 *
 * Memory: 32 MB of kept texts, and the text of one event.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"
#include "jfr/jfr_chunk.h"

struct jfr_around;
struct jfr_field;
struct jfr_type;
struct jfr_value;
struct sink;

/** How a time is written that an event has in ticks. */
enum jfr_printer_clock {
    JFR_PRINTER_LOCAL, /* with the UTC offset of the machine that recorded */
    JFR_PRINTER_UTC,
    JFR_PRINTER_NANOTIME, /* as System.nanoTime(), if that is the recording's clock */
    JFR_PRINTER_TICKS,
};

enum {
    JFR_PRINTER_CONTEXTS = 64,        /* for one event; if there are more, the innermost */
    JFR_PRINTER_DEPTH = 1024,         /* nesting of constants: a chain of 512 references */
    JFR_PRINTER_EVENT_MAX = 64 << 20, /* bytes of text of one event */
    JFR_PRINTER_LEAST = 256 << 20,    /* bytes of text that every file may have */
    JFR_PRINTER_RATE = 512,    /* more bytes for each byte of a chunk, and as many for each frame */
    JFR_PRINTER_FRAMES = 2048, /* frames of a stack: no JVM writes more */
};

/** How much text may still come, and what was left out. */
struct jfr_printer_bound {
    uint64_t cut;       /* number of values left out: too deep, or too much for one event */
    size_t event_start; /* where the current event begins in the text */
    uint64_t left;      /* bytes of text that may still come for the chunks so far */
    uint64_t rate;      /* bytes of text that each byte of a chunk adds to `left` */
    uint64_t done;      /* bytes of text so far, and bytes that were read and not shown */
    uint64_t event_at;  /* offset of the current event in the file, for messages */
    uint64_t cut_at;    /* offset of the first event with a value that was left out */
};

struct jfr_printer;

/** Writes an event, or what it says about another event. */
typedef void jfr_printer_writer(struct jfr_printer *o, const struct jfr_type *type,
                                const struct jfr_record *record);

/** A way to write events. */
struct jfr_printer_style {
    void (*begin)(struct jfr_printer *o);
    jfr_printer_writer *event;
    void (*end)(struct jfr_printer *o);
    /* Writes what a contextual event says about other events, to be added to each of them; NULL: no
     * contexts. */
    jfr_printer_writer *context;
    bool is_data; /* the text is for other programs */
};

/** Text for people, JSON and XML, as the JDK's `jfr print` writes them; JSON and XML are the same
 * byte for byte. Text has contexts, JSON only if the user asks for them. */
extern const struct jfr_printer_style jfr_pretty_style, jfr_json_style, jfr_json_with_contexts,
    jfr_xml_style;

struct jfr_printer {
    struct textbuf text;
    struct sink *sink;
    const struct jfr_chunk *chunk;
    unsigned stack_depth;
    bool is_exact;
    enum jfr_printer_clock clock;
    unsigned indent, depth;
    struct jfr_printer_bound bound;
    bool is_first; /* no event has been written yet */
    char *texts;   /* the kept texts; its pages stay when they are forgotten */
    size_t texts_len;
    struct jfr_printer_kept *kept;
    size_t kept_count;
    char second[32]; /* the last time that was written, without its fraction */
    int64_t second_of;
    const struct jfr_around *contexts; /* contexts of events; NULL: not shown */
    uint64_t jvm;                      /* the chunk's JVM, if there are contexts: jfr_place.h */
    int64_t nanotime_ns;               /* System.nanoTime() at the time of the chunk's clock */
};

int jfr_printer_init(struct jfr_printer *o, struct sink *sink, unsigned stack_depth);
void jfr_printer_done(struct jfr_printer *o);
/** Begins a chunk. All kept texts are forgotten, because they belong to the last chunk. The bytes
 * of the new chunk allow more text. */
void jfr_printer_chunk(struct jfr_printer *o, const struct jfr_chunk *chunk);
/** Counts the text of a complete event, and passes the text to the sink if there is enough. */
void jfr_printer_end_event(struct jfr_printer *o);
/** Only counts the text of an event, because the text goes elsewhere. */
void jfr_printer_count_event(struct jfr_printer *o);
/** Counts bytes that were read for the event but are not shown. */
void jfr_printer_passes(struct jfr_printer *o, size_t len);
/** jfr_value_read() for the current chunk; counts the bytes that it reads as jfr_printer_passes()
 * does. */
void jfr_printer_read(struct jfr_printer *o, const struct jfr_field *field, struct leb *l,
                      struct jfr_value *ret_value);
/** jfr_value_element() for the current chunk; counts in the same way. */
void jfr_printer_element(struct jfr_printer *o, const struct jfr_value *array, struct leb *l,
                         struct jfr_value *ret_value);
/** Whether the text has reached its bound. Then no event may follow. */
static inline bool jfr_printer_is_used_up(const struct jfr_printer *o)
{
    return o->bound.left == 0;
}
/** Says what was not shown of the file, if anything. Returns whether all was shown. */
bool jfr_printer_say(const struct jfr_printer *o, const char *path);
/** Passes the text to the sink; to be called between two events. */
void jfr_printer_flush(struct jfr_printer *o);
/** Writes a text of the file without characters that could control a terminal. */
void jfr_printer_plain(struct jfr_printer *o, const char *text, size_t len);
/** Whether another value may be written. If it is too deep, or the text is too long, the value is
 * counted as left out, and the caller writes null. */
bool jfr_printer_may_go_on(struct jfr_printer *o);
/** Whether the event's text is full. Then the `count` remaining values of a structure or an array
 * are counted as left out. */
bool jfr_printer_leaves_out(struct jfr_printer *o, uint64_t count);
/** Writes the kept text of a constant at the current indentation. Returns whether there is one. */
bool jfr_printer_again(struct jfr_printer *o, const struct jfr_type *type, uint64_t key);
/** Keeps the text of a constant, which begins at `start`. */
void jfr_printer_keep(struct jfr_printer *o, const struct jfr_type *type, uint64_t key,
                      size_t start);
/** Whether the times of a field are written as plain numbers. */
bool jfr_printer_is_number(const struct jfr_printer *o, const struct jfr_field *f);
/** Writes a time as OffsetDateTime.toString does, or as a number. INT64_MIN: no time. */
void jfr_printer_stamp(struct jfr_printer *o, const struct jfr_field *f, int64_t number);
