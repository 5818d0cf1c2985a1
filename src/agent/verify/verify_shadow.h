/*
 * verify_shadow.h - the shadow stack: what injected bytecode says is active on a thread.
 *
 * Each thread that runs injected code has one, in memory of the agent. Injected methods push
 * themselves at entry and pop at return; one left by an exception stays until something shows that
 * it is gone (a handler that was reached, a frame in its place). So an entry may be stale, and only
 * its end tells: one popped by its own return was alive all the time, one found stale was not. That
 * is why a comparison that misses an entry watches it, and is judged when the entry ends.
 *
 * An entry too few is harmless everywhere: what is in doubt is dropped.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { VERIFY_SHADOW_MAX = 4096 }; /* deeper calls have no entries */

enum verify_shadow_state {
    VERIFY_SHADOW_BUSY = -1, /* it is being changed right now */
};

enum verify_shadow_watcher { VERIFY_SHADOW_WALK, VERIFY_SHADOW_ENTRY, VERIFY_SHADOW_WATCHERS };

struct verify_example;

/**
 * The method of this number (verify_tracker.h) is entered: push. Returns what its return will pass
 * to verify_shadow_exit(), 0 if the stack is full or there is no memory. Context: java, on that
 * thread.
 */
int64_t verify_shadow_enter(uint32_t number);
/** The method returns. Context: java. */
void verify_shadow_exit(int64_t token);
/** The method's exception handler is reached: all above it is gone. Context: java. */
void verify_shadow_caught(int64_t token);
/** Forget all: the frames of this thread have been exchanged (virtual threads). */
void verify_shadow_clear(void);
/** The thread ends. Context: java, on that thread. */
void verify_shadow_end(void);

/**
 * Copy the calling thread's entries, outermost first, as numbers. Returns how many, or
 * VERIFY_SHADOW_BUSY. Context: signal.
 */
int verify_shadow_read(uint32_t *ret_numbers, uint32_t max);
/** A comparison missed entry `index`: judge it when the entry ends. `e` may be NULL.
 * Context: signal, directly after verify_shadow_read(). */
void verify_shadow_watch(uint32_t index, enum verify_shadow_watcher watcher,
                         struct verify_example *e);
