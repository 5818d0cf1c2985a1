/*
 * format.h - the registry of file formats.
 *
 * Each format is one file format_NAME.c that exports one `const struct format`; the list in
 * meson.build is the whole registry, and the table format_all[] is made from it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct feed;
struct profile;
struct sieve;
struct sink;
struct window;

/** The kinds of a format that holds events of every kind. */
enum { FORMAT_KINDS_ALL = (1 << KIND_COUNT) - 1 };

/** Why reading stopped and where, or which bytes were passed over; for a message of the form "FILE:
 * offset N: text". */
struct format_error {
    int code;        /* negative, see base/err.h */
    uint64_t offset; /* of the byte in the file */
    /* In a text format, the number of the line, from 1; otherwise 0. */
    uint64_t line;
    const char *detail; /* static text, or NULL */
    /* How many bytes were passed over at `offset`; 0: none, or the number is unknown. */
    uint64_t lost;
    uint32_t others; /* how many more places are damaged */
    bool is_passed;  /* what comes behind the place was read, too */
};

enum { FORMAT_STATES = 128 }; /* bytes for a list of thread states */

/** A file that is being read. The driver fills in everything up to `position`; the format fills in
 * the rest. */
struct format_in {
    struct feed *feed; /* borrowed; has the beginning of the file */
    /* Filled by the format; borrowed. The driver may put another profile here between two calls. */
    struct profile *profile;
    /* Which stacks are read; NULL: all; borrowed. Only for formats with `is_sieved`. */
    struct sieve *sieve;
    /* Keep stacks apart by thread, if the reader has the choice. */
    bool with_threads;
    /* Keep the times of events (profile_moments()). Only for formats with `has_times`. */
    bool with_times;
    /* The range of time that is read; NULL: all; borrowed. Only for formats with `has_times`. */
    struct window *window;
    /* Keep threads apart by process, if the file has several processes. */
    bool with_processes;
    /* Bit N: the user wants events of kind N, but others may come, too; 0: the user wants all
     * kinds. */
    uint32_t kinds;
    /* Keep what threads worked for (profile_contexts()), if the file says so. */
    bool with_contexts;
    /* Only this key of the contexts, or this field, is wanted; NULL: all keys. */
    const char *by;
    /* Keep single events with all their fields (profile_typed()). */
    bool with_types;
    /* Only single events of these types are wanted: names separated by commas, in which * stands
     * for any characters; NULL: all types. */
    const char *types;
    /* Types of events whose stacks the user wants to see, written like `types`. Events of these
     * types that have a stack are of the kind that is made for them (KIND_JFR_OF_USER); NULL: no
     * event is of this kind. */
    const char *drawn;
    /* States of threads, separated by commas: only samples of threads in these states are read;
     * NULL: all samples. Only for formats with `has_times`. */
    const char *states;
    /* The reader will not look at the bytes before this offset again. */
    uint64_t position;
    struct format_error error;
    /* If `states` is set: the states that samples had, each with a blank in front. */
    char states_met[FORMAT_STATES];
    /* At least one sample was in a state of `states`. */
    bool has_met_state;
    /* Bit N: the file may have events of kind N, wanted or not. */
    uint32_t kinds_met;
    void *state;
};

/** A file that is being written. The driver fills in everything except `state`, which belongs to
 * the format. */
struct format_out {
    struct profile *profile; /* what events refer to; borrowed */
    struct sink *sink;       /* borrowed; keeps the first failure of writing */
    /* Write package names with dots, in a format that usually has slashes. */
    bool has_dots;
    /* A method has a frame of its own for each way in which it ran: interpreted, compiled by C1,
     * ... */
    bool with_tiers;
    bool is_compared; /* the profile is compared with an earlier one */
    /* The shares of both profiles are shares of the earlier profile's sum. */
    bool is_absolute;
    /* The events that come now are those of the earlier profile. */
    bool is_before;
    /* If the format holds one kind: the kind of all events. Otherwise: the kind that is shown
     * first. */
    enum kind_id kind;
    /* Which value of `kind` is written or shown first: 0 .. kind_value_count(kind) - 1. */
    uint32_t value;
    uint32_t kinds; /* bit N: events of kind N may come */
    /* Bit N: for every event of kind N all moments come. */
    uint32_t timed_kinds;
    /* No moment is before `first_ns` or after `last_ns`; ns since the epoch. */
    uint64_t first_ns, last_ns;
    /* Names of the profile that was read, and of the one compared with it; NULL: unknown. */
    const char *source, *source_before;
    const char *title;   /* of the events; NULL: the title of their kind */
    const char *verdict; /* result of a comparison in a sentence; or NULL */
    uint32_t row;        /* number of the event that comes now, from 1 */
    /* The memory of a picture that is no comparison. */
    struct {
        /* How many bytes may be kept until end(); 0: no limit. */
        size_t bytes;
        /* Sums of the events that found no room (left_out.h). The driver adds events for which it
         * found no room itself. */
        uint64_t left_out[KIND_VALUES];
    } room;
    void *state;
};

