/*
 * stack_source.h - where the stacks of samples come from: a walker, and what the agent does for it
 * before, beside and after its work in the handler.
 *
 * Each source is one file stack_source_NAME.c with one const row; the list in meson.build is the
 * registry and the order of preference. What runs in the handler is in safe/walk_NAME.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <jvmti.h>
#include "safe/walk.h"

struct agent;
struct recording;
struct ring;

struct stack_source {
    const char *name; /* as the option walker= says it */
    const char *help;
    const struct walker *walker;
    const struct walker *native_walker; /* the same with native=y; NULL: it has no native frames */
    /**
     * Make it ready in this VM. Errors: 0; negative with *ret_why saying what is missing (static
     * text); then nothing is changed. Context: java, lock held.
     */
    int (*prepare)(struct agent *a, JNIEnv *env, const char **ret_why);
    /**
     * Instead of the sample's own frames: the stack of a thread now. As walker.walk; NULL where the
     * handler takes it. Context: java, lock held.
     */
    int (*stack)(struct agent *a, uint32_t serial, struct walk_frame *frames, uint32_t max);
    /** The ring has been read as far as it could be. May be NULL. Context: any, lock held. */
    void (*read)(const struct ring *ring);
    /** Adds its own quality counts. May be NULL. Context: java, lock held. */
    void (*count)(struct recording *r);
    /** Give back what prepare() has taken: no handler walks any more. May be NULL. Context: any. */
    void (*release)(void);
};

extern const struct stack_source *const stack_source_all[];

/**
 * Prepare the source of that name ("" = the first that works in this VM).
 * Errors: NULL after a message. Context: java, lock held.
 */
const struct stack_source *stack_source_prepare(struct agent *a, JNIEnv *env, const char *name);

/** Whether the source of that name can do native=y. Context: any. */
bool stack_source_has_native(const char *name);
