/*
 * snapshot.h - one JVM at one moment: its threads, their stacks, the locks they hold and wait for.
 *
 * A snapshot is made from an image (mem/image.h): from a process or from a core. It holds copies
 * only: all text has been read when snapshot_take() returns, and the process may go on. Snapshots
 * share nothing: two threads may take two snapshots, of one JVM or of two.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "hotspot/java_locks.h"
#include "hotspot/java_methods.h"
#include "hotspot/java_threads.h"
#include "hotspot/java_virtuals.h"
#include "hotspot/oops.h"
#include "hotspot/stopped_stack.h"
#include "hotspot/target.h"
#include "mem/modules.h"
#include "safe/unwind.h"

struct snapshot_frame {
    const struct java_method *method; /* NULL: a native frame */
    struct stopped_frame at;
    int32_t line;                        /* line of a Java frame; -1: unknown */
    struct module *module;               /* module of a native frame; NULL: unknown */
    const struct elf_function *function; /* NULL: unknown; the name is made when it is printed */
};

struct snapshot_thread {
    const struct java_thread *java; /* NULL: not a Java thread */
    const struct image_thread *os;  /* NULL: the thread of the system was not found */
    struct snapshot_frame *frames;  /* innermost first */
    uint32_t frame_count;
    bool is_truncated;
    bool is_unread; /* something is missing because the process had to go on */
    int cause;      /* enum walk_cause of a walk that failed; -1: it did not fail */
};

/** The parts of snapshot_take() after the stacks of the VM's own threads, in this order. */
enum snapshot_part {
    SNAPSHOT_LISTS,    /* virtual threads and locks */
    SNAPSHOT_VIRTUALS, /* stacks of unmounted virtual threads; their heap memory was read before */
};

/** Tells the caller who stopped the process about the parts. All NULL: it is not stopped. */
struct snapshot_watch {
    void (*begins)(void *with, enum snapshot_part part);
    void *with;
    const uint64_t *missing; /* number of reads that failed because the process had to go on */
};

struct snapshot {
    struct target target;
    struct oops oops;
    struct java_methods methods;
    struct java_threads java;
    struct java_virtuals virtuals;
    bool wants_virtuals; /* list unmounted virtual threads */
    struct java_locks locks;
    struct modules modules;
    struct unwind unwind;            /* uses `modules` */
    struct snapshot_thread *threads; /* Java threads in the order of `java`, then the others */
    uint32_t thread_count;

    struct snapshot_watch watch;
    bool has_unread_locks; /* reads for locks failed (watch.missing) */

    /* Facts about the image from the caller; else 0. */
    bool is_core;
    int signal; /* the signal that ended the process */
    pid_t pid;
    bool has_fault; /* the signal is about an instruction that failed at `fault_addr` */
    uint64_t fault_addr, stopped_ns;
    const struct image_thread *crashed;
};

/** The frames and threads to read in addition to Java frames. */
enum snapshot_depth {
    SNAPSHOT_LOCKS,   /* no frames at all: only threads, the locks they wait for, and the holders */
    SNAPSHOT_JAVA,    /* nothing in addition */
    SNAPSHOT_MIXED,   /* native frames of Java threads */
    SNAPSHOT_THREADS, /* native frames, and all other threads */
};

/** Find the VM and read its layout. The process may run meanwhile. `wants_virtuals`: list unmounted
 * virtual threads, too. Errors and owner as target_open(). */
int snapshot_open(struct snapshot *s, struct image *image, bool wants_virtuals,
                  const char **ret_missing);

/** Read all threads and their stacks, those of the VM's list first. May be called again. Errors: 0,
 * E_*, -ENOMEM. */
int snapshot_take(struct snapshot *s, enum snapshot_depth depth, uint32_t frames_max);

/** How many unmounted virtual threads were found, including those beyond the limit. */
uint32_t snapshot_virtual_count(const struct snapshot *s);

/** The row of `threads` to print as number `i`: the thread that crashed goes first. */
uint32_t snapshot_order(const struct snapshot *s, uint32_t i);

/** Find the lines of Java frames and the names of native frames. Reads only the copies and files,
 * so the process may have gone on. */
void snapshot_name_frames(struct snapshot *s);

/** The same for one frame. */
void snapshot_name_frame(struct snapshot *s, struct snapshot_frame *f);

/** Whether there are unmounted virtual threads although they were not asked for. */
bool snapshot_has_unlisted(struct snapshot *s);

void snapshot_close(struct snapshot *s);
