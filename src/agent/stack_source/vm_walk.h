/*
 * vm_walk.h - the walker of this VM and the names that it copies, shared by all its users: the
 * handlers of samples, and threads that walk their own stack.
 *
 * There is one walker and one set of names in a process. All functions but vm_walk_close() need the
 * agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct agent;
struct hs_layout;
struct ring;
struct walker;

/**
 * Add a user; the first one makes the walker ready. From now on samples of handlers or hooks wait
 * in `ring`. NULL: the user has no ring.
 * Errors: 0; negative, with *ret_why saying what is missing (static text). Owner: vm_walk_close().
 */
int vm_walk_open(struct agent *a, const struct ring *ring, const char **ret_why);
/** Remove a user and its ring; the last one releases everything, and no thread walks any more.
 * Context: java, lock not held. */
void vm_walk_close(const struct ring *ring);
/** The walker's facts about this VM; valid between vm_walk_open() and vm_walk_close(). */
const struct hs_layout *vm_walk_layout(void);
/** The walker of mixed stacks; valid as vm_walk_layout() is. */
const struct walker *vm_walk_mixed(void);
/**
 * Drop names that no sample needs any more, as frame_vm_turn() does. It may also be called after
 * vm_walk_open() has failed; then there are no names.
 */
void vm_walk_turn(void);
