/*
 * frozen_state.h - struct frozen: all data about a heap that is, or will be, frozen, and the steps
 * that need several of its members.
 *
 * Each member belongs to the file of the same name, which sees only this member. The files whose
 * steps need several members see all of them: frozen.c, frozen_fork.c and frozen_child.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
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
struct headroom;

/** How the pause went, and the result of the fork. Belongs to frozen_fork.c. */
struct frozen_fork {
    pid_t parent;
    pid_t child; /* of the last try; 0: none */
    bool is_child, is_calibrated, is_at_roots_end;
    int error;           /* errno of fork() */
    const char *no_room; /* why fork() was not tried; NULL: it was tried */
    bool is_moving;      /* it was not tried because objects were being moved */
    uint64_t ns;         /* time that fork() took; the end of the child takes about as long */
    uint64_t stopped_ns; /* when the first root came: the program is stopped; 0: no root has come */
    uint64_t pause_ns;   /* from stopped_ns until the walk was left after the fork */
    uint64_t begin_ns;   /* in the child: when the child began */
    /* bytes of a heap that is copied: before the pause, again and again, and inside it */
    uint64_t copied_before, copied_inside;
};

/** Whether the work may be done inside the pause if there is no child. */
enum frozen_pause {
    FROZEN_PAUSE_SHORT, /* if it takes at most a second, or if a long pause does no harm */
    FROZEN_PAUSE_ALWAYS,
    FROZEN_PAUSE_NEVER,
};

/** Whether the program stands still while the child works. Belongs to frozen_stop.c. */
struct frozen_stand {
    bool is_on;
    uint64_t most_ns; /* it stands for so long at most */
    /* set before the fork: so many bytes that the child has written may wait for the disk */
    uint64_t unwritten_bytes;
};

struct frozen {
    struct agent *agent;
    const struct frozen_use *use;
    void *self;
    struct frozen_vm vm;
    bool with_unreachable; /* also find objects that cannot be reached, if possible */
    enum frozen_pause pause;
    uint64_t fork_bytes; /* forkmem=, as in struct options_frozen */
    struct frozen_stand stand;
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

/*
 * frozen_stop.c: how long work inside the pause would stop the program, and whether this is
 * allowed.
 *
 * The walks of JVM TI take a microsecond or more for each object. A user who asks a running program
 * for a dump does not expect it to stop for seconds. But if the program is ending, or waits because
 * its memory is used up, the dump is worth the time.
 */

/** The bytes of the heap that are in use, with objects that cannot be reached any more. Context:
 * java. */
uint64_t frozen_stop_used_bytes(JNIEnv *env);
/**
 * Whether the work may be done inside the pause; `why` is the reason why there is no child. If the
 * work is allowed and will take more than a second, a message says so. If it is not allowed,
 * status->why gets the reason.
 * Context: java, lock held.
 */
bool frozen_stop_may_be(struct frozen *f, JNIEnv *env, const char *why);

/**
 * Whether the program is to stand still while the child works, because forkmem= allows fewer copies
 * than it may make. A message says for how long it stands at most. Context: as
 * frozen_stop_may_be().
 */
bool frozen_stop_must_stand(struct frozen *f, JNIEnv *env);
/** Whether it may, because there is no room for copies. `why` is the reason. Context and message:
 * as above. */
bool frozen_stop_may_stand(struct frozen *f, JNIEnv *env, const char *why);

/*
 * frozen_fork.c: the pause: the roots are collected, the process forks, and the VM goes on.
 */

/**
 * Walk to the end of the roots and fork. Returns only in the parent.
 * Errors: 0: `fork.child` is set; negative: there is no child, and `status->why` says why.
 * Context: java, agent's lock held.
 */
int frozen_fork_start(struct frozen *f);
/**
 * Fork, in a callback of a walk. If the program is to stand still (stand.is_on), the parent returns
 * when the child has ended. In the parent the function sets `fork.child`, `fork.error` or
 * `fork.no_room`. In the child it sets `fork.is_child`, and has called frozen_child_enter().
 * `at_end`: the child runs no more code of the VM, so handlers of fork() are left out.
 * Context: gc.
 */
void frozen_fork_here(struct frozen *f, bool at_end);

/*
 * frozen_child.c: the forked child that sees the frozen heap.
 *
 * The child is entered once, does the work of the frozen_use, and ends.
 */

/** Ask the kernel to kill this process first when memory is short. `path` is the oom_score_adj file
 * of the process. */
void frozen_child_goes_first(const char *path);
/** Called right after the fork: cut all connections of the child to the program, for example
 * signals and files. */
void frozen_child_enter(struct frozen *f);
/** Do the work and end. The roots are known, and nothing of the VM is needed any more. */
void frozen_child_run(struct frozen *f) __attribute__((noreturn));
/** Let the walk of JVM TI go on in the child. At the end of the walk frozen_child_run() runs in
 * place of the VM's code. */
void frozen_child_take_over(struct frozen *f);
/** Give back memory of the heap that the child does not read again. The program's stores to this
 * memory then need no copies any more. `arg` is the struct frozen. In any thread of the child. */
void frozen_child_give_back(void *arg, uint64_t from, uint64_t to);
