/*
 * recording.h - a recording: what is measured from one start to one end, for one reader. It has
 * engines with settings, the sums that are counted for it, and its output.
 *
 * The option string of a load makes a recording, and so does the command start. Engines, names and
 * traces belong to the agent. This struct has what belongs to one recording: its options, tally,
 * output and writer. Engines tell the recording what they measure, and know no form of file.
 * Functions that take a recording need the agent's lock, unless they say otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "agent/output/output.h"
#include "format/writer.h"
#include "options/options.h"
#include "profile/profile.h"
#include "profile/quality.h"

struct agent;
struct engine;
struct life_loop;
struct outlet;

enum { RECORDING_NAME = 64 };

enum recording_ending {
    RECORDING_GOES_ON,
    RECORDING_ENDS, /* a thread has begun to end it */
    RECORDING_TOLD, /* its last tables are written: nothing stands below them */
};

struct recording {
    /* counts the starts of this VM, from 1; all files of a loop= have one number */
    uint32_t number;
    int place;        /* in agent.recordings */
    bool is_counting; /* engines count for it */
    enum recording_ending ending;
    bool is_of_options; /* begun by an option string, not by the command start */
    bool is_waiting;    /* waits for a trigger, which begins another recording with these options */
    uint32_t engines;   /* an engine_set: the engines of this recording */
    char name[RECORDING_NAME + 1];
    char *line; /* its option string */
    time_t began;
    uint64_t began_ns; /* CLOCK_MONOTONIC */
    /* the recording ends if nobody asks for it for so long; 0: it has no lease */
    uint64_t lease_ns;
    uint64_t lease_end_ns;  /* the time when the lease ends */
    uint64_t turn_ns;       /* the time when the next file of loop= begins; 0: there is no loop */
    struct life_loop *loop; /* the earlier files of loop=; NULL: there are none */
    struct options options;
    struct output output;
    struct tally *tally;
    struct writer_out out;       /* what is written; the output has room for one file */
    const struct outlet *outlet; /* which made the writer */
};

/** Whether a thread has begun to end it. Needs the agent's lock. */
static inline bool recording_is_ending(const struct recording *r)
{
    return r->ending != RECORDING_GOES_ON;
}

/**
 * Make the file or the connection of a recording, and its writer. Errors: 0, or negative after a
 * message. Context: any, with the lock of life held.
 */
int recording_create(struct agent *a, struct recording *r);
/**
 * Begin a recording; engines count for it if `has_joined`. A recording without a name is named by
 * its number.
 */
void recording_begin(struct recording *r, bool has_joined);
/** The VM runs: begin the file. `has_large_heap`: the VM may have 2 000 000 000 bytes or more. */
void recording_open(struct agent *a, struct recording *r, bool has_large_heap);
/** Whether the recording's writer can do, or needs, this. */
bool recording_can(const struct recording *r, enum writer_ability ability);
/** Flush the recording's output and its writer. */
void recording_flush(struct recording *r);
/** End the recording's file. Nothing is counted for the recording any more. */
void recording_end(struct recording *r);
/**
 * Whether the command that waited for the recording is gone. Needs no lock, but the recording must
 * not be freed meanwhile.
 */
bool recording_is_left(struct recording *r);
/** Write the rest, and close the file. The lock need not be held. */
void recording_close(struct recording *r);
/** Free what recording_create() has made. */
void recording_release(struct recording *r);
/** Seconds since it began. Context: any. */
double recording_seconds(const struct recording *r);

/** Count an event, and give it to the writer if it takes events. Errors: as profile_count(). */
int recording_count(struct agent *a, struct recording *r, const struct event *event);
/** Tell the writer that so many samples of a thread (0: unknown) were lost. */
void recording_lose(struct recording *r, thread_id thread, uint64_t samples);
/** Give the writer an event without counting it, because there are no sums of its kind. */
void recording_tell(struct recording *r, const struct event *event);
/**
 * Adapt the trace `whole` to this recording: no deeper than its depth=, and without a thread unless
 * thread=y. `whole` comes from JVM TI, so its frames have no kinds. 0: no memory. *ret_is_cut:
 * whether `whole` had more frames.
 */
trace_id recording_trace(struct agent *a, const struct recording *r, trace_id whole,
                         bool *ret_is_cut);
/** A thread has begun or ended. */
void recording_thread(struct recording *r, thread_id thread, bool has_begun);
/** The same, for all recordings. */
void recording_announce_thread(struct agent *a, thread_id thread, bool has_begun);
/** A class is met for the first time. */
void recording_announce_class(struct agent *a, struct recording *r, class_id klass);
/** As writer_load_class(), writer_unload_class(). */
void recording_load_class(struct recording *r, class_id klass, uint64_t object);
void recording_unload_class(struct recording *r, class_id klass);
/** What the recording's file has of the model; NULL: unknown. */
struct row_marks *recording_marks(struct recording *r);

/**
 * Write the table of all events of the kind that were counted; of samples those since the last
 * recording_next_table(). A writer that takes events has had them already. Without memory a message
 * says that the table is missing.
 */
void recording_table(struct recording *r, enum kind_id kind);
/** The same, ordered and cut off as `wanted` says. */
void recording_table_as(struct recording *r, const struct writer_sums *wanted);
/** The sums so far are in tables that were written: the next table begins. */
void recording_next_table(struct recording *r, enum kind_id kind);
/** Write a table that an engine has made. The cutoff is that of the options. */
void recording_rows(struct recording *r, struct writer_table *t);
/** As the functions of writer.h with these names. */
void recording_sites(struct recording *r, struct writer_sites *t);
void recording_summary(struct recording *r, const uint64_t total[KIND_VALUES]);
void recording_traces(struct recording *r);
void recording_timings(struct recording *r, const struct event_timing *rows, uint32_t count);
void recording_wait(struct recording *r, const struct writer_wait *wait);
void recording_monitors(struct recording *r, const struct writer_monitors *monitors);
void recording_untimed(struct recording *r, const struct writer_untimed *rows, uint32_t count);
/** Call this before tables are written: a file that was too slow may lack records. */
void recording_catch_up(struct recording *r);
/** How many numbers were larger than their field in the file. */
uint64_t recording_saturated(const struct recording *r);
/** Write the quality counts that the file has a place for. */
void recording_put_quality(struct recording *r);
/** Set a quality count of its file. */
void recording_set_quality(struct recording *r, enum quality which, uint64_t count);
/** Set several quality counts. */
void recording_set_qualities(struct recording *r, const struct quality_count *rows, size_t count);
