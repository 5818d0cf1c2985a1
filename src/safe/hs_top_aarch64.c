/*
 * hs_top_aarch64.c - interrupted Java threads on aarch64.
 *
 * A call leaves the return address in lr; a frame keeps {fp, lr} as its two highest words:
 *   prologue   sub sp,#n; stp fp,lr,[sp,#n-16]    or  stp fp,lr,[sp,#-16]!; [mov fp,sp]; sub sp
 *   epilogue   ldp fp,lr,[sp,#n-16]; add sp,#n    or  add sp; ldp fp,lr,[sp],#16
 *              then a safepoint poll, then ret
 *   stubs      stp fp,lr,[sp,#-16]!; mov fp,sp ... ldp fp,lr,[sp],#16; ret, or no frame at all
 * The interpreter uses x12 for the method, x20 for the expression stack, x22 for the bcp, and x13
 * (x19 since JDK 20) for the caller's sp. Return addresses may be signed (PAC): hs_cursor.pc_mask
 * takes the signature off.
 * Source: macroAssembler_aarch64.cpp (build_frame, remove_frame, enter, leave), aarch64.ad
 * (MachEpilogNode, aarch64_enc_java_to_runtime), templateInterpreterGenerator_aarch64.cpp,
 * interp_masm_aarch64.cpp (remove_activation), sharedRuntime_aarch64.cpp (adapters).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_top.h"
#include "safe/hs_method.h"
#include "safe/hs_native.h"
#include "safe/release.h"

enum {
    EPILOGUE_INSNS = 14,
    PROLOGUE_INSNS = 64,
    PROLOGUE_HEAD_INSNS = 8, /* before the frame is made: see skips_in_prologue() */
    ENTRY_INSNS = 160,
    ADAPTER_INSNS = 64,
    /* words that the slow paths of C2's barriers save: all general and vector registers */
    SHIFT_WORDS = 96,
    C1_SCAN_WORDS = 320,
    /* enter() sets fp to the pair; what a stub pushes afterwards lies below */
    STUB_FRAME_BYTES = 512,
    SCAN_WORDS = 512,
    NATIVE_FRAMES = 64,
    NATIVE_SCAN_WORDS = 512,
    CALL_STUB_BYTES = 0x200,
    /* After a callee returned to the interpreter, lr still has the return address; the code there
     * has this length. */
    RETURN_ENTRY_BYTES = 0x80,
};

enum { METHOD = 12, OLD_SENDER_SP = 13, SENDER_SP = 19, ESP = 20, BCP = 22, FP = 29, LR = 30 };
enum { RET = 0xd65f03c0u, PUSH_FRAME = 0xa9bf7bfdu /* stp fp,lr,[sp,#-16]! */ };

static uint32_t insn_at(const struct hs_cursor *c, uint64_t pc)
{
    return mem_view_u4(c->view, pc);
}

static void add_return(const struct hs_cursor *c, struct hs_starts *s, struct hs_start start)
{
    start.pc &= c->pc_mask;
    if (hs_cursor_on_stack(c, start.sp) && hs_cursor_is_return(c, start.pc) != HS_RETURN_NO)
        hs_top_add(s, start);
}

/* A start from the pair {fp, lr} at `at`: the caller's stack pointer is right above the pair. */
static struct hs_start start_of_pair(const struct hs_cursor *c, uint64_t at, enum hs_trust trust)
{
    return hs_top_start(hs_cursor_word(c, at + 8), at + 16, hs_cursor_word(c, at), trust);
}

/* The signed 7-bit field of ldp and stp, in bytes; add_amount(): the 12-bit one of add, sub. */
static uint64_t pair_offset(uint32_t insn)
{
    int32_t field = (int32_t)(insn >> 15 & 127);
    return (uint64_t)(int64_t)(field < 64 ? field : field - 128) * 8;
}

static uint64_t add_amount(uint32_t insn)
{
    return (uint64_t)(insn >> 10 & 0xfff) << (insn & 1u << 22 ? 12 : 0);
}

static bool is_sub_sp(uint32_t insn)
{
    return (insn & 0xff8003ffu) == 0xd10003ffu || (insn & 0xffe0ffffu) == 0xcb2063ffu;
}

/* Whether an instruction of an epilogue changes neither sp, fp, lr nor the register of the
 * expression stack. Such instructions are hints, the poll and what it reads, and a branch to a slow
 * path that is not taken. */