struct format {
    const char *name;     /* as users write it: hprof-text */
    const char *help;     /* one line */
    const char *suffixes; /* separated by blanks: ".txt .hprof.txt" */
    /**
     * How well the first `len` bytes fit: 0 not at all, 1 perhaps, 2 surely. This function and the
     * three functions for reading are NULL if the command only writes files of the format.
     */
    int (*probe)(const unsigned char *bytes, size_t len);
    /**
     * Read a file into the profile. Call open once, then next until it returns 0 or less, then
     * close once, also after a failure.
     *
     * `is_foldable`: the state of a reading refers to rows of the profile by their serial numbers
     * only, so the driver may put another profile into `in` between two calls of next.
     *
     * If a file is truncated or damaged, everything that was read before the damage stays in the
     * profile, and the error says where the damage is. Results of next: 1, there may be more; 0,
     * the end; negative, and in->error is filled. Never logs, never aborts.
     */
    int (*open)(struct format_in *in);
    int (*next)(struct format_in *in);
    void (*close)(struct format_in *in);
    bool is_foldable;
    /* Files have stacks before their counts: if memory is short, the driver reads a file twice. */
    bool is_sieved;
    bool has_times; /* a file says when events happened */
    /**
     * Bit N: a file can hold events of kind N with all their values, together with events of all
     * other kinds of this set. 0: a file holds one value of the events of one kind, which may be
     * any kind.
     */
    uint32_t kinds;
    /**
     * The files are for people to look at. Before the command writes such a file it removes hidden
     * frames from the stacks and demangles names. Other formats get the stacks as they are.
     */
    bool is_picture;
    /* A written file has a place for what threads worked for. */
    bool has_contexts;
    /* A written file has a place for the processes of threads. */
    bool has_processes;
    bool needs_times; /* a file without moments would show nothing */
    bool has_types;   /* a file shows single events with the fields of their types */
    /* The format can write events of an earlier profile, too, to compare both profiles. */
    bool compares;
    /**
     * Write a file. Call begin once, then event for each event in any order, then end once, also
     * after a failure.
     *
     * If `has_types`, single events come after all other events and all moments. A single event has
     * event->custom, which belongs to the profile; its value 0 is its duration in ns.
     *
     * All three functions are NULL if files of the format are only read. A failure of the sink
     * stays in the sink. Errors: 0; -ENOMEM; E_LIMIT: the format cannot hold a number that large.
     * Context: any.
     */
    int (*begin)(struct format_out *o);
    int (*event)(struct format_out *o, const struct event *event);
    /**
     * Add the time of an event. Called after the last event and in no order; NULL: the format shows
     * no times. `row` is the number of the event (format_out.row) that this moment is a part of.
     * The moment has the kind, the time and its share of that event's values. Errors: as above.
     */
    int (*moment)(struct format_out *o, uint32_t row, const struct event *event);
    int (*end)(struct format_out *o);
};

/** Read a whole file that lies in memory. Errors: 0, or negative with *ret_error filled. */
int format_read(const struct format *format, const void *bytes, size_t len, struct profile *profile,
                struct format_error *ret_error);
/** All formats, in the order of the list in meson.build; NULL at the end. */
extern const struct format *const format_all[];
const struct format *format_named(const char *name);
/** The format that can be written and whose suffix is the longest one that the file name ends with;
 * NULL: none. */
const struct format *format_for_file(const char *path);
/** The format that fits the bytes best; NULL: none fits. */
const struct format *format_probe(const unsigned char *bytes, size_t len);
