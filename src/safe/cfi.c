/*
 * cfi.c - see cfi.h. This file reads only the stack, through the view.
 * Source: Linux struct rt_sigframe of x86-64 and aarch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/cfi.h"

/* Offsets of registers in the kernel's signal frame, from the stack pointer in the trampoline. */
enum {
    X86_SIGNAL_REGS = 40,
    X86_SIGNAL_PC = X86_SIGNAL_REGS + 16 * 8,
    ARM_SIGNAL_REGS = 128 + 176 + 8, /* x0 to x30, sp, pc */
};
/* The places of rax rcx rdx rbx rsp rbp rsi rdi r8..r15 in the kernel's order. */
static const uint8_t x86_places[16] = {13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7};

const struct cfi_row *cfi_find(const struct cfi_table *t, uint64_t pc)
{
    if (pc < t->base || pc >= t->end || t->count == 0)
        return NULL;
    uint32_t rel = (uint32_t)(pc - t->base), low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->rows[middle].pc <= rel)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : &t->rows[low - 1];
}

int cfi_signal_regs(struct mem_view *v, enum hs_cpu cpu, uint64_t sp, struct regs *ret_regs)
{
    struct regs up = {0};
    uint32_t faults = v->faults;
    if (cpu == HS_CPU_X86_64) {
        uint64_t at = sp + X86_SIGNAL_REGS;
        for (unsigned i = 0; i < 16; i++)
            up.r[i] = mem_view_u8(v, at + (uint64_t)x86_places[i] * 8);
        up.pc = mem_view_u8(v, sp + X86_SIGNAL_PC);
        up.sp = up.r[REGS_RSP];
        up.fp = up.r[REGS_RBP];
    } else {
        uint64_t at = sp + ARM_SIGNAL_REGS;
        for (unsigned i = 0; i < 31; i++)
            up.r[i] = mem_view_u8(v, at + (uint64_t)i * 8);
        up.fp = up.r[29];
        up.lr = up.r[30];
        up.sp = mem_view_u8(v, at + 31UL * 8);
        up.pc = mem_view_u8(v, at + 32UL * 8);
    }
    if (v->faults != faults || up.pc == 0)
        return -1;
    *ret_regs = up;
    return 1;
}

static int step_signal(struct mem_view *v, enum hs_cpu cpu, struct cfi_regs *r)
{
    struct regs up;
    if (cfi_signal_regs(v, cpu, r->sp, &up) < 0)
        return -1;
    *r = (struct cfi_regs){up.pc, up.sp, up.fp, cpu == HS_CPU_X86_64 ? r->lr : up.lr};
    return 1;
}

/* The CFA that a row gives; 0: not known. */
static uint64_t cfa_of(struct mem_view *v, const struct cfi_row *row, const struct cfi_regs *r)
{
    uint64_t offset = (uint64_t)(int64_t)row->cfa_offset;
    switch (row->cfa) {
    case CFI_CFA_SP:
        return r->sp + offset;
    case CFI_CFA_FP:
        return r->fp + offset;
    case CFI_CFA_FP_DEREF:
        return mem_view_u8(v, r->fp + offset);
    case CFI_CFA_PLT:
        return r->sp + 8 + ((r->pc & 15) >= 11 ? 8 : 0);
    default:
        return 0;
    }
}

int cfi_step(struct mem_view *v, enum hs_cpu cpu, const struct cfi_row *row, struct cfi_regs *r,
             bool *ret_is_interrupted)
{
    struct cfi_regs up = *r;
    uint32_t faults = v->faults;
    *ret_is_interrupted = false;
    if (row->cfa == CFI_CFA_END)
        return 0;
    if (row->cfa == CFI_CFA_SIGNAL) {
        *ret_is_interrupted = true;
        return step_signal(v, cpu, r);
    }
    uint64_t cfa = cfa_of(v, row, r);
    /* The stack grows down: the caller's frame lies above. A leaf function of aarch64 may have no
     * frame at all. */
    if (v->faults != faults || cfa == 0 || (cfa & 7) != 0 || cfa < r->sp ||
        (cfa == r->sp && row->ra_offset != CFI_SAME))
        return -1;
    if (row->ra_offset != CFI_SAME)
        up.pc = mem_view_u8(v, cfa + (uint64_t)(int64_t)row->ra_offset);
    else if (cpu == HS_CPU_AARCH64 && r->lr != r->pc)
        up.pc = r->lr;
    else
        return -1;
    if (cpu == HS_CPU_AARCH64)
        up.pc &= ((uint64_t)1 << 48) - 1; /* without the signature of pac-ret */
    if (row->fp_offset != CFI_SAME)
        up.fp = mem_view_u8(v, cfa + (uint64_t)(int64_t)row->fp_offset);
    up.sp = cfa;
    up.lr = up.pc;
    if (v->faults != faults)
        return -1;
    if (up.pc == 0)
        return 0;
    *r = up;
    return 1;
}
