/*
 * frozen_child.h - the forked child that sees the frozen heap.
 *
 * The child is entered once, does the work of the frozen_use, and ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct frozen;

/** Ask the kernel to kill this process first when memory is short. `path` is the oom_score_adj file
 * of the process. */
void frozen_child_goes_first(const char *path);
/** Called right after the fork: cut all connections of the child to the program, for example
 * signals and files. */
void frozen_child_enter(struct frozen *f);
/** Do the work and end. The roots are known, and nothing of the VM is needed any more. */
void frozen_child_run(struct frozen *f) __attribute__((noreturn));
/** Let the walk of JVM TI go on in the child. At the end of the walk frozen_child_run() runs in
 * place of the VM's code. */
void frozen_child_take_over(struct frozen *f);
/** Give back memory of the heap that the child does not read again. The program's stores to this
 * memory then need no copies any more. `arg` is the struct frozen. In any thread of the child. */
void frozen_child_give_back(void *arg, uint64_t from, uint64_t to);
