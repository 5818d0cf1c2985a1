/*
 * eh_program.c - see eh_program.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/eh_program.h"
#include <elf.h>
#include "base/err.h"

/* Numbers of registers in call frame information. */
enum { X86_FP = 6, X86_SP = 7, ARM_FP = 29, ARM_SP = 31 };
enum { STATES_MAX = 16, OP_BREG0 = 0x70, OP_DEREF = 0x06 };

struct state {
    uint32_t cfa_reg;
    int64_t cfa_offset;
    int cfa_kind; /* -1: given by a register */
    int64_t fp, ra;
    bool is_end;
};

struct machine {
    const struct eh_program *program;
    struct state now, first, saved[STATES_MAX];
    int depth;
};

void eh_program_set_cpu(struct eh_program *p, uint16_t elf_machine)
{
    p->fp = elf_machine == EM_AARCH64 ? ARM_FP : X86_FP;
    p->sp = elf_machine == EM_AARCH64 ? ARM_SP : X86_SP;
}

static void set_register(struct machine *m, uint64_t reg, int64_t value)
{
    if (reg == m->program->fp)
        m->now.fp = value;
    else if (reg == m->program->ra)
        m->now.ra = value;
}

static void restore(struct machine *m, uint64_t reg)
{
    if (reg == m->program->fp)
        m->now.fp = m->first.fp;
    else if (reg == m->program->ra)
        m->now.ra = m->first.ra;
}

static void def_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    m->now.cfa_kind = -1;
    m->now.cfa_reg = (uint32_t)reg;
    m->now.cfa_offset = offset;
}

/* Read a CFA that is given by an expression. Two forms are known: that of the linker's stub, and
 * one load at an offset from the frame pointer. */
static void read_expression(struct machine *m, struct eh_read *r)
{
    const struct eh_program *p = m->program;
    struct eh_read e = eh_read_block(r);
    int64_t len = e.end - e.p;
    uint64_t op;
    int64_t offset;
    if (r->failed)
        return;
    op = eh_read_take(&e, 1);
    offset = eh_read_sleb(&e);
    m->now.cfa_kind = CFI_CFA_UNKNOWN;
    if (op == OP_BREG0 + p->fp && eh_read_take(&e, 1) == OP_DEREF && e.p == e.end) {
        m->now.cfa_kind = CFI_CFA_FP_DEREF;
        m->now.cfa_offset = offset;
    } else if (p->sp == X86_SP && op == OP_BREG0 + X86_SP && offset == 8 && len == 11) {
        m->now.cfa_kind = CFI_CFA_PLT;
    }
}

/* A factor of a rule as an offset. In a damaged table the product may be too large; it then wraps,
 * and is as wrong as the table. */
static int64_t scaled(const struct machine *m, uint64_t factor)
{
    return (int64_t)(factor * (uint64_t)m->program->data_align);
}

/* Run a rule for the CFA. Returns 1, or 0 if the instruction is not such a rule. */
static int run_cfa_rule(struct machine *m, unsigned op, struct eh_read *r)
{
    uint64_t reg;
    switch (op) {
    case 0x0c: /* def_cfa */
        reg = eh_read_uleb(r);
        def_cfa(m, reg, (int64_t)eh_read_uleb(r));
        return 1;
    case 0x12: /* def_cfa_sf */
        reg = eh_read_uleb(r);
        def_cfa(m, reg, scaled(m, (uint64_t)eh_read_sleb(r)));
        return 1;
    case 0x0d: /* def_cfa_register */
        def_cfa(m, eh_read_uleb(r), m->now.cfa_offset);
        return 1;
    case 0x0e: /* def_cfa_offset */
        m->now.cfa_offset = (int64_t)eh_read_uleb(r);
        return 1;
    case 0x13: /* def_cfa_offset_sf */
        m->now.cfa_offset = scaled(m, (uint64_t)eh_read_sleb(r));
        return 1;
    case 0x0f: /* def_cfa_expression */
        read_expression(m, r);
        return 1;
    default:
        return 0;
    }
}

/* Run a rule for a register. Returns 1, or 0 if the instruction is not such a rule. */
static int run_register_rule(struct machine *m, unsigned op, struct eh_read *r)
{
    uint64_t reg;
    switch (op) {
    case 0x05: /* offset_extended */
        reg = eh_read_uleb(r);
        set_register(m, reg, scaled(m, eh_read_uleb(r)));
        return 1;
    case 0x11: /* offset_extended_sf */
        reg = eh_read_uleb(r);
        set_register(m, reg, scaled(m, (uint64_t)eh_read_sleb(r)));
        return 1;
    case 0x2f: /* GNU_negative_offset_extended */
        reg = eh_read_uleb(r);
        set_register(m, reg, scaled(m, 0 - eh_read_uleb(r)));
        return 1;
    case 0x06: /* restore_extended */
        restore(m, eh_read_uleb(r));
        return 1;
    case 0x07: /* undefined: if it is the return address, this is the first frame */
        if (eh_read_uleb(r) == m->program->ra)
            m->now.is_end = true;
        return 1;
    case 0x08: /* same_value */
        set_register(m, eh_read_uleb(r), CFI_SAME);
        return 1;
    default:
        return 0;
    }
}

