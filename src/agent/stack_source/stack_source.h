/*
 * stack_source.h - a source of the stacks of samples: a walker, and the agent's work for the walker
 * outside the handler.
 *
 * Each source is one file stack_source_NAME.c with one const row. The list in meson.build is the
 * registry and the order of preference. The code that runs in the handler is in safe/walk_NAME.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include "safe/walk.h"

struct agent;
struct recording;
struct ring;

struct stack_source {
    const char *name; /* the name in the option walker= */
    const char *help;
    const struct walker *walker;
    /* used with native=y; NULL: the source has no native frames */
    const struct walker *native_walker;
    /**
     * Make the source ready in this VM. Samples wait in `ring` from now on until release().
     * Errors: 0; negative, with *ret_why saying what is missing (static text); then nothing has
     * changed. Context: java, lock held.
     */
    int (*prepare)(struct agent *a, JNIEnv *env, const struct ring *ring, const char **ret_why);
    /**
     * The stack of a thread now, used in place of the sample's own frames. Result as of
     * walker.walk. NULL: the handler takes the stacks. Context: java, lock held.
     */
    int (*stack)(struct agent *a, uint32_t serial, struct walk_frame *frames, uint32_t max);
    /** The drain thread has read all samples of the ring. May be NULL. Context: any, lock held. */
    void (*read)(void);
    /** Add the source's own quality counts. May be NULL. Context: java, lock held. */
    void (*count)(struct recording *r);
    /** Release what prepare() has made; no handler walks any more. May be NULL. Context: any. */
    void (*release)(void);
};

extern const struct stack_source *const stack_source_all[];

/**
 * Prepare the source of that name ("": the first that works in this VM), for samples in `ring`.
 * Errors: NULL after a message. Context: java, lock held.
 */
const struct stack_source *stack_source_prepare(struct agent *a, JNIEnv *env, const char *name,
                                                const struct ring *ring);

/** Whether the source of that name supports native=y. Context: any. */
bool stack_source_has_native(const char *name);
