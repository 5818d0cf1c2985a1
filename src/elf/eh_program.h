/*
 * eh_program.h - run a program of call frame information: where the caller's registers are, for
 * each piece of a function's code.
 *
 * A row has what a walk needs: the frame's address, the saved frame pointer and the return address.
 * A damaged program ends with an error.
 * Source: DWARF 5 section 6.4.2, and the additions of GNU and AArch64. Context of everything here:
 * any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "elf/eh_read.h"
#include "safe/cfi.h"

/** The data that the programs of several functions share (a CIE), and the CPU. */
struct eh_program {
    uint64_t code_align;
    int64_t data_align;
    uint32_t ra, fp, sp; /* numbers of registers */
    bool is_signal;
    struct eh_read first; /* the rules with which each function begins */
};

/** Called with the row of the code from address `addr` on. A result other than 0 ends the run. */
typedef int (*eh_program_emit)(void *arg, uint64_t addr, const struct cfi_row *row);

/** Set `fp` and `sp`. */
void eh_program_set_cpu(struct eh_program *p, uint16_t elf_machine);

/**
 * Run `body`, the program of the function at `start`. In the rows that `emit` gets, `row.pc` is 0.
 * Errors: 0; E_FORMAT, E_TRUNCATED; the result of `emit`.
 */
int eh_program_run(const struct eh_program *p, struct eh_read body, uint64_t start,
                   eh_program_emit emit, void *arg);
