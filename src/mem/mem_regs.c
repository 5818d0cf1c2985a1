/*
 * mem_regs.c - see mem_regs.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/mem_regs.h"
#include "base/err.h"
#include <elf.h>
#include <string.h>

/* The index in the kernel's array of rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8..r15. */
static const unsigned char x86_order[16] = {10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0};
enum { X86_RIP = 16, X86_WORDS = 27, ARM_SP = 31, ARM_PC = 32, ARM_WORDS = 34 };

int mem_regs_read(unsigned machine, const void *bytes, size_t len, struct regs *ret_regs)
{
    uint64_t words[ARM_WORDS];
    size_t want = machine == EM_AARCH64 ? ARM_WORDS : X86_WORDS;
    if (machine != EM_AARCH64 && machine != EM_X86_64)
        return E_UNSUPPORTED;
    if (len < want * sizeof(*words))
        return E_TRUNCATED;
    memcpy(words, bytes, want * sizeof(*words));
    memset(ret_regs, 0, sizeof(*ret_regs));
    if (machine == EM_AARCH64) {
        memcpy(ret_regs->r, words, 31 * sizeof(*words));
        ret_regs->fp = words[29];
        ret_regs->lr = words[30];
        ret_regs->sp = words[ARM_SP];
        ret_regs->pc = words[ARM_PC];
        return 0;
    }
    for (int i = 0; i < 16; i++)
        ret_regs->r[i] = words[x86_order[i]];
    ret_regs->pc = words[X86_RIP];
    ret_regs->sp = ret_regs->r[4];
    ret_regs->fp = ret_regs->r[5];
    return 0;
}
