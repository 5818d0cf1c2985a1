/*
 * frozen_fork.h - the pause: the roots are collected, the process forks, the VM goes on.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct frozen;

/**
 * Walk to the end of the roots and fork. In the parent: 0 with `fork.child` set, or negative when
 * there is no child (`status->why` says why). Context: java, agent's lock held.
 */
int frozen_fork_start(struct frozen *f);
/**
 * In the callback of a walk: fork. In the parent this sets `fork.child`, `fork.error` or
 * `fork.no_room`; in the child it sets `fork.is_child`, and the child has been entered. Context:
 * gc.
 */
void frozen_fork_here(struct frozen *f, bool at_end);
