/*
 * asgst_target.h - which thread a call of the older interfaces means, and where the walk begins.
 *
 * The functions read the VM's list of threads and the limits of their stacks by guarded loads,
 * because threads may end meanwhile. Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "asgst/asgst_vm.h"
#include "safe/asgst_iter.h"
#include "safe/regs.h"

struct asgst_target {
    uint64_t thread; /* address of the JavaThread; 0 none */
    bool has_regs;   /* false: the walk begins at the thread's anchor */
    struct regs regs;
    /* as in struct mem_view; NULL for another thread, whose stack may be unmapped meanwhile */
    const void *window;
};

/** The thread on whose stack the stack pointer of `ucontext` lies. If `ucontext` is NULL, the
 * calling thread at its anchor. */
void asgst_target_of_ucontext(struct asgst_target *t, const struct asgst_vm *vm,
                              const void *ucontext);

/** The calling thread, at the code address `pc` with the registers `sp` and `fp`. */
void asgst_target_here(struct asgst_target *t, const struct asgst_vm *vm, uint64_t pc, uint64_t sp,
                       uint64_t fp);

/** The thread `thread`, from `ucontext`; if `ucontext` is NULL, from the thread's anchor. */
void asgst_target_of_thread(struct asgst_target *t, const struct asgst_vm *vm, uint64_t thread,
                            const void *ucontext);

/** Whether a load of this process's memory may fail in the calling thread without harm. The answer
 * takes one system call. */
bool asgst_target_may_read(void);

/** Begin a walk of the target. Results are those of asgst_iter_begin(). */
int asgst_target_begin(const struct asgst_target *t, const struct asgst_vm *vm,
                       struct asgst_iter *it, int includes_non_java);
