/*
 * hs_cursor.c - see hs_cursor.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_cursor.h"
#include "safe/hs_calls.h"
#include "safe/release.h"

void hs_cursor_clear(struct hs_cursor *c, struct mem_view *v, const struct hs_memory *memory)
{
    const struct hs_layout *l = memory->layout;
    memset(c, 0, sizeof(*c));
    c->view = v;
    c->layout = l;
    c->calls = l->nmethod_compile_id >= 0 ? memory->calls : NULL;
    c->unwind = memory->unwind;
    c->frozen.facts = &l->chunks;
    c->pc_mask = hs_cursor_pc_mask(l);
}

int hs_cursor_init(struct hs_cursor *c, struct mem_view *v, const struct hs_memory *memory,
                   uint64_t thread, uint64_t sp)
{
    const struct hs_layout *l = memory->layout;
    uint32_t faults = v->faults;
    hs_cursor_clear(c, v, memory);
    c->thread = thread;
    c->stack.high = mem_view_u8(v, thread + (uint64_t)l->thread_stack_base);
    uint64_t size = mem_view_u8(v, thread + (uint64_t)l->thread_stack_size);
    if (v->faults != faults || size > c->stack.high || sp >= c->stack.high ||
        sp < c->stack.high - size)
        return 0;
    c->stack.size = size;
    c->stack.low = sp & ~(uint64_t)7;
    return 1;
}

/* Whether the instruction in front of a return address is a call. x86-64: E8 rel32, or FF /2 of 2
 * to 7 bytes, with or without a REX prefix. aarch64: BL or BLR. */
static bool is_after_call(const struct hs_cursor *c, uint64_t pc)
{
    if (c->layout->cpu == HS_CPU_AARCH64) {
        uint32_t insn = mem_view_u4(c->view, pc - 4);
        return (insn & 0xfc000000u) == 0x94000000u || (insn & 0xfffffc1fu) == 0xd63f0000u;
    }
    union {
        uint64_t word;
        unsigned char b[8]; /* b[7] is the byte in front of pc */
    } code;
    code.word = mem_view_u8(c->view, pc - 8);
    if (code.b[3] == 0xe8)
        return true;
    for (int len = 2; len <= 7; len++) {
        if (code.b[8 - len] == 0xff && ((code.b[9 - len] >> 3) & 7) == 2)
            return true;
    }
    return false;
}

/* If the VM does not export the barrier's address: the barrier is the only stub, besides the call
 * stub, to which a frame ever returns. */
bool hs_cursor_is_barrier_in(const struct hs_cursor *c, uint64_t pc, const struct hs_blob *blob)
{
    const struct hs_layout *l = c->layout;
    if (l->version < RELEASE_CONTINUATIONS || blob->kind != HS_BLOB_STUBS)
        return false;
    if (l->cont_return_barrier_at != 0)
        return mem_view_u8(c->view, l->cont_return_barrier_at) == pc;
    return l->thread_cont_entry >= 0;
}

bool hs_cursor_is_barrier(const struct hs_cursor *c, uint64_t pc)
{
    struct hs_blob blob;
    return hs_code_find(c->view, c->layout, pc, &blob) && hs_cursor_is_barrier_in(c, pc, &blob);
}

enum hs_return hs_cursor_is_return(const struct hs_cursor *c, uint64_t pc)
{
    const struct hs_layout *l = c->layout;
    struct hs_blob blob;
    struct hs_nmethod nm;
    struct hs_scope scope;
    bool exact = false;
    if (pc == l->call_stub_return)
        return HS_RETURN_YES;
    if (hs_code_is_interpreter(l, pc))
        return HS_RETURN_MAYBE;
    if (!hs_code_contains(l, pc))
        return HS_RETURN_NO;
    if (c->calls && hs_calls_has(c->calls, c->view, l, pc))
        return HS_RETURN_YES;
    if (!hs_code_find(c->view, l, pc, &blob))
        return HS_RETURN_NO;
    switch (blob.kind) {
    case HS_BLOB_NMETHOD:
        if (hs_code_is_deopt(c->view, l, &blob, pc))
            return HS_RETURN_YES;
        if (pc <= blob.code || !is_after_call(c, pc))
            return HS_RETURN_NO;
        hs_code_nmethod(c->view, l, &blob, &nm);
        if (hs_code_scope(c->view, l, &blob, &nm, pc, &scope, &exact) && exact)
            return HS_RETURN_YES;
        return HS_RETURN_MAYBE;
    case HS_BLOB_NATIVE:
    case HS_BLOB_UPCALL:
        return pc > blob.code && is_after_call(c, pc) ? HS_RETURN_MAYBE : HS_RETURN_NO;
    case HS_BLOB_STUBS:
        return hs_cursor_is_barrier_in(c, pc, &blob) ? HS_RETURN_YES : HS_RETURN_NO;
    case HS_BLOB_OTHER:
    case HS_BLOB_DEOPT:
        return blob.frame_size > 0 && is_after_call(c, pc) ? HS_RETURN_MAYBE : HS_RETURN_NO;
    default:
        return HS_RETURN_NO;
    }
}

int hs_cursor_top(const struct hs_cursor *c, uint64_t pc, struct hs_blob *ret_blob)
{
    if (pc - c->top.blob.start >= c->top.blob.end - c->top.blob.start)
        return hs_code_find(c->view, c->layout, pc, ret_blob);
    *ret_blob = c->top.blob;
    return 1;
}

void hs_cursor_note(struct hs_cursor *c, uint64_t method, int32_t bci, enum walk_kind kind)
{
    if (kind == WALK_KIND_NATIVE)
        c->frozen.native_method = method;
    if (c->frozen.awaits == HS_AWAITS_FROZEN)
        c->frozen.place.repeats = method == c->top.method && bci == c->top.bci;
    if (c->frozen.awaits == HS_AWAITS_TOP) {
        c->top.method = method;
        c->top.bci = bci;
    }
    c->frozen.awaits = HS_AWAITS_NONE;
}

void hs_cursor_add(struct hs_cursor *c, uint64_t method, int32_t bci, enum walk_kind kind,
                   uint8_t level)
{
    hs_cursor_add_named(c, method, 0, bci, kind, level);
}

int hs_cursor_at_anchor(struct hs_cursor *c, uint64_t anchor)
{
    const struct hs_layout *l = c->layout;
    uint64_t sp = mem_view_u8(c->view, anchor + (uint64_t)l->anchor_sp);
    uint64_t pc = mem_view_u8(c->view, anchor + (uint64_t)l->anchor_pc);
    if (!hs_cursor_on_stack(c, sp))
        return 0;
    /* If the anchor has no pc, the call has pushed the pc below `sp`. A walk that begins at this
     * anchor takes `sp` as the lowest live address, so the pushed word may lie just below
     * c->stack. */
    c->pc = (pc != 0 ? pc : mem_view_u8(c->view, sp - 8)) & c->pc_mask;
    c->fp = mem_view_u8(c->view, anchor + (uint64_t)l->anchor_fp);
    c->sp = sp;
    return c->pc != 0;
}

int hs_cursor_at_continuation(struct hs_cursor *c)
{
    const struct hs_layout *l = c->layout;
    if (l->cont_return_pc_at == 0 || l->thread_cont_entry < 0)
        return 0;
    uint64_t entry = mem_view_u8(c->view, c->thread + (uint64_t)l->thread_cont_entry);
    if (!hs_cursor_on_stack(c, entry) || entry < c->sp)
        return 0;
    c->pc = mem_view_u8(c->view, l->cont_return_pc_at);
    c->sp = entry;
    return c->pc != 0;
}
