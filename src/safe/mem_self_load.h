/*
 * mem_self_load.h - the loads that may fault: one instruction each, in line in the reader's code.
 *
 * Each load leaves a row in a section of its own. The row has the address of the load, and the
 * address at which to go on if the load faults. The handler in mem_self.c finds the row by the
 * address of the instruction that faulted (the kernel does the same for its copies from and to user
 * memory). The code at the second address counts the fault, and goes back behind the load with the
 * value 0. Use the loads only if that handler is installed (mem.h checks this).
 * Context: signal. Reads only the address given.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** One row: two addresses, each relative to its own place. */
struct mem_self_load_row {
    int32_t at, to;
};

/** The place of the interrupted instruction's address in a signal's context. A file per CPU. */
uint64_t *mem_self_load_pc(void *ucontext);

/* Label 1 is at the load, label 2 behind it, and label 3 at the code that runs after a fault. */
#define MEM_SELF_LOAD_ROW                                                                          \
    "\n2:\n"                                                                                       \
    ".pushsection mem_self_rows,\"a\"\n"                                                           \
    "  .balign 4\n"                                                                                \
    "  .long 1b - .\n"                                                                             \
    "  .long 3f - .\n"                                                                             \
    ".popsection\n"                                                                                \
    ".pushsection .text.mem_self_load,\"ax\"\n"                                                    \
    "3:\n"

#if defined(__x86_64__)
#define MEM_SELF_LOAD_FROM "m"
#define MEM_SELF_LOAD8 "mov %[from], %[value]"
#define MEM_SELF_LOAD4 "mov %[from], %k[value]"
#define MEM_SELF_LOAD2 "movzwl %[from], %k[value]"
#define MEM_SELF_LOAD1 "movzbl %[from], %k[value]"
#define MEM_SELF_LOAD_FAULT "  incl %[faults]\n  xor %k[value], %k[value]\n  jmp 2b\n"
#elif defined(__aarch64__)
#define MEM_SELF_LOAD_FROM "Q"
#define MEM_SELF_LOAD8 "ldr %x[value], %[from]"
#define MEM_SELF_LOAD4 "ldr %w[value], %[from]"
#define MEM_SELF_LOAD2 "ldrh %w[value], %[from]"
#define MEM_SELF_LOAD1 "ldrb %w[value], %[from]"
#define MEM_SELF_LOAD_FAULT                                                                        \
    "  ldr %w[value], %[faults]\n  add %w[value], %w[value], #1\n"                                 \
    "  str %w[value], %[faults]\n  mov %x[value], #0\n  b 2b\n"
#endif

/** The number at `addr`. After a fault the result is 0, and *faults is one more. */
#define MEM_SELF_LOAD(bytes, type)                                                                 \
    static inline type mem_self_load##bytes(uint64_t addr, uint32_t *faults)                       \
    {                                                                                              \
        struct __attribute__((packed, may_alias)) at {                                             \
            type value;                                                                            \
        };                                                                                         \
        uint64_t value;                                                                            \
        __asm__ volatile("1: " MEM_SELF_LOAD##bytes MEM_SELF_LOAD_ROW MEM_SELF_LOAD_FAULT          \
                         ".popsection\n"                                                           \
                         : [value] "=&r"(value), [faults] "+m"(*faults)                            \
                         : [from] MEM_SELF_LOAD_FROM(*(const struct at *)addr)                     \
                         : "cc");                                                                  \
        return (type)value;                                                                        \
    }
MEM_SELF_LOAD(8, uint64_t)
MEM_SELF_LOAD(4, uint32_t)
MEM_SELF_LOAD(2, uint16_t)
MEM_SELF_LOAD(1, uint8_t)
#undef MEM_SELF_LOAD
