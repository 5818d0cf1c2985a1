/*
 * vm_walk.h - the walker of this VM and the names that it copies, shared by all its users: the
 * handlers of samples, and threads that walk their own stack.
 *
 * There is one walker and one set of names in a process. All functions need the agent's lock.
 * Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct agent;
struct hs_layout;
struct ring;
struct walker;

/**
 * Add a user; the first one makes the walker ready.
 * Errors: 0; negative, with *ret_why saying what is missing (static text). Owner: vm_walk_close().
 */
int vm_walk_open(struct agent *a, const char **ret_why);
/** Remove a user; the last one releases everything, and no thread walks any more. */
void vm_walk_close(void);
/** The walker's facts about this VM; valid between vm_walk_open() and vm_walk_close(). */
const struct hs_layout *vm_walk_layout(void);
/** Tell whether samples of timers' handlers wait in a ring from now on. Which ring it is, the first
 * vm_walk_turn() of its reader says. */
void vm_walk_set_ring(bool has_ring);
/** From now on, until vm_walk_remove_ring(), samples of hooks wait in `ring`, too.
 * Errors: 0; E_LIMIT. */
int vm_walk_add_ring(const struct ring *ring);
void vm_walk_remove_ring(const struct ring *ring);
/** The walker of mixed stacks; valid as vm_walk_layout() is. */
const struct walker *vm_walk_mixed(void);
/**
 * Drop names that no sample needs any more, as frame_vm_turn() does. `ring` is the ring that the
 * caller has read. With NULL it does nothing if there is a ring, because the reader of the ring
 * does this. It may also be called after vm_walk_open() has failed; then there are no names.
 */
void vm_walk_turn(const struct ring *ring);
