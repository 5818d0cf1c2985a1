/*
 * hookring.h - what the hooks of one engine share: when they work, and the ring that takes what
 * they saw, with the stack, the thread and the contexts of the call.
 *
 * A hook fills a draft that it has claimed from the ring; hookring_look() adds who calls, and
 * hookring_publish() ends the walk. A thread is counted while it may use the ring, so that the ring
 * can be taken away when nobody uses it.
 *
 * What is read and written: the ring, which is not unmapped while a thread is counted in `inside`,
 * and what hookwalk.h and scope.h read. Nothing allocates, takes a lock, waits, or asks the VM.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "safe/hookwalk.h"
#include "safe/ring.h"
#include "safe/scope.h"

/** Set up once, kept for ever. */
struct hookring {
    _Atomic bool is_on; /* otherwise hooks pass through */
    struct ring ring;
    struct hookwalk walk;
    int32_t pid;             /* hooks of a forked child pass through */
    void (*wake)(void);      /* called when the ring is a quarter full; async-signal-safe */
    _Atomic uint32_t inside; /* threads that may be using the ring */
};

/** Who has called a hook: a part of each record; the frames stand at the end of the record. */
struct hookring_stack {
    uint32_t serial; /* the serial of the thread; 0: not a Java thread */
    int32_t result;  /* number of frames, or -(1 + enum walk_cause) */
    bool is_truncated;
    struct scope_values scopes;
};

/** Whether a hook has to look at all. */
static inline bool hookring_is_on(const struct hookring *h)
{
    return atomic_load_explicit(&h->is_on, memory_order_relaxed);
}

/** Counts the calling thread, and tells whether hooks still work: only then the ring may be used.
 * hookring_leave() must follow in both cases. */
bool hookring_enter(struct hookring *h);
void hookring_leave(struct hookring *h);
/** Fill `stack` and `frames`, which have room for walk.depth + 1, of the caller of a hook. */
void hookring_look(struct hookring *h, const struct hookwalk_caller *caller,
                   struct hookring_stack *stack, struct walk_frame *frames,
                   struct walk_request *ret_request);
/** How many frames there are. */
static inline uint32_t hookring_frames(const struct hookring_stack *stack)
{
    return stack->result > 0 ? (uint32_t)stack->result : 0;
}
/** Publish the draft, of which `bytes` are used, and end its walk. Returns false: there was no
 * room. */
bool hookring_publish(struct hookring *h, void *draft, size_t bytes, struct walk_request *request);
/** Whether no thread uses the ring; after is_on has become false. Context: any. */
bool hookring_is_quiet(const struct hookring *h);
