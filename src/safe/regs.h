/*
 * regs.h - the registers of a stopped thread, whatever its CPU.
 *
 * x86-64: r[] in the order of the instruction encoding (rax rcx rdx rbx rsp rbp rsi rdi r8..r15).
 * aarch64: r[0..30] are x0..x30. `lr` is 0 on x86-64.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct regs {
    uint64_t pc, sp, fp, lr;
    uint64_t r[32];
};

enum {
    REGS_RAX = 0,
    REGS_RDX = 2,
    REGS_RBX = 3,
    REGS_RSP = 4,
    REGS_RBP = 5,
    REGS_RSI = 6,
    REGS_RDI = 7,
    REGS_R13 = 13,
    REGS_R14 = 14,
    REGS_R15 = 15,
};

/** Read the registers from the ucontext of a signal on this machine. Context: signal. */
void regs_of_ucontext(const void *ucontext, struct regs *ret_regs);
/** Whether the interrupted thread stands at an instruction that calls the kernel, or behind it. So
 * it was in a call, which the kernel begins again or has ended. Reads the code there, which is
 * mapped because the thread runs it. Context: signal. */
bool regs_at_call(const struct regs *regs);
