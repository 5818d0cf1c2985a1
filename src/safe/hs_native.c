/*
 * hs_native.c - see hs_native.h. This file reads the stack through the cursor's view.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_native.h"
#include "safe/hs_code.h"
#include "safe/unwind.h"

/* The greatest number of frames of C code between Java code and an interrupted instruction. */
enum { FRAMES_MAX = 256 };

int hs_native_step_leaf(const struct hs_cursor *c, struct cfi_regs *r)
{
    struct cfi_row row;
    if (c->layout->cpu != HS_CPU_X86_64)
        return -1;
    uint64_t pc = mem_view_u8(c->view, r->sp);
    if (!unwind_find(c->unwind, pc - 1, &row))
        return -1;
    r->pc = pc;
    r->sp += 8;
    return 1;
}

int hs_native_step(const struct hs_cursor *c, uint64_t pc, struct cfi_regs *r, bool *interrupted)
{
    struct cfi_row row;
    if (!c->unwind)
        return -1;
    if (unwind_find(c->unwind, pc, &row))
        return cfi_step(c->view, c->layout->cpu, &row, r, interrupted);
    if (!*interrupted)
        return -1;
    *interrupted = false;
    return hs_native_step_leaf(c, r);
}

int hs_native_leave(const struct hs_cursor *c, struct cfi_regs *r, bool interrupted)
{
    for (int n = 0; n < FRAMES_MAX && !hs_code_contains(c->layout, r->pc); n++) {
        if (hs_native_step(c, interrupted ? r->pc : r->pc - 1, r, &interrupted) <= 0)
            return 0;
    }
    return hs_code_contains(c->layout, r->pc);
}

void hs_native_leave_handler(const struct hs_cursor *c, struct regs *regs)
{
    struct cfi_regs up = {regs->pc, regs->sp, regs->fp, regs->lr};
    bool interrupted = true;
    for (int n = 0; n < FRAMES_MAX && !hs_code_contains(c->layout, up.pc); n++) {
        uint64_t sp = up.sp;
        if (hs_native_step(c, interrupted ? up.pc : up.pc - 1, &up, &interrupted) <= 0)
            return;
        if (interrupted && cfi_signal_regs(c->view, c->layout->cpu, sp, regs) < 0)
            return;
    }
}
