/*
 * asgst_mark.c - see asgst_mark.h.
 *
 * Runs in signal handlers, under the rules of src/safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_mark.h"
#include "asgst/asgst_vm.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { MASK_BYTES = 8 }; /* size of the kernel's signal sets */

/* The stack pointer of the anchor. 0: the thread runs Java code or code of the VM, or has no Java
 * frames. */
static uint64_t read_anchor(const struct hs_layout *l, uint64_t thread)
{
    struct mem_view v = {.mem = &mem_self};
    uint32_t state = hs_layout_state(l, mem_view_u4(&v, thread + (uint64_t)l->thread_state));
    if (state != HS_THREAD_IN_NATIVE && state != HS_THREAD_BLOCKED)
        return 0;
    uint64_t sp = mem_view_u8(&v, thread + (uint64_t)l->thread_anchor + (uint64_t)l->anchor_sp);
    return v.faults == 0 ? sp : 0;
}

void asgst_mark_visit(struct asgst_mark *m, const struct asgst_vm *vm, const void *ucontext)
{
    uint64_t blocked = 0, around;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, MASK_BYTES);
    uint64_t bits = atomic_load(&m->handler_bits);
    if (ucontext) {
        memcpy(&around, &((const ucontext_t *)ucontext)->uc_sigmask, sizeof(around));
        if ((blocked & ~around & ~bits) != 0) {
            bits |= blocked & ~around;
            atomic_store(&m->handler_bits, bits);
        }
    }
    atomic_store(&m->inside_bits, blocked & bits);
    uint64_t thread = vm ? asgst_thread_current(&mem_self, vm->layout) : 0;
    atomic_store(&m->thread, thread);
    atomic_store(&m->anchor_sp, thread != 0 ? read_anchor(vm->layout, thread) : 0);
}

int asgst_mark_stands(const struct asgst_mark *m, const struct asgst_vm *vm)
{
    uint64_t thread = atomic_load(&m->thread), sp = atomic_load(&m->anchor_sp);
    return thread != 0 && sp != 0 && read_anchor(vm->layout, thread) == sp;
}
