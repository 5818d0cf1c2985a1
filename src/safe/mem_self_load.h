/*
 * mem_self_load.h - the loads that may fault: one instruction each, where the reader stands.
 *
 * Each load leaves a row in a section of its own: where it stands, and where to go on if it faults.
 * The handler in mem_self.c finds the row by the address of the instruction that faulted, as the
 * kernel does for its copies from and to user memory; what stands there counts the fault and goes
 * back behind the load with 0. Use them only where that handler is in place (mem.h asks).
 * Context: signal. Reads the address given, and nothing else. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** A row: two addresses, each relative to where it lies. */
struct mem_self_load_row {
    int32_t at, to;
};

/** Where a signal's context keeps the address of the interrupted instruction. One file per CPU. */
uint64_t *mem_self_load_pc(void *ucontext);

/* The label 1 is at the load, 2 behind the load, and 3 at what follows a fault. */
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

/** The number at `addr`; after a fault 0, and *faults is one more. */
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
