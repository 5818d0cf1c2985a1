/*
 * stack.h - the stacks of all threads of one JVM at one moment: what `hprof stack` prints.
 *
 * Made from an image (mem/image.h), so from a process or from a core. Holds copies only: the
 * process may go on when stack_take() has returned, all text is read by then.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "hotspot/java_locks.h"
#include "hotspot/java_methods.h"
#include "hotspot/java_threads.h"
#include "hotspot/java_virtuals.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "hotspot/stopped_stack.h"
#include "mem/modules.h"
#include "safe/unwind.h"

struct stack_frame {
    const struct java_method *method; /* NULL: a native frame */
    struct stopped_stack_frame at;
    int32_t line;                            /* of a Java frame, -1 unknown */
    struct module *module;                   /* of a native frame, NULL unknown */
    const struct modules_function *function; /* NULL unknown; named when it is printed */
};

struct stack_thread {
    const struct java_thread *java; /* NULL: not one of Java's */
    const struct image_thread *os;  /* NULL: the thread of the system was not found */
    struct stack_frame *frames;     /* innermost first */
    uint32_t frame_count;
    int is_truncated;
    int cause; /* enum walk_cause of a walk that failed, -1: it did not */
};

struct stack {
    struct target target;
    struct oops oops;
    struct java_methods methods;
    struct java_threads java;
    struct java_virtuals virtuals;
    int wants_virtuals; /* list virtual threads that are not mounted */
    struct java_locks locks;
    struct modules modules;
    struct unwind unwind;         /* by `modules` */
    struct stack_thread *threads; /* Java's in the order of `java`, then the others */
    uint32_t thread_count;

    /* What the caller knows about the image; all 0 else. */
    int is_core, signal; /* the signal that ended it */
    pid_t pid;
    int has_fault; /* the signal tells of an instruction that failed at `fault_addr` */
    uint64_t fault_addr, stopped_ns;
    const struct image_thread *crashed;
};

/** What to look for besides Java frames. */
enum stack_depth {
    STACK_JAVA,    /* nothing */
    STACK_MIXED,   /* native frames of Java's threads */
    STACK_THREADS, /* and all other threads */
};

/** Find the VM and learn its layout; nothing of it needs the process to stand still.
 * `wants_virtuals`: list virtual threads that are not mounted, too. As target_open(). */
int stack_open(struct stack *s, struct image *image, int wants_virtuals, const char **ret_missing);

/** Read all threads and their stacks, again if need be. Errors: 0, E_*, -ENOMEM. */
int stack_take(struct stack *s, enum stack_depth depth, uint32_t frames_max);

/** The row of `threads` to print as number `i`: the thread that crashed goes first. */
uint32_t stack_order(const struct stack *s, uint32_t i);

/** Find the lines of Java frames and the names of native ones: reads what is held already, and
 * files, so the process may go on before. */
void stack_name_frames(struct stack *s);

void stack_close(struct stack *s);
