/*
 * threads_outside.h - facts that a JVM's own thread dump does not have: the owners of locks of
 * java.util.concurrent, virtual threads that are not mounted, and deadlocks with such threads.
 *
 * The JVM is read from outside and is not stopped, as with `hprof stack --no-stop`. A deadlock
 * lasts for ever, so only circles that two readings have in common are reported, and only those
 * that the JVM cannot find itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "mem/mem_live.h"
#include "snapshot/snapshot.h"

struct threaddump_thread;

struct threads_outside {
    struct mem_live live;
    struct snapshot snapshot;      /* its deadlocks are those that include a virtual thread */
    bool is_known, wants_virtuals; /* `is_known`: the process could be read */
    bool has_unlisted; /* there are virtual threads that are not mounted and were not asked for */
};

/** Reads process `pid`. If this is not permitted, nothing is known. Owner: threads_outside_done(),
 * also in that case. */
void threads_outside_look(struct threads_outside *o, pid_t pid, bool wants_virtuals);
void threads_outside_done(struct threads_outside *o);
/** The name of the thread that owns what thread `t` of the dump waits for; NULL: not known. */
const char *threads_outside_holder(const struct threads_outside *o,
                                   const struct threaddump_thread *t);
