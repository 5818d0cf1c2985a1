/*
 * writer.h - makes the bytes of one file of what was measured.
 *
 * Each form of file has one const struct writer. A driver fills in a struct writer_out and calls
 * the functions below. They call the slots of the writer; for a slot that is NULL they do the
 * default that their descriptions name. There are two drivers. The command has a whole profile: it
 * calls writer_begin(), writer_event() for each sum, writer_moment(), writer_end(). The agent's
 * recording (agent/recording) also tells about threads and classes when they come, about single
 * events, about tables at each dump. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct profile;
struct row_marks;
struct sink;
struct tally;
struct writer;
struct writer_monitors;
struct writer_sites;
struct writer_wait;

/** A file that is being written. The driver fills in everything up to `room`; the writer fills in
 * the rest. */
struct writer_out {
    const struct writer *writer;
    struct profile *profile; /* what events refer to; borrowed */
    struct sink *sink;       /* borrowed; keeps the first failure of writing */
    /* The sums and quality counts that are written; NULL: those of the profile; borrowed. */
    struct tally *tally;
    /* Write package names with dots, in a format that usually has slashes. */
    bool has_dots;
    /* A method has a frame of its own for each way in which it ran: interpreted, compiled by C1,
     * ... */
    bool with_tiers;
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
    const char *source; /* name of the profile that was read; NULL: unknown */
    const char *title;  /* of the events; NULL: the title of their kind */
    uint32_t row;       /* number of the event that comes now, from 1 */
    /* An earlier profile, with which the profile is compared. */
    struct {
        bool is_given;
        bool is_whole;       /* the shares of both profiles are shares of its sum */
        bool is_now;         /* the events that come now are its events */
        const char *source;  /* its name; NULL: unknown */
        const char *verdict; /* result of the comparison in a sentence; or NULL */
    } before;
    /* The memory of a picture that is no comparison. */
    struct {
        /* How many bytes may be kept until end(); 0: no limit. */
        size_t bytes;
        /* Sums of the events that found no room (left_out.h). The driver adds events for which it
         * found no room itself. */
        uint64_t left_out[KIND_VALUES];
    } room;
    void *state;
    /* What the file has of the model, set by the writer; NULL: the writer does not know it. */
    struct row_marks *marks;
    /* How many numbers were larger than their field and became the largest number, counted by the
     * writer. */
    uint64_t saturated;
};

/** A table of events of one kind. Each row is a sum. */
struct writer_table {
    enum kind_id kind;
    /* Index of the value that decides the order of the rows. The shares are shares of this
     * value, too. */
    uint32_t ranked_by;
    struct event *rows; /* writer_table() sorts them, the largest first */
    uint32_t count;
    uint64_t total; /* sum of that value, also over rows that the table leaves out */
    double cutoff;  /* a fraction of the total: a table ends before the first row below it */
    uint32_t shown; /* so many rows are in the table; set by writer_table() */
    /* The rows are sums of events: a writer that takes events has had them. */
    bool is_of_events;
    bool is_rounded;                  /* times are not more exact than the printed shares */
    bool has_raw;                     /* CPU TIME: a table of the uncorrected times follows */
    double cost_inside, cost_outside; /* what was subtracted, in ns per call: docs/times-how.md */
};

/** Which sums of writer_out.tally become a table. */
struct writer_sums {
    enum kind_id kind;
    uint32_t ranked_by; /* as in struct writer_table */
    double cutoff;
};

/** A method whose calls are not timed, and the reason. */
struct writer_untimed {
    const char *why, *method;
};

