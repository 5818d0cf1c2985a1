/*
 * dumplocks.h - who waits for whom in one thread dump.
 *
 * The holder of a lock is the thread that has a line which says so, or the one that the waiting
 * thread's own line names ("held by", "owned by"). A thread in Object.wait() has released what its
 * line says. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "attach/threaddump.h"

enum { DUMPLOCKS_CHAIN = 64 }; /* a chain of waiting threads is followed so far */

/** Something that threads wait for. */
struct dumplocks_lock {
    struct threaddump_text object, class_name;
    int64_t holder;   /* index of its thread; -1: not known */
    uint32_t waiting; /* threads that wait for it */
    uint32_t blocked; /* the same, and those that wait for these in turn */
    uint32_t first;   /* the first of the threads */
    bool is_owned;    /* a lock, which a thread has or had; not a condition or a queue */
};

struct dumplocks {
    struct dumplocks_lock *locks; /* the lock with most blocked threads first */
    uint32_t count;
    int32_t *wanted; /* for each thread: the index of what it waits for; -1: nothing */
};

/** Errors: 0; -ENOMEM. Owner: dumplocks_done(), also after an error; the texts are the dump's. */
int dumplocks_make(const struct threaddump *d, struct dumplocks *ret);
void dumplocks_done(struct dumplocks *l);
/** The thread for which thread `index` waits; -1: none, or it is not known. */
int64_t dumplocks_blocker(const struct dumplocks *l, uint32_t index);
/** Adds the circles to the deadlocks of the dump, if the JVM has printed none. A dump of
 * Thread.dump_to_file has no deadlocks of its own. Errors: 0; -ENOMEM. */
int dumplocks_find_deadlocks(struct threaddump *d);
