/*
 * frozen_watch.h - the child, seen from the JVM: how it goes on, how much memory it takes, how it
 * ended.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct frozen;

struct frozen_watch {
    pid_t child;                        /* at work; 0 none */
    uint64_t bytes;                     /* the most of its own memory */
    uint64_t progress, progress_ns;     /* the last that was seen of it */
    uint64_t memory_ns, memory_next_ns; /* to ask for its memory takes so long; not before */
    bool is_told_to_end;                /* its memory is not asked for any more */
    bool has_thread;                    /* one of our own looks after it */
};

/** The child has been forked: from now on there is one. */
void frozen_watch_begin(struct frozen *f);
/** Look after it, in a thread of its own unless the VM dies: then this returns at its end. Lock
 * held. */
void frozen_watch_start(struct frozen *f);
/** Wait until no child is at work any more. Context: java, agent's lock not held. */
void frozen_watch_settle(struct frozen *f);