static bool skips_in_epilogue(uint32_t insn)
{
    return (insn & 0xfffff01fu) == 0xd503201fu || /* nop, autiasp */
           (insn & 0xffc003f0u) == 0xf9400380u || /* ldr x0..x15,[x28,#n] */
           (insn & 0xffe0ffffu) == 0xeb2063ffu || /* cmp sp,xN */
           (insn & 0xff000010u) == 0x54000000u || /* b.cond */
           (insn & 0xff000010u) == 0xb5000000u || /* cbnz x0..x15 */
           (insn & 0xfff8001fu) == 0x37000008u || /* tbnz w8 */
           (insn & 0xfffffc1fu) == 0xb940001fu;   /* ldr wzr,[xN] */
}

/* Follow the instructions from pc to `ret`. Fails if any of them is not part of an epilogue. */
static int follow_epilogue(const struct hs_cursor *c, const struct regs *r,
                           struct hs_start *ret_start)
{
    uint64_t sp = r->sp, fp = r->fp, lr = r->lr, esp = r->r[ESP], x8 = r->r[8], x9 = r->r[9];
    for (uint64_t i = 0; i < EPILOGUE_INSNS; i++) {
        uint32_t insn = insn_at(c, r->pc + i * 4);
        if (insn == RET) {
            *ret_start = hs_top_start(lr, sp, fp, HS_TRUST_DECODED);
            return 1;
        } else if ((insn & 0xffc07fffu) == 0xa9407bfdu) { /* ldp fp,lr,[sp,#n] */
            fp = hs_cursor_word(c, sp + pair_offset(insn));
            lr = hs_cursor_word(c, sp + pair_offset(insn) + 8);
        } else if ((insn & 0xffc07fffu) == 0xa8c07bfdu) { /* ldp fp,lr,[sp],#n */
            fp = hs_cursor_word(c, sp);
            lr = hs_cursor_word(c, sp + 8);
            sp += pair_offset(insn);
        } else if ((insn & 0xff8003ffu) == 0x910003ffu) { /* add sp,sp,#n */
            sp += add_amount(insn);
        } else if ((insn & 0xffe0001fu) == 0xd2800008u) { /* mov x8,#n */
            x8 = insn >> 5 & 0xffff;
        } else if ((insn & 0xffe0001fu) == 0xf2a00008u) { /* movk x8,#n,lsl #16 */
            x8 = (x8 & 0xffff) | (uint64_t)(insn >> 5 & 0xffff) << 16;
        } else if (insn == 0x8b2863ffu) { /* add sp,sp,x8 */
            sp += x8;
        } else if (insn == 0x910003bfu) { /* mov sp,fp */
            sp = fp;
        } else if (insn == 0xf85f83a9u) { /* ldur x9,[fp,#-8] */
            x9 = hs_cursor_word(c, fp - 8);
        } else if (insn == 0xf85f83b4u) { /* ldur x20,[fp,#-8] */
            esp = hs_cursor_word(c, fp - 8);
        } else if (insn == 0xaa0903f4u) { /* mov x20,x9 */
            esp = x9;
        } else if (insn == 0x9100029fu || insn == 0x927cee9fu) { /* mov sp,x20; and sp,x20,#-16 */
            sp = esp & ~(uint64_t)15;
        } else if (!skips_in_epilogue(insn)) {
            return 0;
        }
    }
    return 0;
}

/* Whether the frame is still to be made. Searches from pc to `end` for the code that makes it. */
static int read_prologue(const struct hs_cursor *c, const struct regs *r, uint64_t end,
                         struct hs_start *ret_start)
{
    int subs = 0;
    for (uint64_t i = 0; i < PROLOGUE_INSNS && r->pc + i * 4 < end; i++) {
        uint32_t insn = insn_at(c, r->pc + i * 4);
        if (insn == PUSH_FRAME) {
            *ret_start = hs_top_start(r->lr, r->sp, r->fp, HS_TRUST_DECODED);
            return 1;
        }
        if ((insn & 0xffc07fffu) == 0xa9007bfdu) { /* stp fp,lr,[sp,#n] */
            uint64_t made = subs ? 0 : pair_offset(insn) + 16;
            *ret_start = hs_top_start(r->lr, r->sp + made, r->fp, HS_TRUST_DECODED);
            return 1;
        }
        subs |= is_sub_sp(insn);
    }
    if (subs) { /* the pair was pushed; the room for the rest of the frame is made next */
        *ret_start = start_of_pair(c, r->sp, HS_TRUST_DECODED);
        return 1;
    }
    return 0;
}