/** What a writer can do, or needs. */
enum writer_ability {
    /* The files are for people to look at. The driver removes hidden frames from the stacks and
     * demangles names. Other files get the stacks as they are. */
    WRITER_PICTURE = 1,
    WRITER_CONTEXTS = 2,     /* a file has a place for what threads worked for */
    WRITER_PROCESSES = 4,    /* a file has a place for the processes of threads */
    WRITER_TIMES = 8,        /* a file shows when events happened: see writer_moment() */
    WRITER_NEEDS_TIMES = 16, /* a file without moments would show nothing */
    WRITER_TYPES = 32,       /* a file shows single events with the fields of their types */
    /* The events of an earlier profile may come, too, to compare both profiles. */
    WRITER_COMPARES = 64,
    WRITER_TIERS = 128,     /* frames must say how their code ran (enum frame_kind) */
    WRITER_CLASSES = 256,   /* a file has a record of each class that is loaded and unloaded */
    WRITER_TIMINGS = 512,   /* a file has a place for writer_timings() */
    WRITER_MONITORS = 1024, /* a file has a place for writer_monitors() */
};

struct writer {
    /* A set of kinds: a file can hold the events of all of them, with all their values; or
     * KIND_SET_ANY_ONE. */
    uint32_t kinds;
    unsigned abilities; /* enum writer_ability */
    int (*begin)(struct writer_out *o);
    void (*thread)(struct writer_out *o, thread_id thread, bool has_begun);
    void (*load_class)(struct writer_out *o, class_id klass, uint64_t object);
    void (*unload_class)(struct writer_out *o, class_id klass);
    int (*event)(struct writer_out *o, const struct event *event);
    int (*moment)(struct writer_out *o, uint32_t row, const struct event *event);
    void (*lost)(struct writer_out *o, thread_id thread, uint64_t samples);
    int (*sums)(struct writer_out *o, const struct writer_sums *wanted);
    void (*next)(struct writer_out *o, enum kind_id kind);
    int (*table)(struct writer_out *o, struct writer_table *t);
    int (*sites)(struct writer_out *o, struct writer_sites *t);
    void (*summary)(struct writer_out *o, const uint64_t total[KIND_VALUES]);
    void (*traces)(struct writer_out *o);
    void (*timings)(struct writer_out *o, const struct event_timing *rows, uint32_t count);
    void (*wait)(struct writer_out *o, const struct writer_wait *wait);
    void (*monitors)(struct writer_out *o, const struct writer_monitors *monitors);
    void (*untimed)(struct writer_out *o, const struct writer_untimed *rows, uint32_t count);
    void (*quality)(struct writer_out *o);
    void (*again)(struct writer_out *o);
    void (*flush)(struct writer_out *o);
    int (*end)(struct writer_out *o);
};

/*
 * A failure of the sink stays in the sink. Errors of all functions: 0; -ENOMEM; E_LIMIT: the file
 * cannot hold a number that large. Context: any; in the agent the lock is held.
 */

/** Whether files of a format can be written (`w` is not NULL) with this ability. */
static inline bool writer_can(const struct writer *w, enum writer_ability ability)
{
    return w && w->abilities & ability;
}

/** Begin the file. Call this first. */
static inline int writer_begin(struct writer_out *o)
{
    return o->writer->begin ? o->writer->begin(o) : 0;
}

/** A thread of the model has begun, or has ended. Default: nothing. */
static inline void writer_thread(struct writer_out *o, thread_id thread, bool has_begun)
{
    if (o->writer->thread)
        o->writer->thread(o, thread, has_begun);
}

/** A class is loaded; `object` is the id of the class's object, not 0. Default: nothing. */
static inline void writer_load_class(struct writer_out *o, class_id klass, uint64_t object)
{
    if (o->writer->load_class)
        o->writer->load_class(o, klass, object);
}

/** The VM has unloaded a class, which is in the file. Default: nothing. */
static inline void writer_unload_class(struct writer_out *o, class_id klass)
{
    if (o->writer->unload_class)
        o->writer->unload_class(o, klass);
}

/**
 * Take an event: a sum, or a single event with its time (event.time_ns) and its thread. Sums come
 * in any order. Single events come in the order in which they were taken from the threads; across
 * threads this is nearly the order of their times. In the command, with WRITER_TYPES, single events
 * come after all sums and all moments. Their event->custom belongs to the profile, and their value
 * 0 is the duration in ns. Default: nothing.
 */
static inline int writer_event(struct writer_out *o, const struct event *event)
{
    return o->writer->event ? o->writer->event(o, event) : 0;
}

