/*
 * copied_stack.h - the stack of a thread from its registers and the top of its stack, which
 * somebody copied at one moment while the process ran on.
 *
 * The stack is read in the copy and nowhere else. A walk that comes to the end of the copy ends
 * there and says so; of a thread that the VM does not list, and whose stack may end anywhere, the
 * frames behind the copy are left out. Code, methods and libraries are read as they are when the
 * walk is made, some milliseconds later: they keep their places. What the VM notes in the running
 * thread has changed by then, so nothing is taken from there: the rows of call frame information
 * lead from the C code that was copied to the Java code that called it. Frames of a virtual thread
 * that lay in the heap are left out, because the collector may have moved them. A process without a
 * VM has native frames alone.
 *
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "safe/hs_memory.h"
#include "safe/regs.h"
#include "snapshot/snapshot.h"

struct mem_live;

enum {
    COPIED_STACK_FRAMES = 1024,
    COPIED_STACK_NATIVES = 256,
    COPIED_STACK_THREAD = 8192, /* more than the fields of a JavaThread that a walk reads */
};

/** What was copied of a thread. */
struct copied_stack_of {
    pid_t tid;        /* as we see it */
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    struct regs regs;
    const unsigned char *bytes; /* from regs.sp on; borrowed for one walk */
    uint64_t len;
};

/** What a walk found. The frames are valid until the next walk. */
struct copied_stack_result {
    const struct snapshot_frame *frames; /* innermost first, named */
    uint32_t count;
    const char *thread_name; /* of a Java thread that has not ended yet; else NULL */
    bool is_cut;             /* the copy ended before the stack: the outermost frames are missing */
    bool is_frozen;          /* frames of a virtual thread that lay in the heap are missing */
    bool is_broken;          /* the walk ended early for another reason */
};

struct copied_stack {
    struct mem mem; /* the copy, and the process around it */
    struct mem_live *live;
    uint64_t low, end, limit; /* the copy; from `end` to `limit` the stack that is not read */
    const unsigned char *bytes;
    bool is_passed; /* somebody asked for the stack behind the copy */

    uint64_t aged_ns; /* memory of the process is read again if it was read before this */
    struct snapshot vm;
    bool has_vm;
    struct hs_layout no_layout; /* of a process without a VM */
    struct hs_memory memory;
    struct java_threads java;
    bool has_inner_tids; /* the VM knows its threads by other ids than we do */
    uint64_t read_ns;    /* when `java` was read */
    struct copied_stack_native {
        pid_t tid;
        uint64_t seen_ns;
    } natives[COPIED_STACK_NATIVES]; /* threads that are no Java threads */
    uint32_t native_next;
    unsigned char thread[COPIED_STACK_THREAD]; /* stands for the JavaThread if it is not known */
    struct stopped_frame walked[COPIED_STACK_FRAMES];
    struct snapshot_frame frames[COPIED_STACK_FRAMES];
};

/** Prepare walks in the process of `live`, which is borrowed. Errors: 0; -ENOMEM; those of
 * snapshot_open() apart from E_NOT_FOUND, and *ret_missing. Owner: copied_stack_close(), also after
 * an error. */
int copied_stack_open(struct mem_live *live, unsigned machine, struct copied_stack *ret,
                      const char **ret_missing);
void copied_stack_close(struct copied_stack *c);

/** Walk one stack. Errors: 0; -ENOMEM. */
int copied_stack_walk(struct copied_stack *c, const struct copied_stack_of *of,
                      struct copied_stack_result *ret);