/* Whether an instruction may stand in front of the code that makes a frame: a hint (nop, bti,
 * paciaz), ptrue p7.b of code with vectors, or a part of the stack bang, which is sub x9,sp,#n
 * (twice if it is far); str xzr,[x9]. */
static bool skips_in_prologue(uint32_t insn)
{
    return (insn & 0xfffff01fu) == 0xd503201fu || insn == 0x2518e3e7u ||
           (insn & 0xff8003e0u) == 0xd10003e0u || (insn & 0xfffffc1fu) == 0xf900001fu ||
           (insn & 0xff800000u) == 0xd2800000u; /* mov xN,#n */
}

/* The end of a prologue that begins at pc, anywhere in the code (OSR entries); 0: no prologue
 * begins at pc. */
static uint64_t prologue_next(const struct hs_cursor *c, uint64_t pc, int32_t frame_words)
{
    for (uint64_t i = 0; i < PROLOGUE_HEAD_INSNS; i++) {
        uint32_t insn = insn_at(c, pc + i * 4);
        uint64_t room = (uint64_t)(uint32_t)frame_words * 8;
        if (insn == PUSH_FRAME)
            return pc + (i + 4) * 4;
        if (is_sub_sp(insn))
            return add_amount(insn) == room || add_amount(insn) + 16 == room ? pc + (i + 2) * 4 : 0;
        if ((insn & 0xffc07fffu) == 0xa9007bfdu)
            return i == 0 && pair_offset(insn) + 16 == room ? pc + 4 : 0;
        if (!skips_in_prologue(insn))
            return 0;
    }
    return 0;
}

/* C1 never changes the frame pointer: whatever was pushed, the frame ends where the frame pointer
 * was saved. */
static void add_c1(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                   struct hs_starts *s)
{
    uint64_t end = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
    for (unsigned i = 0; i < C1_SCAN_WORDS; i += 2) {
        struct hs_start start = start_of_pair(c, end + (uint64_t)i * 8 - 16,
                                              i == 0 ? HS_TRUST_EXACT : HS_TRUST_DECODED);
        start.pc &= c->pc_mask;
        if (start.fp == r->fp && hs_cursor_is_return(c, start.pc) != HS_RETURN_NO) {
            hs_top_add(s, start);
            return;
        }
    }
}

static void add_sized(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                      struct hs_starts *s)
{
    uint64_t end = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
    if (blob->frame_size >= 2)
        add_return(c, s, start_of_pair(c, end - 16, HS_TRUST_EXACT));
}

static void find_compiled(const struct hs_cursor *c, const struct regs *r,
                          const struct hs_blob *blob, struct hs_starts *s)
{
    uint8_t level = mem_view_u1(c->view, blob->start + (uint64_t)c->layout->nmethod_comp_level);
    struct hs_start start;
    unsigned first = s->count;
    if (follow_epilogue(c, r, &start))
        add_return(c, s, start);
    uint64_t end = blob->code + (uint64_t)(int64_t)blob->frame_complete;
    if (blob->frame_complete <= 0 || r->pc >= end)
        end = prologue_next(c, r->pc, blob->frame_size);
    if (end != 0 && read_prologue(c, r, end, &start))
        add_return(c, s, start);
    if (blob->kind == HS_BLOB_NMETHOD && level >= 1 && level <= 3 && blob->frame_size >= 2)
        add_c1(c, r, blob, s);
    add_sized(c, r, blob, s);
    if (blob->kind == HS_BLOB_NATIVE && r->fp >= r->sp) /* native wrappers keep a frame pointer */
        add_return(c, s, start_of_pair(c, r->fp, HS_TRUST_SHIFTED));
    end = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
    for (uint64_t i = 2; i <= SHIFT_WORDS && s->count < first + 8; i += 2)
        add_return(c, s, start_of_pair(c, end + i * 8 - 16, HS_TRUST_SHIFTED));
    add_return(c, s, hs_top_start(r->lr, r->sp, r->fp, HS_TRUST_SHIFTED));
    for (unsigned i = first; i < s->count; i++) {
        s->list[i].lead = HS_LEAD_CODE;
        s->list[i].lead_pc = r->pc;
    }
}

