/*
 * vm_walk.h - the walker of this VM and the names that it copies, for all who walk with it: the
 * handlers of samples, and threads that look at themselves.
 *
 * There is one of each in a process. All functions need the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct agent;
struct hs_layout;
struct ring;

/**
 * One user more; the first one makes it ready. Errors: 0; negative with *ret_why saying what is
 * missing (static text). Owner: vm_walk_close().
 */
int vm_walk_open(struct agent *a, const char **ret_why);
/** One user less; the last one gives all back: nobody walks any more. */
void vm_walk_close(void);
/** What the walker knows of this VM, between the two. */
const struct hs_layout *vm_walk_layout(void);
/** Samples of handlers wait in a ring from now on, or do so no more. */
void vm_walk_set_ring(bool has_ring);
/** Names that nobody needs any more go, as frame_vm_turn(); NULL: does nothing where there is a
 * ring, whose reader does it. Also where vm_walk_open() has failed: then there are none. */
void vm_walk_turn(const struct ring *ring);
