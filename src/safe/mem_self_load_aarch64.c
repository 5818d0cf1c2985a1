/*
 * mem_self_load_aarch64.c - guarded loads, aarch64.
 * Source: AAPCS64 (arguments x0, x1, x2; return address in x30, which the routines leave alone).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/mem_self_load.h"
#include <ucontext.h>

extern const char mem_self_load_begin[], mem_self_load_end[], mem_self_load_fail[];

/* -14 is -EFAULT. */
__asm__(".pushsection .text.mem_self_load,\"ax\",@progbits\n"
        "  .globl mem_self_load8, mem_self_load4, mem_self_load2, mem_self_load1\n"
        "  .globl mem_self_load_bytes, mem_self_load_begin, mem_self_load_end, mem_self_load_fail\n"
        "  .hidden mem_self_load8, mem_self_load4, mem_self_load2, mem_self_load1\n"
        "  .hidden mem_self_load_bytes\n"
        "  .hidden mem_self_load_begin, mem_self_load_end, mem_self_load_fail\n"
        "  .type mem_self_load8,%function\n"
        "  .type mem_self_load4,%function\n"
        "  .type mem_self_load2,%function\n"
        "  .type mem_self_load1,%function\n"
        "  .type mem_self_load_bytes,%function\n"
        "mem_self_load_begin:\n"
        "mem_self_load8:\n"
        "  ldr x2, [x0]\n"
        "  str x2, [x1]\n"
        "  mov w0, #0\n"
        "  ret\n"
        "mem_self_load4:\n"
        "  ldr w2, [x0]\n"
        "  str w2, [x1]\n"
        "  mov w0, #0\n"
        "  ret\n"
        "mem_self_load2:\n"
        "  ldrh w2, [x0]\n"
        "  strh w2, [x1]\n"
        "  mov w0, #0\n"
        "  ret\n"
        "mem_self_load1:\n"
        "  ldrb w2, [x0]\n"
        "  strb w2, [x1]\n"
        "  mov w0, #0\n"
        "  ret\n"
        "mem_self_load_bytes:\n"
        "1: cbz x2, 2f\n"
        "  ldrb w3, [x0], #1\n"
        "  strb w3, [x1], #1\n"
        "  sub x2, x2, #1\n"
        "  b 1b\n"
        "2: mov w0, #0\n"
        "  ret\n"
        "mem_self_load_end:\n"
        "mem_self_load_fail:\n"
        "  mov w0, #-14\n"
        "  ret\n"
        ".popsection\n");

int mem_self_load_fixup(void *ucontext)
{
    ucontext_t *uc = ucontext;
    uint64_t pc = uc->uc_mcontext.pc;
    if (pc < (uint64_t)mem_self_load_begin || pc >= (uint64_t)mem_self_load_end)
        return 0;
    uc->uc_mcontext.pc = (uint64_t)mem_self_load_fail;
    return 1;
}
