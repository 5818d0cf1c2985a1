/*
 * reader.h - reads the files of one format into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed;
struct profile;
struct sieve;
struct window;

/** Why reading stopped and where, or which bytes were passed over; for a message of the form "FILE:
 * offset N: text". */
struct reader_error {
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

enum { READER_STATES = 128 }; /* bytes for a list of thread states */

/** What the user wants of a file. All zero: everything that has a place in the profile without
 * being asked for. Texts are borrowed. */
struct reader_want {
    /* Keep stacks apart by thread, if the reader has the choice. */
    bool with_threads;
    /* Keep the times of events (profile_moments()). Only for READER_TIMES. */
    bool with_times;
    /* Keep threads apart by process, if the file has several processes. */
    bool with_processes;
    /* Keep what threads worked for (profile_contexts()), if the file says so. */
    bool with_contexts;
    /* Keep single events with all their fields (profile_typed()). */
    bool with_types;
    /* Bit N: the user wants events of kind N, but others may come, too; 0: the user wants all
     * kinds. */
    uint32_t kinds;
    /* Only this key of the contexts, or this field, is wanted; NULL: all keys. */
    const char *by;
    /* Only single events of these types are wanted: names separated by commas, in which * stands
     * for any characters; NULL: all types. */
    const char *types;
    /* Types of events whose stacks the user wants to see, written like `types`. Events of these
     * types that have a stack are of the kind that is made for them (KIND_JFR_OF_USER); NULL: no
     * event is of this kind. */
    const char *drawn;
    /* States of threads, separated by commas: only samples of threads in these states are read;
     * NULL: all samples. Only for READER_TIMES. */
    const char *states;
};

/** A file that is being read. The driver fills in everything up to `position`; the reader fills in
 * the rest. */
struct reader_in {
    struct feed *feed; /* borrowed; has the beginning of the file */
    /* Filled by the reader; borrowed. The driver may put another profile here between two calls. */
    struct profile *profile;
    /* Which stacks are read; NULL: all; borrowed. Only for READER_SIEVED. */
    struct sieve *sieve;
    /* The range of time that is read; NULL: all; borrowed. Only for READER_TIMES. */
    struct window *window;
    struct reader_want want;
    /* The reader will not look at the bytes before this offset again. */
    uint64_t position;
    struct reader_error error;
    /* If `want.states` is set: the states that samples had, each with a blank in front. */
    char states_met[READER_STATES];
    /* At least one sample was in a state of `want.states`. */
    bool has_met_state;
    /* Bit N: the file may have events of kind N, wanted or not. */
    uint32_t kinds_met;
    void *state;
};

/** What a reader can do. */
enum reader_ability {
    /* The state of a reading refers to rows of the profile by their serial numbers only, so the
     * driver may put another profile into reader_in between two calls of next. */
    READER_FOLDABLE = 1,
    /* Files have stacks before their counts: if memory is short, the driver reads a file twice. */
    READER_SIEVED = 2,
    READER_TIMES = 4, /* a file says when events happened */
};

/**
 * Call open once, then next until it returns 0 or less, then close once, also after a failure.
 *
 * If a file is truncated or damaged, everything that was read before the damage stays in the
 * profile, and the error says where the damage is. Results of next: 1, there may be more; 0, the
 * end; negative, and in->error is filled. Never logs, never aborts.
 */
struct reader {
    /** How well the first `len` bytes fit: 0 not at all, 1 perhaps, 2 surely. */
    int (*probe)(const unsigned char *bytes, size_t len);
    int (*open)(struct reader_in *in);
    int (*next)(struct reader_in *in);
    void (*close)(struct reader_in *in);
    unsigned abilities; /* enum reader_ability */
};

/** Whether files of a format can be read (`r` is not NULL) with this ability. */
static inline bool reader_can(const struct reader *r, enum reader_ability ability)
{
    return r && r->abilities & ability;
}