/* The target of the direct call in front of a return address; 0 if the call is of another kind. If
 * the call leads to a trampoline (ldr x8,#8; br x8; address), the result is the address in it. */
static uint64_t call_target(const struct hs_cursor *c, uint64_t pc)
{
    uint32_t insn = insn_at(c, pc - 4);
    if ((insn & 0xfc000000u) != 0x94000000u)
        return 0;
    int64_t words = (int64_t)(insn & 0x3ffffffu);
    uint64_t target = pc - 4 + (uint64_t)(words < 0x2000000 ? words : words - 0x4000000) * 4;
    if (insn_at(c, target) == 0x58000048u && insn_at(c, target + 4) == 0xd61f0100u)
        return mem_view_u8(c->view, target + 8);
    return target;
}

enum stub_frame { STUB_FRAME_UNKNOWN, STUB_FRAME_NONE, STUB_FRAME_MADE };

/* Whether a stub that was entered at `entry` has made its frame before it reached `pc`. */
static enum stub_frame find_stub_frame(const struct hs_cursor *c, const struct hs_blob *blob,
                                       uint64_t entry, uint64_t pc)
{
    if (entry < blob->code || entry > pc || pc - entry > (uint64_t)ENTRY_INSNS * 4)
        return STUB_FRAME_UNKNOWN;
    for (uint64_t i = 0; i < ENTRY_INSNS && entry + i * 4 < pc; i++) {
        if (insn_at(c, entry + i * 4) == PUSH_FRAME)
            return STUB_FRAME_MADE;
    }
    return STUB_FRAME_NONE;
}

/* The guesses for a stub, in this order: the end of the stub if its instructions can be followed,
 * the stub's own frame, and no frame with the caller in lr. */
static void find_stub(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                      struct hs_starts *s)
{
    const uint64_t lr = r->lr & c->pc_mask, pc = r->pc;
    struct hs_start start;
    struct hs_start leaf = hs_top_start(lr, r->sp, r->fp, HS_TRUST_DECODED);
    struct hs_start framed = start_of_pair(c, r->fp, HS_TRUST_DECODED);
    /* right behind the push, fp is not set yet */
    if (insn_at(c, pc - 4) == PUSH_FRAME)
        framed = start_of_pair(c, r->sp, HS_TRUST_DECODED);
    enum stub_frame frame = insn_at(c, pc) == PUSH_FRAME ? STUB_FRAME_NONE : STUB_FRAME_UNKNOWN;
    if (frame == STUB_FRAME_UNKNOWN && hs_cursor_is_return(c, lr) != HS_RETURN_NO)
        frame = find_stub_frame(c, blob, call_target(c, lr), pc);
    if (follow_epilogue(c, r, &start))
        add_return(c, s, start);
    if (frame == STUB_FRAME_NONE)
        add_return(c, s, leaf);
    if (framed.sp >= r->sp && framed.sp - r->sp <= STUB_FRAME_BYTES)
        add_return(c, s, framed);
    if (blob->frame_complete > 0 &&
        read_prologue(c, r, blob->code + (uint64_t)(int64_t)blob->frame_complete, &start))
        add_return(c, s, start);
    if (blob->frame_size > 0)
        add_sized(c, r, blob, s);
    if (frame != STUB_FRAME_NONE)
        add_return(c, s, leaf);
    if (framed.sp >= r->sp) {
        framed.trust = HS_TRUST_SHIFTED;
        add_return(c, s, framed);
    }
    if (pc - c->layout->call_stub_return + CALL_STUB_BYTES < (uint64_t)2 * CALL_STUB_BYTES)
        hs_top_add(s, hs_top_start(c->layout->call_stub_return, r->sp, r->fp, HS_TRUST_DECODED));
    /* The stub that thaws frames has no frame; its caller is the continuation's entry. */
    if (blob->kind == HS_BLOB_STUBS) {
        struct hs_cursor entry = *c;
        if (hs_cursor_at_continuation(&entry))
            hs_top_add(s, hs_top_start(entry.pc, entry.sp, entry.fp, HS_TRUST_SHIFTED));
    }
}

/* The register that has the caller's stack pointer while a method is entered or left. */
static uint64_t sender_sp_of(const struct hs_cursor *c, const struct regs *r)
{
    return r->r[c->layout->version >= RELEASE_SENDER_SP_19 ? SENDER_SP : OLD_SENDER_SP];
}

