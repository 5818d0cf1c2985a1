/*
 * mem_self_load_x86_64.c - guarded loads, x86-64.
 * Source: System V ABI for x86-64 (arguments rdi, rsi, rdx; direction flag clear at calls).
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
        "  .type mem_self_load8,@function\n"
        "  .type mem_self_load4,@function\n"
        "  .type mem_self_load2,@function\n"
        "  .type mem_self_load1,@function\n"
        "  .type mem_self_load_bytes,@function\n"
        "mem_self_load_begin:\n"
        "mem_self_load8:\n"
        "  mov (%rdi), %rax\n"
        "  mov %rax, (%rsi)\n"
        "  xor %eax, %eax\n"
        "  ret\n"
        "mem_self_load4:\n"
        "  mov (%rdi), %eax\n"
        "  mov %eax, (%rsi)\n"
        "  xor %eax, %eax\n"
        "  ret\n"
        "mem_self_load2:\n"
        "  movzwl (%rdi), %eax\n"
        "  mov %ax, (%rsi)\n"
        "  xor %eax, %eax\n"
        "  ret\n"
        "mem_self_load1:\n"
        "  movzbl (%rdi), %eax\n"
        "  mov %al, (%rsi)\n"
        "  xor %eax, %eax\n"
        "  ret\n"
        "mem_self_load_bytes:\n"
        "  xchg %rdi, %rsi\n"
        "  mov %rdx, %rcx\n"
        "  rep movsb\n"
        "  xor %eax, %eax\n"
        "  ret\n"
        "mem_self_load_end:\n"
        "mem_self_load_fail:\n"
        "  mov $-14, %eax\n"
        "  ret\n"
        ".popsection\n");

int mem_self_load_fixup(void *ucontext)
{
    ucontext_t *uc = ucontext;
    uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    if (pc < (uint64_t)mem_self_load_begin || pc >= (uint64_t)mem_self_load_end)
        return 0;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)mem_self_load_fail;
    return 1;
}
