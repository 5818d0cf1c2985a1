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

/** Of formats that hold events of every kind. */
enum { FORMAT_KINDS_ALL = (1 << KIND_COUNT) - 1 };

/** Where and why reading stopped, or what was passed over: for a message of the form "FILE: offset
 * N: text". */
struct format_error {
    int code;           /* negative, see base/err.h */
    uint64_t offset;    /* byte in the file */
    uint64_t line;      /* text formats: line number from 1; 0 otherwise */
    const char *detail; /* static text, or NULL */
    uint64_t lost;      /* bytes that were passed over there; 0: none, or nobody knows */
    uint32_t others;    /* so many more places are damaged */
    bool is_passed;     /* what comes behind it was read, too */
};

enum { FORMAT_STATES = 128 }; /* bytes for the words of states */

/** A file that is being read. The driver fills in all down to `position`, the format the rest. */
struct format_in {
    struct feed *feed;       /* borrowed; has the beginning of the file */
    struct profile *profile; /* filled; borrowed. The driver may put another one here in between */
    struct sieve *sieve;     /* which stacks are read; NULL: all; borrowed. Of `is_sieved` alone */
    bool with_threads;       /* stacks are wanted by thread where a file's reader has the choice */
    bool with_times;         /* moments are wanted (profile_moments()); of `has_times` alone */
    struct window *window;   /* what is read; NULL: all; borrowed. Of `has_times` alone */
    bool with_processes;     /* threads are wanted with their processes, where a file has several */
    uint32_t kinds;          /* bit N: events of kind N are wanted, others may come; 0: all are */
    bool with_contexts;      /* what threads worked for is wanted, where a file says it */
    const char *by;          /* of that, this key or field alone; NULL: all */
    bool with_types;         /* single events are wanted with all their fields (profile_typed()) */
    const char *types;       /* of these types alone, names with * parted by commas; NULL: all */
    const char *drawn;       /* events of these types with a stack are of the kind for them
                              * (KIND_JFR_OF_USER), names as in `types`; NULL: of none */
    const char *states;      /* words of states of threads, parted by commas: only samples in these
                              * are read; NULL: all. Of `has_times` alone */
    uint64_t position;       /* the bytes before it are not looked at again */
    struct format_error error;
    char states_met[FORMAT_STATES]; /* of samples, where `states` are wanted: blank before each */
    bool has_met_state;             /* some were in one that is wanted */
    uint32_t kinds_met; /* bit N: the file may have events of kind N, which were wanted or not */
    void *state;
};

/** A file that is being written. The driver fills all but `state`, which is the format's own. */
struct format_out {
    struct profile *profile; /* what events refer to; borrowed */
    struct sink *sink;       /* borrowed; keeps the first failure of writing */
    bool has_dots;           /* packages are parted by dots, where the format has slashes */
    bool with_tiers;   /* a method that ran interpreted, compiled by C1 ... is one frame each */
    bool is_compared;  /* with an earlier profile */
    bool is_absolute;  /* shares of both are those of the earlier one's sum */
    bool is_before;    /* the events that come now are of that one */
    enum kind_id kind; /* of all events to come, where the format holds one kind; else the
                        * one that is shown first */
    uint32_t value;    /* and which of their values is written, 0 .. kind_value_count(kind) - 1 */
    uint32_t kinds;    /* bit N: events of kind N may come */
    uint32_t timed_kinds; /* bit N: moments may come of events of kind N, of each of them all */
    uint64_t first_ns, last_ns;         /* no moment is before and none behind; since the epoch */
    const char *source, *source_before; /* what was read, and what it is compared with; or NULL */
    const char *title;                  /* of the events; NULL: that of their kind */
    const char *verdict;                /* of a comparison, in a sentence; or NULL */
    uint32_t row;                       /* the number of the event that comes, from 1 */
    struct {
        size_t bytes;                   /* for what is kept until end(); 0: it has no bound */
        uint64_t left_out[KIND_VALUES]; /* of events that found no room (left_out.h), the driver's
                                         * own ones too */
    } room;                             /* of pictures that are no comparison */
    void *state;
};

struct format {
    const char *name;     /* as users write it: hprof-text */
    const char *help;     /* one line */
    const char *suffixes; /* blank-separated: ".txt .hprof.txt" */
    /**
     * How well the first `len` bytes fit: 0 not at all, 1 perhaps, 2 surely. This and the
     * three for reading are NULL where files of the format are only written.
     */
    int (*probe)(const unsigned char *bytes, size_t len);
    /**
     * Read into the profile: open once, next until it returns 0 or less, close once, also after a
     * failure. Between two calls of next nothing refers to a row of the profile but its serial
     * numbers, if `is_foldable`. What is there is read: on a truncated or damaged file what was
     * read before the damage stays in the profile and the error says where it was. Errors: 1, there
     * may be more; 0 the end; negative with in->error filled. Never logs, never aborts.
     */
    int (*open)(struct format_in *in);
    int (*next)(struct format_in *in);
    void (*close)(struct format_in *in);
    bool is_foldable;
    bool is_sieved; /* stacks come before their counts: who has too little room reads twice */
    bool has_times; /* a file says when events were */
    /**
     * Bit N: a file holds events of kind N, with all their values, beside those of all other such
     * kinds. 0: one value of the events of one kind, any.
     */
    uint32_t kinds;
    /**
     * For people to look at: where the command writes it, stacks are without hidden frames, names
     * demangled. Other formats keep stacks as they are.
     */
    bool is_picture;
    bool has_contexts;  /* a file that is written has a place for what threads worked for */
    bool has_processes; /* and for the processes that threads are of */
    bool needs_times;   /* it shows nothing without moments */
    bool has_types;     /* it shows single events with the fields of their types */
    bool compares; /* events may come of an earlier profile, too, to be compared with the others */
    /**
     * Write: begin once, event for each event in any order, end once, also after a failure. Behind
     * all others and all moments come single events, where they are shown: event->custom, which is
     * the profile's own; their value 0 is how long they took in ns. All three are NULL where files
     * of the format are only read. What goes wrong with the sink stays there. Errors: 0; -ENOMEM;
     * E_LIMIT, the format cannot hold so much. Context: any.
     */
    int (*begin)(struct format_out *o);
    int (*event)(struct format_out *o, const struct event *event);
    /**
     * Behind the last event, of formats that show times; NULL: they do not. Each moment has the
     * kind, the time and its share of the values of the event that came as number `row`. In no
     * order. Errors as above.
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
/** The format that can be written and has the longest suffix of this file name, or NULL. */
const struct format *format_for_file(const char *path);
/** The format whose probe fits best, or NULL. */
const struct format *format_probe(const unsigned char *bytes, size_t len);
