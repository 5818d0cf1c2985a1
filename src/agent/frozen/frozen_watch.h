/*
 * frozen_watch.h - watches the child from the JVM: how it gets on, how much memory it takes, and
 * how it ended.
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

/** The facts that the watch needs, and the callback for the end of the child. */
struct frozen_watch_owner {
    struct agent *agent;
    const struct frozen_use *use;
    void *self; /* the argument of the functions of `use` */
    struct frozen_status *status;
    struct headroom *headroom;
    uint64_t fork_bytes; /* the most memory that the child may have for itself */
    /** The child has ended, and `child` is 0. Lock held. */
    void (*ended)(void *arg, bool is_complete);
    void *arg;
};

struct frozen_watch {
    struct frozen_watch_owner of;
    /* time that fork() took; the end of the child takes about as long */
    uint64_t fork_ns;
    pid_t child;                    /* the child at work; 0: none */
    uint64_t bytes;                 /* the most memory that the child has had for itself */
    uint64_t progress, progress_ns; /* the child's last progress, and when it was seen */
    /* time that asking for its memory takes; next time to ask */
    uint64_t memory_ns, memory_next_ns;
    /* the child was told to end, so its memory is not asked for any more */
    bool is_told_to_end;
    bool has_thread; /* a thread of the agent watches the child */
};

/** Begin, before the fork. There is no child yet. */
void frozen_watch_begin(struct frozen_watch *w, const struct frozen_watch_owner *of);
/** The child has been forked, which took `fork_ns`. From now on there is a child. Context: gc. */
void frozen_watch_note(struct frozen_watch *w, pid_t child, uint64_t fork_ns);
/** Watch the child in a new thread. If the VM is dying, no thread is started, and the function
 * returns when the child has ended. Lock held. */
void frozen_watch_start(struct frozen_watch *w);
/**
 * Wait until the child has ended, but not longer than `most_ns`; then it is ended. The child still
 * has to be watched afterwards, by frozen_watch_start(). Context: gc.
 */
void frozen_watch_stand(struct frozen_watch *w, uint64_t most_ns);
/** Wait until no child is at work any more. Context: java, agent's lock not held. */
void frozen_watch_settle(struct frozen_watch *w, struct agent *a);
