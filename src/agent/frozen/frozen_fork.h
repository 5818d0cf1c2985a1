/*
 * frozen_fork.h - the pause: the roots are collected, the process forks, and the VM goes on.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct frozen;

/**
 * Walk to the end of the roots and fork. Returns only in the parent.
 * Errors: 0: `fork.child` is set; negative: there is no child, and `status->why` says why.
 * Context: java, agent's lock held.
 */
int frozen_fork_start(struct frozen *f);
/**
 * Fork, in a callback of a walk. In the parent the function sets `fork.child`, `fork.error` or
 * `fork.no_room`. In the child it sets `fork.is_child`, and has called frozen_child_enter().
 * `at_end`: the child runs no more code of the VM, so handlers of fork() are left out.
 * Context: gc.
 */
void frozen_fork_here(struct frozen *f, bool at_end);