/* Skip an instruction that changes nothing that is kept here. Returns 1, or 0 for another one. */
static int skip_rule(unsigned op, struct eh_read *r)
{
    switch (op) {
    case 0x09: /* register */
    case 0x14: /* val_offset */
        eh_read_uleb(r);
        eh_read_uleb(r);
        return 1;
    case 0x15: /* val_offset_sf */
        eh_read_uleb(r);
        eh_read_sleb(r);
        return 1;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        eh_read_uleb(r);
        eh_read_block(r);
        return 1;
    case 0x2e: /* GNU_args_size */
        eh_read_uleb(r);
        return 1;
    case 0x00: /* nop */
    case 0x2d: /* AARCH64_negate_ra_state */
        return 1;
    default:
        return 0;
    }
}

/* Run one instruction that does not move the location. Returns 1, or 0 if its kind is unknown. */
static int run_rule(struct machine *m, unsigned op, struct eh_read *r)
{
    switch (op) {
    case 0x0a: /* remember_state */
        if (m->depth == STATES_MAX)
            return 0;
        m->saved[m->depth++] = m->now;
        return 1;
    case 0x0b: /* restore_state */
        if (m->depth == 0)
            return 0;
        m->now = m->saved[--m->depth];
        return 1;
    default:
        return run_register_rule(m, op, r) || run_cfa_rule(m, op, r) || skip_rule(op, r);
    }
}

static int16_t fit(int64_t offset)
{
    return offset > INT16_MIN && offset <= INT16_MAX ? (int16_t)offset : CFI_SAME;
}

static struct cfi_row row_of(const struct machine *m)
{
    const struct eh_program *p = m->program;
    struct cfi_row row = {.cfa_offset = (int32_t)m->now.cfa_offset};
    row.fp_offset = fit(m->now.fp);
    row.ra_offset = fit(m->now.ra);
    if (p->is_signal)
        row.cfa = CFI_CFA_SIGNAL;
    else if (m->now.is_end)
        row.cfa = CFI_CFA_END;
    else if (m->now.cfa_kind >= 0)
        row.cfa = (uint8_t)m->now.cfa_kind;
    else
        row.cfa = m->now.cfa_reg == p->sp   ? CFI_CFA_SP
                  : m->now.cfa_reg == p->fp ? CFI_CFA_FP
                                            : CFI_CFA_UNKNOWN;
    return row;
}

/* Run a program from address `at` on; `emit` may be NULL. */
static int run(struct machine *m, struct eh_read r, uint64_t at, eh_program_emit emit, void *arg)
{
    struct cfi_row row;
    while (r.p < r.end && !r.failed) {
        unsigned op = (unsigned)eh_read_take(&r, 1), low = op & 0x3f;
        uint64_t delta;
        switch (op >> 6) {
        case 1: /* advance_loc */
            delta = low;
            break;
        case 2: /* offset */
            set_register(m, low, scaled(m, eh_read_uleb(&r)));
            continue;
        case 3:
            restore(m, low);
            continue;
        default:
            if (op < 0x02 || op > 0x04) {
                if (op == 0x01 || !run_rule(m, op, &r))
                    return E_FORMAT; /* set_loc is not used in .eh_frame of our CPUs */
                continue;
            }
            delta = eh_read_take(&r, 1u << (op - 0x02)); /* advance_loc1, 2, 4 */
        }
        if (emit) {
            row = row_of(m);
            int result = emit(arg, at, &row);
            if (result != 0)
                return result;
        }
        at += delta * m->program->code_align;
    }
    if (r.failed)
        return E_TRUNCATED;
    if (!emit)
        return 0;
    row = row_of(m);
    return emit(arg, at, &row);
}

int eh_program_run(const struct eh_program *p, struct eh_read body, uint64_t start,
                   eh_program_emit emit, void *arg)
{
    struct machine m = {.program = p};
    int error;
    m.now = (struct state){.cfa_kind = CFI_CFA_UNKNOWN, .fp = CFI_SAME, .ra = CFI_SAME};
    m.first = m.now;
    error = run(&m, p->first, start, NULL, NULL);
    if (error < 0)
        return error;
    m.first = m.now;
    return run(&m, body, start, emit, arg);
}
