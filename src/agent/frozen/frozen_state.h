/*
 * frozen_state.h - struct frozen: all data about a heap that is, or will be, frozen.
 *
 * Each member belongs to the file of the same name, which sees only this member. The files whose
 * steps need several members see all of them: frozen.c, frozen_fork.c and frozen_child.c.
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

/** How the pause went, and the result of the fork. Belongs to frozen_fork.c. */
struct frozen_fork {
    pid_t parent;
    pid_t child; /* of the last try; 0: none */
    bool is_child, is_calibrated, is_at_roots_end;
    int error;           /* errno of fork() */
    const char *no_room; /* why fork() was not tried; NULL: it was tried */
    uint64_t ns;         /* time that fork() took; the end of the child takes about as long */
    uint64_t stopped_ns; /* when the first root came: the program is stopped; 0: no root has come */
    uint64_t pause_ns;   /* from stopped_ns until the walk was left after the fork */
    uint64_t begin_ns;   /* in the child: when the child began */
};

/** Whether the work may be done inside the pause if there is no child. */
enum frozen_pause {
    FROZEN_PAUSE_SHORT, /* if it takes at most a second, or if a long pause does no harm */
    FROZEN_PAUSE_ALWAYS,
    FROZEN_PAUSE_NEVER,
};

struct frozen {
    struct agent *agent;
    const struct frozen_use *use;
    void *self;
    struct frozen_vm vm;
    bool with_unreachable; /* also find objects that cannot be reached, if possible */
    enum frozen_pause pause;
    bool is_refused; /* the last work was refused because the pause would have been too long */
    int keep_fd;     /* the child closes all files except this one and the first three */
    struct frozen_status *status;
    struct headroom headroom; /* open from before the pause to the child's end */
    /* the fields below are for the current freezing */
    struct arena arena;
    struct frozen_classes classes;
    struct frozen_threads threads;
    struct frozen_roots roots;
    struct frozen_sites sites;
    struct frozen_copy copy; /* for a heap that a fork does not freeze */
    struct frozen_fork fork;
    struct frozen_watch watch;
};
