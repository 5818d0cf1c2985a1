/*
 * cfi.h - go from a frame of C or C++ code to its caller, by prepared rows of call frame
 * information.
 *
 * A row is valid for the code from one address to the next row. It says where the canonical frame
 * address is (CFA: the caller's stack pointer at the call), and where the return address and the
 * caller's frame pointer were saved. A row has only what a walk needs: other registers are not
 * followed. Rows are made outside of handlers (src/elf/eh_frame.h) and may be looked up and used
 * everywhere.
 * Source: DWARF 5 section 6.4; System V ABI x86-64 3.7, aarch64 DWARF ABI.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"
#include "safe/regs.h"

enum cfi_cfa {
    CFI_CFA_UNKNOWN,  /* no information, or information in a form that is not followed */
    CFI_CFA_SP,       /* stack pointer + cfa_offset */
    CFI_CFA_FP,       /* frame pointer + cfa_offset */
    CFI_CFA_FP_DEREF, /* the word at frame pointer + cfa_offset */
    CFI_CFA_PLT,      /* x86-64 stub of the linker: a word has been pushed from byte 11 on */
    CFI_CFA_SIGNAL,   /* return from a signal handler: the kernel's frame has the registers */
    CFI_CFA_END,      /* the first frame of a thread */
};

/** The offset of a register that was not saved: the register still has the caller's value. */
#define CFI_SAME INT16_MIN

struct cfi_row {
    uint32_t pc; /* first address of the row, relative to the table's base */
    int32_t cfa_offset;
    int16_t fp_offset, ra_offset; /* bytes from the CFA */
    uint8_t cfa;                  /* enum cfi_cfa */
};

struct cfi_table {
    uint64_t base, end; /* addresses in the target */
    const struct cfi_row *rows;
    uint32_t count;
};

/** The registers that are followed. `lr` is used on aarch64 only. */
struct cfi_regs {
    uint64_t pc, sp, fp, lr;
};

/** The row for `pc`, or NULL. For a return address pass the address less 1. */
const struct cfi_row *cfi_find(const struct cfi_table *t, uint64_t pc);

/**
 * Go to the caller, in place. Returns 1; 0 if this was the first frame of the thread; -1 if no
 * caller can be found, and then `r` is unchanged. *ret_is_interrupted says that the caller made no
 * call: a signal interrupted it.
 */
int cfi_step(struct mem_view *v, enum hs_cpu cpu, const struct cfi_row *row, struct cfi_regs *r,
             bool *ret_is_interrupted);

/** The registers of the code that a signal interrupted. `sp` is the stack pointer in the trampoline
 * to which the signal's handler returns. Returns 1, or -1 if the kernel's frame cannot be read;
 * then `ret_regs` is unchanged. */
int cfi_signal_regs(struct mem_view *v, enum hs_cpu cpu, uint64_t sp, struct regs *ret_regs);
