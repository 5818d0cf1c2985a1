/*
 * threads_outside.h - what a JVM's own thread dump does not tell: who has a lock of
 * java.util.concurrent, virtual threads that are not mounted, and deadlocks with those.
 *
 * Read from outside, without a stop, as hprof stack --no-stop does. A deadlock is for ever, so only
 * circles that two readings agree on are told, and of them those that the JVM cannot find itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "mem/mem_live.h"
#include "snapshot/snapshot.h"

struct threaddump_thread;

struct threads_outside {
    struct mem_live live;
    struct snapshot snapshot;      /* its deadlocks: those that have a virtual thread in them */
    bool is_known, wants_virtuals; /* `is_known`: it could be read */
    bool has_unlisted;             /* virtual threads that are not mounted and were not asked for */
};

/** Looks at process `pid`. Where it may not be read nothing is known. Owner:
 * threads_outside_done(), also then. */
void threads_outside_look(struct threads_outside *o, pid_t pid, bool wants_virtuals);
void threads_outside_done(struct threads_outside *o);
/** The name of the thread that has what `t` of the JVM's dump waits for; NULL: not known. */
const char *threads_outside_holder(const struct threads_outside *o,
                                   const struct threaddump_thread *t);