/**
 * Take the time of an event. Called after the last event and in no order. `row` is the number of
 * the event (writer_out.row) that this moment is a part of. The moment has the kind, the time and
 * its share of that event's values. Default: nothing.
 */
static inline int writer_moment(struct writer_out *o, uint32_t row, const struct event *event)
{
    return o->writer->moment ? o->writer->moment(o, row, event) : 0;
}

/**
 * So many samples of a thread were lost because there was no room for their stacks. `thread` is 0
 * for a thread that has ended or is not a Java thread. Default: nothing.
 */
static inline void writer_lost(struct writer_out *o, thread_id thread, uint64_t samples)
{
    if (o->writer->lost)
        o->writer->lost(o, thread, samples);
}

/**
 * Write the table of all sums of a kind, if the file has a table for this kind. A table of samples
 * has the samples since writer_next() only. After -ENOMEM nothing was written. Default: nothing,
 * for a writer that takes the events themselves.
 */
static inline int writer_sums(struct writer_out *o, const struct writer_sums *wanted)
{
    return o->writer->sums && o->writer->kinds >> wanted->kind & 1 ? o->writer->sums(o, wanted) : 0;
}

/** The sums of a kind so far are in tables that were written: the next table begins here. Default:
 * nothing. */
static inline void writer_next(struct writer_out *o, enum kind_id kind)
{
    if (o->writer->next)
        o->writer->next(o, kind);
}

/**
 * Write a table: sums since the last dump, or values of one moment. Default: each row is an event.
 */
int writer_table(struct writer_out *o, struct writer_table *t);
/** Write a table of allocation sites, and what it refers to. Default: each row is a table. */
int writer_sites(struct writer_out *o, struct writer_sites *t);
/** Write the totals of all allocation sites, value by value. Default: nothing. */
static inline void writer_summary(struct writer_out *o, const uint64_t total[KIND_VALUES])
{
    if (o->writer->summary)
        o->writer->summary(o, total);
}

/** Write every trace that is not in the file yet, in the order of serial numbers. Default:
 * nothing. */
static inline void writer_traces(struct writer_out *o)
{
    if (o->writer->traces)
        o->writer->traces(o);
}

/** How long calls of methods took, since each method is timed. Default: nothing. */
static inline void writer_timings(struct writer_out *o, const struct event_timing *rows,
                                  uint32_t count)
{
    if (o->writer->timings)
        o->writer->timings(o, rows, count);
}

/** A thread begins or ends a wait (writer_monitors.h). Default: nothing. */
static inline void writer_wait(struct writer_out *o, const struct writer_wait *wait)
{
    if (o->writer->wait)
        o->writer->wait(o, wait);
}

/** The threads and monitors at one moment (writer_monitors.h). Default: nothing. */
static inline void writer_monitors(struct writer_out *o, const struct writer_monitors *monitors)
{
    if (o->writer->monitors)
        o->writer->monitors(o, monitors);
}

/** The methods that are not timed, sorted by the reason. Default: nothing. */
static inline void writer_untimed(struct writer_out *o, const struct writer_untimed *rows,
                                  uint32_t count)
{
    if (o->writer->untimed)
        o->writer->untimed(o, rows, count);
}

/** Write the quality counts, in a place where old readers do not look. Default: nothing. */
static inline void writer_quality(struct writer_out *o)
{
    if (o->writer->quality)
        o->writer->quality(o);
}

/**
 * Records may be missing in the file: write again what later records refer to, at once or when it
 * is needed. Default: nothing.
 */
static inline void writer_again(struct writer_out *o)
{
    if (o->writer->again)
        o->writer->again(o);
}

/** A dump has been written. Default: nothing. */
static inline void writer_flush(struct writer_out *o)
{
    if (o->writer->flush)
        o->writer->flush(o);
}

/** End the file, and free `state`. Call this last, also after a failure. */
static inline int writer_end(struct writer_out *o)
{
    return o->writer->end ? o->writer->end(o) : 0;
}
