/*
 * asgst_target.c - see asgst_target.h.
 *
 * Runs in signal handlers, under the rules of src/safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_target.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include "safe/walk.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MASK_BYTES = 8 }; /* size of the kernel's signal sets */

static void set_regs(struct asgst_target *t, const struct asgst_vm *vm)
{
    t->has_regs = true;
    /* The memory above the stack pointer is mapped, because this code runs on the thread whose
     * stack it is. */
    if (t->thread != 0 && t->thread == asgst_thread_current(&mem_self, vm->layout))
        t->window = (const void *)(t->regs.sp & ~(uint64_t)7);
}

void asgst_target_of_thread(struct asgst_target *t, const struct asgst_vm *vm, uint64_t thread,
                            const void *ucontext)
{
    *t = (struct asgst_target){.thread = thread};
    if (!ucontext)
        return;
    regs_of_ucontext(ucontext, &t->regs);
    set_regs(t, vm);
}

void asgst_target_of_ucontext(struct asgst_target *t, const struct asgst_vm *vm,
                              const void *ucontext)
{
    struct mem_view v = {.mem = &mem_self};
    uint64_t own = asgst_thread_current(&mem_self, vm->layout);
    asgst_target_of_thread(t, vm, own, ucontext);
    if (!ucontext || (own != 0 && asgst_thread_has_stack(&v, vm->layout, own, t->regs.sp)))
        return;
    t->thread = asgst_thread_of_stack(&v, vm->layout, t->regs.sp);
    t->window = NULL;
}

void asgst_target_here(struct asgst_target *t, const struct asgst_vm *vm, uint64_t pc, uint64_t sp,
                       uint64_t fp)
{
    *t = (struct asgst_target){.thread = asgst_thread_current(&mem_self, vm->layout),
                               .regs = {.pc = pc, .sp = sp, .fp = fp}};
    set_regs(t, vm);
}

/* The handler's own signal mask counts, too: it may differ from the mask of the interrupted
 * code. */
bool asgst_target_may_read(void)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, MASK_BYTES);
    return mem_self_may_fail(&blocked);
}

int asgst_target_begin(const struct asgst_target *t, const struct asgst_vm *vm,
                       struct asgst_iter *it, int includes_non_java)
{
    if (t->thread == 0)
        return -(1 + WALK_NO_JAVA_FRAME);
    return asgst_iter_begin(it, vm->memory, t->thread, t->has_regs ? &t->regs : NULL, t->window,
                            includes_non_java);
}
