/*
 * regs_aarch64.c - see regs.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/regs.h"
#include <string.h>
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

/* The page in front of the code may not be mapped, so it is not read. */
bool regs_at_call(const struct regs *regs)
{
    static const unsigned char svc_code[] = {0x01, 0x00, 0x00, 0xd4};
    enum { PAGE = 4096, BYTES = sizeof(svc_code) };
    const char *pc = (const char *)(uintptr_t)regs->pc;
    if (memcmp(pc, svc_code, BYTES) == 0)
        return true;
    return regs->pc % PAGE >= BYTES && memcmp(pc - BYTES, svc_code, BYTES) == 0;
}