/* The guesses for code between the calling conventions, which ends with a jump and never has a
 * frame. The code may have made room for arguments; from its start up to that place it is
 * straight. */
static void find_adapter(const struct hs_cursor *c, const struct regs *r,
                         const struct hs_blob *blob, struct hs_starts *s)
{
    uint64_t sender_sp = sender_sp_of(c, r);
    for (uint64_t i = 1; i < ADAPTER_INSNS && r->pc - i * 4 >= blob->code; i++) {
        uint32_t insn = insn_at(c, r->pc - i * 4);
        if ((insn & 0xfffffc1fu) == 0xd61f0000u || insn == RET) /* br: other code ends here */
            break;
        if ((insn & 0xff8003ffu) == 0xd10003ffu) {
            add_return(c, s,
                       hs_top_start(r->lr, r->sp + add_amount(insn), r->fp, HS_TRUST_DECODED));
            break;
        }
    }
    add_return(c, s, hs_top_start(r->lr, r->sp, r->fp, HS_TRUST_DECODED));
    if (sender_sp > r->sp)
        add_return(c, s, hs_top_start(r->lr, sender_sp, r->fp, HS_TRUST_SHIFTED));
}

enum entry_state {
    ENTRY_NO,      /* this is not the code of a method entry, or the frame is whole */
    ENTRY_AHEAD,   /* the frame is still to be made */
    ENTRY_PARTIAL, /* fp is set, but the caller's sp is not stored yet */
};

/* The code of a method entry is straight until the frame is made. It ends with stp fp,lr,[sp,#80];
 * add fp,sp,#80; stp xzr,<sender sp>,[sp,#64]. */
static enum entry_state entry_state_at(const struct hs_cursor *c, uint64_t pc)
{
    for (uint64_t i = 0; i < ENTRY_INSNS; i++) {
        uint32_t insn = insn_at(c, pc + i * 4);
        if (insn == 0xa9057bfdu || insn == 0x910143fdu)
            return ENTRY_AHEAD;
        if (insn == 0xa90437ffu || insn == 0xa9044fffu)
            return ENTRY_PARTIAL;
        if ((insn & 0xfffffc1fu) == 0xd61f0000u || insn == RET)
            return ENTRY_NO;
    }
    return ENTRY_NO;
}

static void find_interpreted(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    const struct hs_layout *l = c->layout;
    const uint64_t method = r->r[METHOD], sender_sp = sender_sp_of(c, r);
    struct hs_method m;
    struct hs_start start;
    struct hs_start frame = {.lead = HS_LEAD_INTERP,
                             .lead_pc = r->r[BCP],
                             .pc = r->pc,
                             .sp = r->sp,
                             .fp = r->fp,
                             .trust = HS_TRUST_EXACT};
    struct hs_start entry = hs_top_start(r->lr, sender_sp, r->fp, HS_TRUST_DECODED);
    bool is_method = hs_method_guess(c->view, l, method, &m);
    entry.lead = HS_LEAD_METHOD;
    entry.method = method;
    if (is_method)
        entry.bci = m.is_native ? -3 : 0;
    enum entry_state state = entry_state_at(c, r->pc);
    if (state == ENTRY_PARTIAL) {
        entry.pc = hs_cursor_word(c, r->fp + 8);
        entry.fp = hs_cursor_word(c, r->fp);
    }
    /* The method is being left, its frame is gone. Before that, `frame` is right. */
    if (follow_epilogue(c, r, &start) && start.fp == r->fp)
        add_return(c, s, start);
    if (is_method && state != ENTRY_NO)
        add_return(c, s, entry);
    /* An entry without a frame (an intrinsic), or a call that is about to be made: the method in
     * the register is not the method of the frame. This is also so after a return; then the
     * register has the method of the callee that returned. */
    bool is_other = hs_cursor_word(c, r->fp + (uint64_t)(int64_t)l->interp.method * 8) != method;
    bool is_back = r->pc - (r->lr & c->pc_mask) < RETURN_ENTRY_BYTES;
    if (is_method && state == ENTRY_NO && is_other && !is_back && sender_sp == r->sp)
        add_return(c, s, entry);
    hs_top_add(s, frame);
    add_return(c, s, hs_top_start(r->lr, r->sp, r->fp, HS_TRUST_SHIFTED));
    add_return(c, s, hs_top_start(r->lr, r->r[ESP] & ~(uint64_t)15, r->fp, HS_TRUST_SHIFTED));
}

