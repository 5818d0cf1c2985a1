/*
 * regs_aarch64.c - see regs.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/regs.h"
#include <ucontext.h>

void regs_of_ucontext(const void *ucontext, struct regs *ret_regs)
{
    const mcontext_t *m = &((const ucontext_t *)ucontext)->uc_mcontext;
    for (unsigned i = 0; i < 31; i++)
        ret_regs->r[i] = m->regs[i];
    ret_regs->r[31] = 0;
    ret_regs->pc = m->pc;
    ret_regs->sp = m->sp;
    ret_regs->fp = m->regs[29];
    ret_regs->lr = m->regs[30];
}
