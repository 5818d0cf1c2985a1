/*
 * top_jvm.h - one JVM that is looked at again and again, from outside: its threads, their CPU time,
 * frames and allocations, and its counters.
 *
 * A look stops all threads for the copy of their stacks, as `hprof stack` does; between two looks
 * there is so much time that the JVM stands still for a hundredth of it at most. Without stops
 * (`no_stop`) frames are read while it runs, and those of running threads are not known.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/arena.h"
#include "cli/counters_source.h"
#include "cli/heap_counters.h"
#include "cli/top_methods.h"
#include "cli/top_page.h"
#include "hotspot/java_allocated.h"
#include "hotspot/vm_stop.h"
#include "mem/mem_live.h"
#include "mem/stop_bound.h"
#include "process/task_times.h"
#include "snapshot/snapshot.h"

struct jvm;

/* What a thread had allocated at the last page, by the number that Java gives it. */
struct top_allocated {
    int64_t id;
    uint64_t bytes;
};

/* One reading of what is counted. */
struct top_reading {
    uint64_t at_ns;
    uint64_t cpu_ns; /* of the whole process */
    struct task_times tasks;
    struct heap_counters heap;
    struct top_allocated *allocated; /* by id */
    uint32_t allocated_count;
};

struct top_task {
    pid_t tid;
    char state;
};

/* The frames of Java's threads at the last stop, for pages that have none. */
struct top_kept {
    struct arena arena;
    struct top_thread *rows; /* by tid; only with tid and frames */
    uint32_t count;
    uint64_t at_ns;
};

struct top_jvm {
    const char *word; /* what it is called in messages */
    bool no_stop;
    struct stop_bound bound; /* of each stop */
    bool has_counters;
    struct mem_live live;
    struct snapshot snapshot;
    struct java_allocated allocated;
    struct counters_source counters;
    struct top_methods methods;
    struct top_task *tasks; /* at the last look, by tid */
    uint32_t task_count;
    struct top_reading before;
    struct arena arena; /* of the page */
    struct top_kept kept;
    struct top_page page;
    char *name, *version;
    uint64_t began_ns; /* of us */
    uint64_t began;    /* of the JVM: process_began() */
    struct vm_stop stop;
};

/**
 * Begins with a first look. A stop lasts `most_ns` at most; 0: there is no bound. Errors: 0;
 * CMD_FAILED after saying why. Owner: top_jvm_close(), also after an error.
 */
int top_jvm_open(struct top_jvm *t, const struct jvm *jvm, const char *word, bool no_stop,
                 uint64_t most_ns);
void top_jvm_close(struct top_jvm *t);

/** Looks at the threads. Errors: 0, also where the look failed (it is counted); -ESRCH: the JVM
 * has ended. */
int top_jvm_look(struct top_jvm *t);
/** How long to wait after the last look, in nanoseconds: `wanted_ns` at least. */
uint64_t top_jvm_pause_ns(const struct top_jvm *t, uint64_t wanted_ns);
/** Looks once more, without a stop unless it `may_stop`, and makes `page` anew. Errors: 0; -ESRCH:
 * the JVM has ended; another -errno. */
int top_jvm_turn(struct top_jvm *t, bool may_stop);
