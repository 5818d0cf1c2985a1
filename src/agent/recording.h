/*
 * recording.h - what is measured from one start to one end, for one reader: engines with settings,
 * the sums that were counted for it, and where they go.
 *
 * The option string of a load makes one, as the command start does. Engines, names and traces are
 * the agent's; what is in this struct is one recording's own: its options, its tally, its file, its
 * outlets. Functions that take a recording need the agent's lock, unless they say otherwise.
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
    uint32_t number;    /* counts the starts of this VM, from 1; files of loop= are of one */
    int place;          /* in agent.recordings */
    bool is_counting;   /* engines count for it */
    bool is_ending;     /* somebody has told it to end */
    bool is_of_options; /* begun by an option string, not by the command start */
    bool is_waiting;    /* for a trigger: another one with its options begins then */
    uint32_t engines;   /* that it has: an engine_set */
    char name[RECORDING_NAME + 1];
    char *line; /* its option string */
    time_t began;
    uint64_t began_ns;      /* CLOCK_MONOTONIC */
    uint64_t lease_ns;      /* it ends when nobody asks for it for so long; 0: it does not */
    uint64_t lease_end_ns;  /* then */
    uint64_t turn_ns;       /* then another one with a new file follows; 0: none does */
    struct life_loop *loop; /* the files of those before it; NULL: there are none */
    struct options options;
    struct output output;
    struct tally *tally;
    struct {
        const struct outlet *row;
        void *self;
    } outlets[RECORDING_OUTLETS];
    uint32_t outlet_count;
};

/** Makes the file of a recording, or the connection, and its outlets. Errors: 0, or negative after
 * a message. Context: any, with the lock of life held. */
int recording_create(struct agent *a, struct recording *r);
/** A recording begins: engines count for it if it `has_joined` them. Without a name it is called by
 * its number. */
void recording_begin(struct recording *r, bool has_joined);
/** The VM lives: headers. `large_heap` as for output_begin(). */
void recording_open(struct agent *a, struct recording *r, int large_heap);
/** Whether an outlet of it wants frames that say how their code ran. */
bool recording_has_kinds(const struct recording *r);
/** Let everything go to its file and outlets. */
void recording_flush(struct recording *r);
/** Nothing is counted for it any more: its outlets end. */
void recording_end(struct recording *r);
/** Whether a command has waited for it, and does so no more. Needs no lock but that it is there. */
bool recording_is_left(struct recording *r);
/** Write what is left, and close the file. Context: also without the lock. */
void recording_close(struct recording *r);
/** Give back what recording_create() has taken. */
void recording_release(struct recording *r);
/** Seconds since it began. Context: any. */
double recording_seconds(const struct recording *r);

/** Count an event, which its outlets hear of. Errors: as profile_count(). */
int recording_count(struct agent *a, struct recording *r, const struct event *event);
/** Its outlets hear that so many samples of a thread, 0: unknown, were lost. */
void recording_lose(struct recording *r, thread_id thread, uint64_t samples);
/** Its outlets hear of an event that is not counted: there are no sums of its kind. */
void recording_tell(struct recording *r, const struct event *event);
/**
 * A trace as this recording has it: no deeper than its depth=, and of no thread but with thread=y.
 * `whole` is of JVM TI, so its frames have no kinds. 0: no memory. *ret_is_cut: whether it had more
 * frames.
 */
trace_id recording_trace(struct agent *a, const struct recording *r, trace_id whole,
                         bool *ret_is_cut);
/** A thread has begun or ended: into the files of all. */
void recording_announce_thread(struct agent *a, thread_id thread, bool has_begun);
/** A class is met for the first time: its record, in a file that has one of each. */
void recording_announce_class(struct agent *a, struct recording *r, class_id klass);
/** A table goes into its file, and its rows to its outlets. */
void recording_table(struct recording *r, struct hprof_out_table *t);
/** Whether an outlet of it takes timings. */
bool recording_takes_timings(const struct recording *r);
/** How long calls of methods took: for its outlets. */
void recording_timings(struct recording *r, const struct event_timing *rows, uint32_t count);
/** A table of allocation sites, likewise. */
void recording_sites(struct recording *r, struct hprof_sites *t);
/** A quality count of its file. */
void recording_set_quality(struct recording *r, enum quality which, uint64_t count);
/** Several of them. */
void recording_set_qualities(struct recording *r, const struct quality_count *rows, size_t count);