static void find(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    static const struct hs_top_kinds kinds = {find_interpreted, find_compiled, find_adapter,
                                              find_stub};
    hs_top_by_kind(&kinds, c, r, s);
}

/* The stack pointer of a compiled method that called C code. `low` is an address below that stack
 * pointer. C frames have their pair at the bottom, so the stack pointer does not follow from the C
 * frames. For such a call C2 leaves {0, return address} on top of the stack. A frame of C1 ends
 * with the frame pointer that it saved. */
static uint64_t compiled_sp(const struct hs_cursor *c, const struct hs_blob *blob, uint64_t pc,
                            uint64_t low, uint64_t fp)
{
    low = (low + 15) & ~(uint64_t)15;
    for (uint64_t i = 0; i < NATIVE_SCAN_WORDS; i += 2) {
        if (hs_cursor_word(c, low + i * 8) == 0 && hs_cursor_word(c, low + i * 8 + 8) == pc)
            return low + i * 8 + 16;
    }
    for (uint64_t i = 0; i < NATIVE_SCAN_WORDS; i += 2) {
        uint64_t end = low + (i + (uint32_t)blob->frame_size) * 8;
        uint64_t sender = hs_cursor_word(c, end - 8) & c->pc_mask;
        if (hs_cursor_word(c, end - 16) == fp && hs_cursor_is_return(c, sender) != HS_RETURN_NO)
            return low + i * 8;
    }
    return 0;
}

/* Add a return address that was found from C code. `low` is below the caller's stack pointer. */
static void add_native(const struct hs_cursor *c, const struct regs *r, uint64_t pc, uint64_t low,
                       uint64_t fp, struct hs_starts *s)
{
    struct hs_blob blob;
    pc &= c->pc_mask;
    if (!hs_code_contains(c->layout, pc))
        return;
    if (hs_code_find(c->view, c->layout, pc, &blob)) {
        if (blob.kind == HS_BLOB_STUBS || blob.kind == HS_BLOB_OTHER) {
            struct regs inner = *r;
            unsigned first = s->count;
            inner.pc = pc;
            inner.sp = low;
            inner.fp = fp;
            inner.lr = 0; /* the call of C code overwrote lr */
            find_stub(c, &inner, &blob, s);
            for (unsigned i = first; i < s->count; i++)
                s->list[i].trust = HS_TRUST_SHIFTED;
            return;
        }
        if (blob.kind == HS_BLOB_NMETHOD && blob.frame_size >= 2) {
            uint64_t sp = compiled_sp(c, &blob, pc, low, fp);
            if (sp != 0)
                low = sp;
        }
    }
    add_return(c, s, hs_top_start(pc, low, fp, HS_TRUST_SHIFTED));
}

static void find_native(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    struct cfi_regs up = {r->pc, r->sp, r->fp, r->lr};
    uint64_t fp = r->fp, low = r->sp;
    if (hs_native_leave(c, &up, 1)) {
        add_native(c, r, up.pc, up.sp, up.fp, s);
        return;
    }
    /* a leaf without a frame */
    add_native(c, r, r->lr, r->sp, r->fp, s);
    /* HotSpot's own C++ code keeps frame pointers */
    for (int i = 0; i < NATIVE_FRAMES && fp >= low && hs_cursor_on_stack(c, fp); i++) {
        uint64_t pc = hs_cursor_word(c, fp + 8) & c->pc_mask;
        if (hs_code_contains(c->layout, pc)) {
            add_native(c, r, pc, fp + 16, hs_cursor_word(c, fp), s);
            break;
        }
        low = fp + 16;
        fp = hs_cursor_word(c, fp);
    }
}

/* Add return addresses that lie anywhere above sp; some of them may be stale. */
static void scan(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    for (uint64_t i = 0; i < SCAN_WORDS && s->count < HS_TOP_MAX; i++) {
        uint64_t at = r->sp + i * 8;
        uint64_t pc = hs_cursor_word(c, at) & c->pc_mask;
        if (hs_code_contains(c->layout, pc))
            add_return(c, s,
                       hs_top_start(pc, at + 8, i > 0 ? hs_cursor_word(c, at - 8) : r->fp,
                                    HS_TRUST_SCANNED));
    }
}

const struct hs_top_cpu hs_top_aarch64 = {find, NULL, find_native, scan};
