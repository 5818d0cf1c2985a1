/*
 * top_jvm.h - reads one JVM again and again from outside: its threads with their CPU time, frames
 * and allocations, and its counters.
 *
 * A look stops all threads while their stacks are copied, as `hprof stack` does. The time between
 * two looks is so long that the JVM stands still for at most one hundredth of it. Without stops
 * (`no_stop`), frames are read while the JVM runs, and the frames of running threads are not known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/arena.h"
#include "hotspot/java_threads.h"
#include "hotspot/vm_stop.h"
#include "jvm/counters_source.h"
#include "jvm/heap_counters.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "process/task_times.h"
#include "snapshot/snapshot.h"
#include "top/top_methods.h"
#include "top/top_page.h"

struct jvm;

/* How much a thread had allocated at the last page, by the thread's Java id. */
struct top_allocated {
    int64_t id;
    uint64_t bytes;
};

/* One reading of all counters. */
struct top_reading {
    uint64_t at_ns;
    uint64_t cpu_ns; /* CPU time of the whole process */
    struct task_times tasks;
    struct heap_counters heap;       /* as the counters have it */
    double uncounted_s;              /* of a stop at this moment, which they do not have yet */
    struct top_allocated *allocated; /* sorted by id */
    uint32_t allocated_count;
};

struct top_task {
    pid_t tid;
    char state;
};

/* The frames of Java threads at the last stop, for pages that are made without a stop. */
struct top_kept {
    struct arena arena;
    struct top_thread *rows; /* sorted by tid; only tid and frames are set */
    uint32_t count;
    uint64_t at_ns;
};

struct top_jvm {
    const char *word; /* its name in messages */
    bool no_stop;
    struct mem_stop_bound bound; /* the bound of each stop */
    bool has_counters;
    struct mem_live live;
    struct snapshot snapshot;
    struct java_threads_allocated allocated;
    struct counters_source counters;
    struct top_methods methods;
    struct top_task *tasks; /* from the last look, sorted by tid */
    uint32_t task_count;
    struct top_reading before;
    struct arena arena; /* holds the texts of the page */
    struct top_kept kept;
    struct top_page page;
    char *name, *version;
    uint64_t began_ns; /* when this command began to watch */
    uint64_t began;    /* when the JVM began: process_began() */
    struct vm_stop stop;
};

/**
 * Opens the JVM and looks once. A stop lasts at most `most_ns`; 0: no bound. Errors: 0; CMD_FAILED
 * after saying why. Owner: top_jvm_close(), also after an error.
 */
int top_jvm_open(struct top_jvm *t, const struct jvm *jvm, const char *word, bool no_stop,
                 uint64_t most_ns);
void top_jvm_close(struct top_jvm *t);

/** Looks at the threads. Errors: 0, even if the look failed, which is counted; -ESRCH: the JVM has
 * ended. */
int top_jvm_look(struct top_jvm *t);
/** How long to wait after the last look, in nanoseconds; at least `wanted_ns`. */
uint64_t top_jvm_pause_ns(const struct top_jvm *t, uint64_t wanted_ns);
/** Looks again (without a stop unless `may_stop` is set), and makes a new `page`. Errors: 0;
 * -ESRCH: the JVM has ended; another -errno. */
int top_jvm_turn(struct top_jvm *t, bool may_stop);
