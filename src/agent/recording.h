/*
 * recording.h - a recording: what is measured from one start to one end, for one reader. It has
 * engines with settings, the sums that are counted for it, and its output.
 *
 * The option string of a load makes a recording, and so does the command start. Engines, names and
 * traces belong to the agent. This struct has what belongs to one recording: its options, tally,
 * file and outlets. Functions that take a recording need the agent's lock, unless they say
 * otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "agent/output.h"
#include "options/options.h"
#include "profile/profile.h"
#include "profile/quality.h"

struct agent;
struct engine;
struct event_timing;
struct hprof_out_table;
struct hprof_sites;
struct life_loop;
struct outlet;

enum { RECORDING_NAME = 64, RECORDING_OUTLETS = 4 };

struct recording {
    /* counts the starts of this VM, from 1; all files of a loop= have one number */
    uint32_t number;
    int place;          /* in agent.recordings */
    bool is_counting;   /* engines count for it */
    bool is_ending;     /* a thread has begun to end it */
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
    struct {
        const struct outlet *row;
        void *self;
    } outlets[RECORDING_OUTLETS];
    uint32_t outlet_count;
};

/**
 * Make the file or the connection of a recording, and its outlets. Errors: 0, or negative after a
 * message. Context: any, with the lock of life held.
 */
int recording_create(struct agent *a, struct recording *r);
/**
 * Begin a recording; engines count for it if `has_joined`. A recording without a name is named by
 * its number.
 */
void recording_begin(struct recording *r, bool has_joined);
/** The VM runs: write the headers and begin the outlets. `large_heap` as for output_begin(). */
void recording_open(struct agent *a, struct recording *r, int large_heap);
/** Whether one of the recording's outlets wants frames that say how their code ran. */
bool recording_has_kinds(const struct recording *r);
/** Flush the recording's file and its outlets. */
void recording_flush(struct recording *r);
/** End the recording's outlets. Nothing is counted for the recording any more. */
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

/** Count an event, and give it to the outlets. Errors: as profile_count(). */
int recording_count(struct agent *a, struct recording *r, const struct event *event);
/** Tell the outlets that so many samples of a thread (0: unknown) were lost. */
void recording_lose(struct recording *r, thread_id thread, uint64_t samples);
/** Give the outlets an event without counting it, because there are no sums of its kind. */
void recording_tell(struct recording *r, const struct event *event);
/**
 * Adapt the trace `whole` to this recording: no deeper than its depth=, and without a thread unless
 * thread=y. `whole` comes from JVM TI, so its frames have no kinds. 0: no memory. *ret_is_cut:
 * whether `whole` had more frames.
 */
trace_id recording_trace(struct agent *a, const struct recording *r, trace_id whole,
                         bool *ret_is_cut);
/** Write the beginning or end of a thread into the files of all recordings. */
void recording_announce_thread(struct agent *a, thread_id thread, bool has_begun);
/** A class is met for the first time: write its record, if the file has a record for each class. */
void recording_announce_class(struct agent *a, struct recording *r, class_id klass);
/** Write the table of all events of the kind that were counted, if the file has a table for it; the
 * outlets have had each event. Without memory a message says that the table is missing. */
void recording_put_events(struct recording *r, enum kind_id kind);
/** Write the table of samples since the last recording_next_samples(). */
void recording_put_samples(struct recording *r);
/** The samples so far are in tables that were written: the next table begins. */
void recording_next_samples(struct recording *r);
/** Write the quality counts that the file has a place for. */
void recording_put_quality(struct recording *r);
/** Write a table into the file, and give its rows to the outlets. */
void recording_table(struct recording *r, struct hprof_out_table *t);
/** Whether one of its outlets takes timings. */
bool recording_takes_timings(const struct recording *r);
/** Give the outlets how long calls of methods took. */
void recording_timings(struct recording *r, const struct event_timing *rows, uint32_t count);
/** Write a table of allocation sites into the file, and give its rows to the outlets. */
void recording_sites(struct recording *r, struct hprof_sites *t);
/** Set a quality count of its file. */
void recording_set_quality(struct recording *r, enum quality which, uint64_t count);
/** Set several quality counts. */
void recording_set_qualities(struct recording *r, const struct quality_count *rows, size_t count);
