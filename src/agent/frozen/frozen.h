/*
 * frozen.h - the heap of this VM at one moment, for whoever has something to do with it.
 *
 * The way of all ways: a walk of JVM TI begins (FollowReferences), its first callbacks name the
 * roots, and then the process forks: the application goes on after milliseconds, and the child has
 * a heap that stands still for as long as it likes. Where that cannot be, the work is done inside
 * the pause, by JVM TI alone. What is done is a `struct frozen_use`: this part knows no file, no
 * record and no table. Each of its states has one owner, the file of that name.
 * docs/heap-dump-how.md has the reasons. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/frozen/frozen_classes.h"
#include "agent/frozen/frozen_copy.h"
#include "agent/frozen/frozen_fork.h"
#include "agent/frozen/frozen_roots.h"
#include "agent/frozen/frozen_sites.h"
#include "agent/frozen/frozen_threads.h"
#include "agent/frozen/frozen_vm.h"
#include "agent/frozen/frozen_watch.h"
#include "base/arena.h"
#include "base/headroom.h"
#include "heapwalk/heap_find.h"

struct agent;

enum { FROZEN_WHY = 128 };

/** What is done with a frozen heap. `self` is frozen.self; results are negative on failure. */
struct frozen_use {
    const char *what;    /* it makes, as messages say it: "heap dump" */
    const char *is_lost; /* what a message says when the child has failed */
    /** The classes are listed, the program runs: take the threads, and whatever else only the VM
     * knows. Context: java, lock held. */
    int (*prepare)(void *self, JNIEnv *env);
    /** Right before the fork: classes.mirrors are known. Context: gc. May be NULL. */
    void (*locate)(void *self);
    /** There is a child, and the program runs. Lock held. May be NULL. */
    void (*forked)(void *self);
    /** In the child: no malloc(), no stdio, no JNI. */
    int (*work)(void *self, const char **ret_why);
    /** No child, for that reason: do it by JVM TI inside the pause. Context: java, lock held; it
     * may be let go of in between. */
    int (*in_pause)(void *self, JNIEnv *env, const char *why);
    /** While the child runs: a number that grows as long as it goes on, beside its own. Lock held.
     * May be NULL. */
    uint64_t (*look)(void *self);
    /** The child has ended. Lock held. */
    void (*ended)(void *self, bool is_complete);
};

/** Shared with the child. */
struct frozen_status {
    volatile uint64_t progress; /* raised while the child works, by frozen_child_progress() */
    volatile uint64_t seen;     /* raised while objects are looked for, and when all are found */
    volatile uint64_t ns;       /* the child's run time */
    volatile int32_t error;
    volatile int32_t is_complete;
    volatile int32_t is_walked;   /* sites were found by a walk of JVM TI */
    volatile int32_t is_siteless; /* the table of tags could not be read after all */
    char why[FROZEN_WHY];
};

struct frozen {
    struct agent *agent;
    const struct frozen_use *use;
    void *self;
    struct frozen_vm vm;
    bool with_unreachable; /* also what nobody can reach, where that can be */
    bool with_sites;       /* where objects were allocated, if somebody knows */
    int keep_fd;           /* the child closes all files but this and the first three */
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

/** Once, before all else; agent, use and self are set. Errors: 0; E_UNSUPPORTED nobody may tag
 * objects, -ENOMEM. Context: java. */
int frozen_open(struct frozen *f, JNIEnv *env);
/** Give back what frozen_open() has taken, if it has; no child is there. Context: java. */
void frozen_close(struct frozen *f, JNIEnv *env);
/**
 * Freeze the heap and do what `use` says. Behind it a child may be at work (watch.child), and
 * ended() follows. Errors: 0; what prepare() or in_pause() had, and status->why. Context: java,
 * lock held.
 */
int frozen_take(struct frozen *f, JNIEnv *env);
/** In the child: its objects, from the roots on. Errors: as heap_find_run(), with *ret_why. */
int frozen_find(struct frozen *f, struct heap_find *ret_find, const char **ret_why);
