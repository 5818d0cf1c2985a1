/*
 * frozen_child.h - the forked child that sees the frozen heap: it is entered once, does the work of
 * the frozen_use, and ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct frozen;

/** When memory is short the kernel ends that process first: `path` is its oom_score_adj. */
void frozen_child_goes_first(const char *path);
/** Right behind the fork: nothing of the child touches the program from now on. */
void frozen_child_enter(struct frozen *f);
/** The roots are known, and nothing of the VM is needed any more: work, and end. */
void frozen_child_run(struct frozen *f) __attribute__((noreturn));
/** Where the walk of JVM TI is at its end the VM would go on; frozen_child_run() then runs. */
void frozen_child_take_over(struct frozen *f);
/** Memory of the heap that has been read for good is given back: from now on the program's stores
 * there cost nothing. `arg` is the frozen. In any thread of the child. */
void frozen_child_give_back(void *arg, uint64_t from, uint64_t to);
