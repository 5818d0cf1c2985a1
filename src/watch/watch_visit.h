/*
 * watch_visit.h - a visit at one JVM: begins its recording or renews its lease, and takes the files
 * that are finished. It runs in a child process.
 *
 * The agent in the JVM keeps a recording that begins a new file now and then (loop=), and that ends
 * if nobody asks for it (lease=). So a restart of this process changes nothing in the JVM, and when
 * this process is gone for good, the JVM soon records no more. The agent keeps more finished files
 * than it makes while the lease lasts.
 * Context: any, not signal; one thread; it takes on the identity of the JVM's user.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "watch/watch_fetch.h"
#include "watch/watch_state.h"

struct watch_conf;
struct watch_spool;

/** The name by which the agent knows the recording. */
#define WATCH_VISIT_NAME "hprof-watch"

enum watch_visit_end {
    WATCH_VISIT_FAILED, /* also if the child was killed */
    WATCH_VISIT_RECORDS,
    WATCH_VISIT_STOPPED, /* nothing is recorded any more, as was wanted */
    WATCH_VISIT_OTHERS,  /* another process like this one records this JVM */
    WATCH_VISIT_GONE,    /* the JVM has ended; what it left was taken */
};

/** What is wanted. */
struct watch_visit {
    const struct watch_conf *conf;
    const struct watch_spool *spool;
    const char *library;               /* NULL: the library that this program carries */
    struct watch_state state;          /* of the recording */
    bool is_known;                     /* the state is in the spool: a recording may run */
    const struct watch_labels *labels; /* of the next recording */
    bool wants;                        /* the JVM is to be recorded */
    bool restarts;                     /* the recording is to begin again */
    unsigned level;                    /* how much is to be thinned */
    unsigned pace;                     /* files and lease are so many times as long */
    int tmp;                           /* the JVM's /tmp; -1: it is not held */
};

/** What came of it; a child gives it to its parent. */
struct watch_visit_result {
    enum watch_visit_end end;
    uint64_t token; /* of the recording that runs now */
    bool began;     /* a recording was begun */
    bool is_unseen; /* the JVM has ended, and the folder with its files is gone, too */
    struct watch_fetched fetched;
    unsigned level;
    double event_rate;     /* events that the agent took in each second; < 0: unknown */
    uint64_t agent_cpu_ns; /* of the agent's threads, since the JVM began */
};

/** Visits a live JVM. */
void watch_visit(struct watch_visit *v, struct watch_visit_result *ret);
/** Takes what a JVM left that has ended. If its /tmp is not held, looks for the folder. */
void watch_visit_left(struct watch_visit *v, struct watch_visit_result *ret);
