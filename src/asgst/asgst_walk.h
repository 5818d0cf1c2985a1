/*
 * asgst_walk.h - what an ASGST_Iterator is: a live walk, or the replay of a stored walk.
 *
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst/asgst_vm.h"
#include "safe/asgst_iter.h"
#include "safe/asgst_ring.h"
#include <asgst.h>
#include <stdbool.h>

/** Frames that asgst_enqueue.c has stored; `end_state` is the result with which the walk ended. */
struct asgst_walk_replay {
    const struct asgst_ring_frame *frames;
    uint32_t count, next;
    int end_state;
};

struct _ASGST_Iterator {
    struct asgst_iter live;
    struct asgst_walk_replay replay;
    bool is_replay;
    int ends_on_java; /* ASGST_END_ON_FIRST_JAVA_FRAME */
    int state;        /* the result of ASGST_State() */
};

/** Place an iterator in front of the innermost frame of the calling thread. Results are those of
 * ASGST_RunWithIterator(). */
int asgst_walk_begin(struct _ASGST_Iterator *it, void *ucontext, int options);

/** Make an iterator over stored frames. */
void asgst_walk_replay(struct _ASGST_Iterator *it, const struct asgst_ring_frame *frames,
                       uint32_t count, int end_state, int options);

/** The API's error for a walk that could not begin. `error` is -(1 + enum walk_cause). */
int asgst_walk_error(int error);

/** Find the JavaThread of the calling thread. Returns 0, or an error of the API. */
int asgst_walk_thread(const struct asgst_vm *vm, uint64_t *ret_thread);
