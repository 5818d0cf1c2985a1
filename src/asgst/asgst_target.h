/*
 * asgst_target.h - whose stack a call of the older interfaces means, and where the walk begins.
 *
 * Reads the VM's list of threads and their stack limits by guarded loads: threads may end
 * meanwhile. Context of everything here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "asgst/asgst_vm.h"
#include "safe/asgst_iter.h"
#include "safe/regs.h"

struct asgst_target {
    uint64_t thread; /* JavaThread, 0 none */
    bool has_regs;   /* 0: begin at the thread's anchor */
    struct regs regs;
    const void *window; /* as in struct mem_view: another thread's stack may go away, so NULL */
};

/** The thread on whose stack a signal's `ucontext` lies; NULL: the calling thread at its anchor. */
void asgst_target_of_ucontext(struct asgst_target *t, const struct asgst_vm *vm,
                              const void *ucontext);

/** The calling thread, at the frame above which `sp` was the stack pointer. */
void asgst_target_here(struct asgst_target *t, const struct asgst_vm *vm, uint64_t pc, uint64_t sp,
                       uint64_t fp);

/** This thread, from `ucontext`, or from its anchor if that is NULL. */
void asgst_target_of_thread(struct asgst_target *t, const struct asgst_vm *vm, uint64_t thread,
                            const void *ucontext);

/** Whether a load of this process's memory may fail in the calling thread. The answer takes one
 * system call. */
bool asgst_target_may_read(void);

/** Begin a walk of the target: results as those of asgst_iter_begin(). */
int asgst_target_begin(const struct asgst_target *t, const struct asgst_vm *vm,
                       struct asgst_iter *it, int includes_non_java);
