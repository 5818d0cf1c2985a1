/*
 * frozen_state.h - all that is known of a heap that is, or is to be, frozen.
 *
 * Each member has one owner, the file of that name, and what the owner does not need it does not
 * see. The steps that need several (frozen.c, frozen_fork.c, frozen_child.c) see all.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent/frozen/frozen_classes.h"
#include "agent/frozen/frozen_copy.h"
#include "agent/frozen/frozen_roots.h"
#include "agent/frozen/frozen_sites.h"
#include "agent/frozen/frozen_status.h"
#include "agent/frozen/frozen_threads.h"
#include "agent/frozen/frozen_use.h"
#include "agent/frozen/frozen_vm.h"
#include "agent/frozen/frozen_watch.h"
#include "base/arena.h"
#include "base/headroom.h"

struct agent;

/** How the pause went, and what came of the fork; frozen_fork.c's. */
struct frozen_fork {
    pid_t parent;
    pid_t child; /* of the last try; 0 none */
    bool is_child, is_calibrated, is_at_roots_end;
    int error;           /* of fork() */
    const char *no_room; /* why it was not even tried; NULL */
    uint64_t ns;         /* how long it took: the child's end takes about as long */
    uint64_t stopped_ns; /* when the first root came: the program stands still; 0: none did */
    uint64_t pause_ns;   /* from then on until the walk was left, behind the fork */
    uint64_t begin_ns;   /* in the child: when it began */
};

/** Whether the work may be done inside the pause where there is no child. */
enum frozen_pause {
    FROZEN_PAUSE_SHORT, /* where that takes a second at most, or nobody minds */
    FROZEN_PAUSE_ALWAYS,
    FROZEN_PAUSE_NEVER,
};

struct frozen {
    struct agent *agent;
    const struct frozen_use *use;
    void *self;
    struct frozen_vm vm;
    bool with_unreachable; /* also what nobody can reach, where that can be */
    enum frozen_pause pause;
    bool is_refused; /* the last one, because the pause would have been too long */
    int keep_fd;     /* the child closes all files but this and the first three */
    struct frozen_status *status;
    struct headroom headroom; /* open from before the pause to the child's end */
    /* of the freezing at hand */
    struct arena arena;
    struct frozen_classes classes;
    struct frozen_threads threads;
    struct frozen_roots roots;
    struct frozen_sites sites;
    struct frozen_copy copy; /* of a heap that a fork does not freeze */
    struct frozen_fork fork;
    struct frozen_watch watch;
};
