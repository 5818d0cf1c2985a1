/*
 * snapshot.h - one JVM at one moment: its threads, their stacks, the locks they hold and wait for.
 *
 * Made from an image (mem/image.h), so from a process or from a core. Holds copies only: the
 * process may go on when snapshot_take() has returned, all text is read by then. Snapshots share
 * nothing: two threads may take two, of one JVM or of two. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "hotspot/java_locks.h"
#include "hotspot/java_methods.h"
#include "hotspot/java_threads.h"
#include "hotspot/java_virtuals.h"
#include "hotspot/oops.h"
#include "hotspot/stopped_frame.h"
#include "hotspot/stopped_stack.h"
#include "hotspot/target.h"
#include "mem/modules.h"
#include "safe/unwind.h"

struct snapshot_frame {
    const struct java_method *method; /* NULL: a native frame */
    struct stopped_frame at;
    int32_t line;                        /* of a Java frame, -1 unknown */
    struct module *module;               /* of a native frame, NULL unknown */
    const struct elf_function *function; /* NULL unknown; named when it is printed */
};

struct snapshot_thread {
    const struct java_thread *java; /* NULL: not one of Java's */
    const struct image_thread *os;  /* NULL: the thread of the system was not found */
    struct snapshot_frame *frames;  /* innermost first */
    uint32_t frame_count;
    bool is_truncated;
    bool is_unread; /* what is missing was not read before the process had to go on */
    int cause;      /* enum walk_cause of a walk that failed, -1: it did not */
};

/** What snapshot_take() does after the stacks of the VM's own threads, in this order. */
enum snapshot_part {
    SNAPSHOT_LISTS,    /* virtual threads and locks */
    SNAPSHOT_VIRTUALS, /* the stacks of virtual threads that are not mounted: what they need of
                          the heap has been read by then */
};

/** Whoever holds the process is told of the parts. All NULL: nobody does. */
struct snapshot_watch {
    void (*begins)(void *with, enum snapshot_part part);
    void *with;
    const uint64_t *missing; /* how many reads failed because the process had to go on */
};

struct snapshot {
    struct target target;
    struct oops oops;
    struct java_methods methods;
    struct java_threads java;
    struct java_virtuals virtuals;
    bool wants_virtuals; /* list virtual threads that are not mounted */
    struct java_locks locks;
    struct modules modules;
    struct unwind unwind;            /* by `modules` */
    struct snapshot_thread *threads; /* Java's in the order of `java`, then the others */
    uint32_t thread_count;

    struct snapshot_watch watch;
    bool has_unread_locks; /* by watch.missing */

    /* What the caller knows about the image; all 0 else. */
    bool is_core;
    int signal; /* the signal that ended it */
    pid_t pid;
    bool has_fault; /* the signal tells of an instruction that failed at `fault_addr` */
    uint64_t fault_addr, stopped_ns;
    const struct image_thread *crashed;
};

/** What to look for besides Java frames. */
enum snapshot_depth {
    SNAPSHOT_LOCKS,   /* no frames either: threads, what they wait for, and who has that */
    SNAPSHOT_JAVA,    /* nothing */
    SNAPSHOT_MIXED,   /* native frames of Java's threads */
    SNAPSHOT_THREADS, /* and all other threads */
};

/** Find the VM and learn its layout; nothing of it needs the process to stand still.
 * `wants_virtuals`: list virtual threads that are not mounted, too. As target_open(). */
int snapshot_open(struct snapshot *s, struct image *image, bool wants_virtuals,
                  const char **ret_missing);

/** Read all threads and their stacks, again if need be: those of the VM's list first. Errors: 0,
 * E_*, -ENOMEM. */
int snapshot_take(struct snapshot *s, enum snapshot_depth depth, uint32_t frames_max);

/** How many virtual threads were found that are not mounted, with those that are too many. */
uint32_t snapshot_virtual_count(const struct snapshot *s);

/** The row of `threads` to print as number `i`: the thread that crashed goes first. */
uint32_t snapshot_order(const struct snapshot *s, uint32_t i);

/** Find the lines of Java frames and the names of native ones: reads what is held already, and
 * files, so the process may go on before. */
void snapshot_name_frames(struct snapshot *s);

/** Whether there are virtual threads that are not mounted and that were not asked for. */
bool snapshot_has_unlisted(struct snapshot *s);

void snapshot_close(struct snapshot *s);
