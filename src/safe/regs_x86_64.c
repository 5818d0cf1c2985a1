/*
 * regs_x86_64.c - see regs.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/regs.h"
#include <string.h>
#include <ucontext.h>

void regs_of_ucontext(const void *ucontext, struct regs *ret_regs)
{
    static const unsigned char order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                            REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                            REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t *g = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
    for (unsigned i = 0; i < 16; i++)
        ret_regs->r[i] = (uint64_t)g[order[i]];
    for (unsigned i = 16; i < 32; i++)
        ret_regs->r[i] = 0;
    ret_regs->pc = (uint64_t)g[REG_RIP];
    ret_regs->sp = (uint64_t)g[REG_RSP];
    ret_regs->fp = (uint64_t)g[REG_RBP];
    ret_regs->lr = 0;
}

/* The page in front of the code may not be mapped, so it is not read. */
bool regs_at_call(const struct regs *regs)
{
    static const unsigned char syscall_code[] = {0x0f, 0x05};
    enum { PAGE = 4096, BYTES = sizeof(syscall_code) };
    const char *pc = (const char *)(uintptr_t)regs->pc;
    if (regs->pc % PAGE <= PAGE - BYTES && memcmp(pc, syscall_code, BYTES) == 0)
        return true;
    return regs->pc % PAGE >= BYTES && memcmp(pc - BYTES, syscall_code, BYTES) == 0;
}
