/*
 * stack.h - the stacks of all threads of one JVM at one moment: what `hprof stack` prints.
 *
 * Made from an image (mem/image.h), so from a process or from a core. Holds copies only: the
 * process may go on when stack_take() has returned, all text is read by then.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "hotspot/java_methods.h"
#include "hotspot/java_threads.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "safe/walk.h"

struct stack_frame {
    const struct java_method *method;
    int32_t bci, line;
    uint8_t kind, level; /* as struct walk_frame */
};

struct stack_thread {
    const struct java_thread *java;
    const struct image_thread *os; /* NULL: the thread of the system was not found */
    struct stack_frame *frames;    /* innermost first */
    uint32_t frame_count;
    int is_truncated;
    int cause; /* enum walk_cause of a walk that failed, -1: it did not */
};

struct stack {
    struct target target;
    struct oops oops;
    struct java_methods methods;
    struct java_threads java;
    struct stack_thread *threads; /* in the order of `java` */
};

/** Find the VM and learn its layout; nothing of it needs the process to stand still. As
 * target_open(). */
int stack_open(struct stack *s, struct image *image, const char **ret_missing);

/** Read all threads and their stacks, again if need be. Errors: 0, E_*, -ENOMEM. */
int stack_take(struct stack *s, uint32_t frames_max);

void stack_close(struct stack *s);
