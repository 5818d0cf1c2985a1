/*
 * hs_top_x86_64_interp.c - see hs_top_x86_64_interp.h.
 * Source: templateInterpreterGenerator_x86.cpp, templateTable_x86.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_top_x86_64_interp.h"
#include "safe/hs_method.h"
#include "safe/hs_x86_64.h"

/* Whether these bytes may be one of the instructions that leave_interpreted() follows. */
static bool may_leave_interpreted(uint64_t bytes)
{
    uint32_t two = (uint32_t)bytes & 0xffff, three = (uint32_t)bytes & 0xffffff;
    switch (bytes & 0xff) {
    case 0xc9:
    case 0x5e:
    case 0x72:
        return true;
    case 0xff:
        return two == 0xe6ff;
    case 0x41:
        return two == 0x5d41 || three == 0x87c641 || three == 0xe5ff41;
    case 0x48:
        return three == 0x5d8b48 || three == 0xe38b48;
    case 0x49:
        return three == 0xa73b49 || three == 0x87c749;
    default:
        return false;
    }
}

/* Follow the last instructions of an interpreted method: [mov -8(%rbp),%rbx;] leave; pop %r13 (or
 * %rsi); mov %rbx,%rsp; [the reserved zone's check;] jmp *%r13. After the leave, the frame pointer
 * register has the caller's value, and the caller may use it for something else. */
static int leave_interpreted(const struct hs_cursor *c, const struct regs *r,
                             struct hs_start *ret_start)
{
    static const unsigned char load[] = {0x48, 0x8b, 0x5d, 0xf8}, move[] = {0x48, 0x8b, 0xe3};
    static const unsigned char clear[] = {0x41, 0xc6, 0x87}; /* movb $N,N(%r15) */
    uint64_t sp = r->sp, fp = r->fp, rbx = r->r[REGS_RBX], r13 = r->r[REGS_R13];
    uint64_t rsi = r->r[REGS_RSI];
    struct hs_x86_64_code code;
    unsigned i = 0;
    if (!may_leave_interpreted(mem_view_u8(c->view, r->pc)))
        return 0;
    hs_x86_64_read(c, r->pc, c->layout->interp_high, &code);
    if (memcmp(code.b, load, sizeof(load)) == 0 && code.b[4] == 0xc9) {
        rbx = hs_cursor_word(c, fp - 8);
        i += 4;
    }
    if (code.b[i] == 0xc9) {
        sp = fp + 8;
        fp = hs_cursor_word(c, fp);
        i += 1;
    }
    if (memcmp(code.b + i, clear, sizeof(clear)) == 0)
        i += 8;
    if (code.b[i] == 0x41 && code.b[i + 1] == 0x5d) {
        r13 = hs_cursor_word(c, sp);
        i += 2;
    } else if (code.b[i] == 0x5e) {
        rsi = hs_cursor_word(c, sp);
        i += 1;
    }
    if (memcmp(code.b + i, move, sizeof(move)) == 0) {
        sp = rbx;
        i += sizeof(move);
    }
    i += hs_x86_64_skip_reserved(code.b + i);
    if (code.b[i] == 0x41 && code.b[i + 1] == 0xff && code.b[i + 2] == 0xe5)
        *ret_start = hs_top_start(r13, sp, fp, HS_TRUST_DECODED);
    else if (code.b[i] == 0xff && code.b[i + 1] == 0xe6)
        *ret_start = hs_top_start(rsi, sp, fp, HS_TRUST_DECODED);
    else
        return 0;
    return hs_cursor_on_stack(c, sp);
}

void hs_top_x86_64_interp(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    struct hs_method m;
    uint64_t sender_sp = r->r[REGS_R13];
    bool is_near = sender_sp >= r->sp && hs_cursor_on_stack(c, sender_sp);
    struct hs_start frame = {.lead = HS_LEAD_INTERP,
                             .lead_pc = r->r[REGS_R13],
                             .pc = r->pc,
                             .sp = r->sp,
                             .fp = r->fp,
                             .trust = HS_TRUST_EXACT};
    struct hs_start left;
    if (leave_interpreted(c, r, &left))
        hs_x86_64_add_return(c, s, left);
    bool is_made = r->fp < r->sp || r->fp - r->sp > 16; /* whole, or not begun */
    bool is_method =
        (is_near || !is_made) && hs_method_guess(c->view, c->layout, r->r[REGS_RBX], &m);
    struct hs_start entry = {.lead = HS_LEAD_METHOD,
                             .method = r->r[REGS_RBX],
                             .sp = sender_sp,
                             .fp = r->fp,
                             .trust = HS_TRUST_DECODED};
    if (is_method)
        entry.bci = m.is_native ? -3 : 0;
    /* Method entry: rbx is the method, r13 is the caller's stack pointer, the return address is on
     * top or was popped to rax, and the frame is not made yet. */
    if (is_method && is_near) {
        entry.pc = hs_cursor_word(c, r->sp);
        hs_x86_64_add_return(c, s, entry);
        entry.pc = r->r[REGS_RAX];
        hs_x86_64_add_return(c, s, entry);
    }
    /* After enter(), before the method is pushed. (A whole frame reaches further down.) */
    if (is_method && !is_made) {
        entry.pc = hs_cursor_word(c, r->fp + 8);
        entry.fp = hs_cursor_word(c, r->fp);
        entry.sp = r->fp == r->sp ? sender_sp : hs_cursor_word(c, r->fp - 8);
        if (hs_cursor_on_stack(c, entry.sp))
            hs_x86_64_add_return(c, s, entry);
    }
    hs_top_add(s, frame);
    s->is_cut = s->may_cut;
    if (s->is_cut)
        return;
    /* A method whose entry computes the result, for example Math.sin(), has no frame. It may have
     * pushed registers that it keeps; the return address stays below the caller's stack pointer. */
    if (is_near) {
        entry.pc = hs_cursor_word(c, sender_sp - 8);
        entry.sp = sender_sp;
        entry.fp = r->fp;
        entry.trust = HS_TRUST_SHIFTED;
        entry.lead = is_method ? HS_LEAD_METHOD : HS_LEAD_NONE;
        hs_x86_64_add_return(c, s, entry);
    }
    /* The method is left and its frame gone: the return address is in a register or on top. */
    hs_x86_64_add_return(c, s, hs_top_start(r->r[REGS_R13], r->sp, r->fp, HS_TRUST_DECODED));
    hs_x86_64_add_return(c, s, hs_top_start(r->r[REGS_RSI], r->sp, r->fp, HS_TRUST_DECODED));
    hs_x86_64_add_return(
        c, s, hs_top_start(hs_cursor_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_SHIFTED));
}
