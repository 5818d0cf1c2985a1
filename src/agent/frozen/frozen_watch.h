/*
 * frozen_watch.h - the child, seen from the JVM: how it goes on, how much memory it takes, how it
 * ended.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct agent;
struct frozen_status;
struct frozen_use;
struct headroom;

/** Whose child is looked after, by what, and who is told of its end. */
struct frozen_watch_owner {
    struct agent *agent;
    const struct frozen_use *use;
    void *self; /* of the use */
    struct frozen_status *status;
    struct headroom *headroom;
    /** The child has ended, and `child` is 0. Lock held. */
    void (*ended)(void *arg, bool is_complete);
    void *arg;
};

struct frozen_watch {
    struct frozen_watch_owner of;
    uint64_t fork_ns;               /* how long it took: the end of the child takes about as long */
    pid_t child;                    /* at work; 0 none */
    uint64_t bytes;                 /* the most of its own memory */
    uint64_t progress, progress_ns; /* the last that was seen of it */
    uint64_t memory_ns, memory_next_ns; /* to ask for its memory takes so long; not before */
    bool is_told_to_end;                /* its memory is not asked for any more */
    bool has_thread;                    /* one of our own looks after it */
};

/** The child has been forked, in `fork_ns`: from now on there is one. */
void frozen_watch_begin(struct frozen_watch *w, const struct frozen_watch_owner *of, pid_t child,
                        uint64_t fork_ns);
/** Look after the child, in a thread of our own unless the VM dies: then this returns at the
 * child's end. Lock held. */
void frozen_watch_start(struct frozen_watch *w);
/** Wait until no child is at work any more. Context: java, agent's lock not held. */
void frozen_watch_settle(struct frozen_watch *w, struct agent *a);
