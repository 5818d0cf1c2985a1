/*
 * verify_shadow.h - the shadow stack: which methods are active on a thread, as injected bytecode
 * reports.
 *
 * Each thread that runs injected code has a shadow stack, in memory of the agent. Injected methods
 * push an entry when they begin and pop it when they return. If an exception ends a method, its
 * entry stays until something shows that the method has ended: a handler that was reached, or
 * another frame at the same place. So an entry may be stale, and only its end shows which. An entry
 * that its own return pops was alive all the time; an entry that is found stale was not. So if a
 * comparison misses an entry, it watches the entry, and the verdict comes when the entry ends.
 *
 * A missing entry never does harm, so entries in doubt are dropped.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { VERIFY_SHADOW_MAX = 4096 }; /* deeper calls have no entries */

enum verify_shadow_state {
    VERIFY_SHADOW_BUSY = -1, /* the stack is being changed at this moment */
};

enum verify_shadow_watcher { VERIFY_SHADOW_WALK, VERIFY_SHADOW_ENTRY, VERIFY_SHADOW_WATCHERS };

struct verify_example;

/**
 * A method begins: push its number (verify_inject.c). Returns the token that the method's return
 * passes to verify_shadow_exit(); 0 if the stack is full or there is no memory. Context: java, on
 * that thread.
 */
int64_t verify_shadow_enter(uint32_t number);
/** The method returns. Context: java. */
void verify_shadow_exit(int64_t token);
/** The method's exception handler was reached: all entries above it have ended. Context: java. */
void verify_shadow_caught(int64_t token);
/** Drop all entries: a switch of virtual threads has replaced the frames of this thread. */
void verify_shadow_clear(void);
/** The thread ends. Context: java, on that thread. */
void verify_shadow_end(void);

/**
 * Copy the entries of the calling thread, outermost first, as numbers. Returns how many, or
 * VERIFY_SHADOW_BUSY. Context: signal.
 */
int verify_shadow_read(uint32_t *ret_numbers, uint32_t max);
/**
 * A comparison missed entry `index`: give the verdict when the entry ends. `e` may be NULL.
 * Context: signal, directly after verify_shadow_read().
 */
void verify_shadow_watch(uint32_t index, enum verify_shadow_watcher watcher,
                         struct verify_example *e);
