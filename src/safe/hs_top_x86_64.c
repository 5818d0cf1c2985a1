/*
 * hs_top_x86_64.c - interrupted Java threads on x86-64.
 *
 * This file decides which guesses there are, and in which order. hs_x86_64.h reads the instructions
 * around frames.
 * Source: the files that hs_x86_64.h names; for safepoint polls sharedRuntime_x86_64.cpp
 * (generate_handler_blob).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_top.h"
#include "safe/hs_calls.h"
#include "safe/hs_native.h"
#include "safe/hs_top_x86_64_interp.h"
#include "safe/hs_x86_64.h"
#include "safe/release.h"

enum {
    /* words that C2's intrinsics and C1's stubs push inside a frame of fixed size */
    SHIFT_WORDS = 8,
    SAVED_WORDS_MAX = 320,
    SAVED_GUESSES = 2,
    /* all registers, as push_CPU_state() saves them: 2688 bytes and 18 words */
    STATE_WORDS_MAX = 384,
    /* a stub with its own frame saves a few dozen registers at most; AVX-512 stubs save more */
    STUB_SCAN_WORDS = 160,
    STUB_KEPT_WORDS = 8, /* registers that a stub without a frame keeps on the stack */
    SCAN_WORDS = 512,
    NATIVE_FRAMES = 64,
    CALL_STUB_BYTES = 0x200,
    /* words that C1's calls of floating point routines save: all general and vector registers */
    C1_SCAN_WORDS = 320,
};

/* A start from the registers after instructions were followed. */
static struct hs_start start_after(const struct regs *r)
{
    return hs_top_start(r->pc, r->sp, r->fp, HS_TRUST_DECODED);
}

/* Add the guess for a frame of C1. C1 saves the caller's frame pointer and never changes the
 * register. The return address therefore lies above the first saved copy of the frame pointer, at
 * or above the place where the frame should end. Returns hs_cursor_is_return() of this address if
 * it lies exactly at that place, else HS_RETURN_NO. */
static enum hs_return add_c1(const struct hs_cursor *c, const struct regs *r,
                             const struct hs_blob *blob, struct hs_starts *s)
{
    uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
    for (int i = 0; i < C1_SCAN_WORDS; i++, sp += 8) {
        if (hs_cursor_word(c, sp - 16) != r->fp)
            continue;
        uint64_t pc = hs_cursor_word(c, sp - 8);
        enum hs_return is_return = hs_cursor_is_return(c, pc);
        if (is_return != HS_RETURN_NO) {
            hs_top_add(s, hs_top_start(pc, sp, r->fp, i == 0 ? HS_TRUST_EXACT : HS_TRUST_DECODED));
            return i == 0 ? is_return : HS_RETURN_NO;
        }
    }
    return HS_RETURN_NO;
}

static bool is_c1_level(uint8_t level, int32_t frame_size)
{
    return level >= 1 && level <= 3 && frame_size > 1;
}

static bool is_c1(const struct hs_cursor *c, const struct hs_blob *blob)
{
    uint8_t level = mem_view_u1(c->view, blob->start + (uint64_t)c->layout->nmethod_comp_level);
    return blob->kind == HS_BLOB_NMETHOD && is_c1_level(level, blob->frame_size);
}

/* The guess that find_compiled() adds first when it finds no instructions to follow. */
static int find_known(const struct hs_cursor *c, const struct regs *r, const struct hs_call *top,
                      struct hs_starts *s)
{
    uint64_t sp = r->sp + (uint64_t)(uint32_t)top->frame_size * 8;
    struct hs_start start =
        hs_top_start(hs_cursor_word(c, sp - 8), sp, hs_cursor_word(c, sp - 16), HS_TRUST_EXACT);
    if (top->frame_size <= 0 || (is_c1_level(top->level, top->frame_size) && start.fp != r->fp) ||
        hs_cursor_is_return(c, start.pc) == HS_RETURN_NO)
        return 0;
    start.lead = HS_LEAD_CODE;
    start.lead_pc = r->pc;
    hs_top_add(s, start);
    return 1;
}

/* Add the guesses that follow from the instructions at pc. Returns 1 if these instructions neither
 * make nor remove a frame. */
static int find_compiled_by_code(const struct hs_cursor *c, const struct regs *r,
                                 const struct hs_blob *blob, const struct hs_x86_64_code *code,
                                 struct hs_starts *s)
{
    struct regs up;
    unsigned ahead = 0;
    bool in_body = true;
    enum hs_x86_64_way way = hs_x86_64_leave(c, r, code, &up);
    if (way != HS_X86_64_NOWHERE)
        in_body = false;
    if (way == HS_X86_64_RETURN)
        hs_top_add(s, start_after(&up));
    uint64_t complete = blob->code + (uint64_t)(int64_t)blob->frame_complete;
    if (blob->frame_complete > 0 && r->pc < complete)
        ahead = (unsigned)(complete - r->pc);
    if (ahead != 0 || hs_x86_64_is_prologue_next(code, &ahead)) {
        in_body = false;
        if (hs_x86_64_enter(c, r, code, ahead, &up))
            hs_top_add(s, start_after(&up));
    }
    /* C2 has made the frame and is about to save the caller's frame pointer: mov %rbp,n(%rsp) */
    if (blob->frame_size > 0 && code->b[0] == 0x48 && code->b[1] == 0x89 &&
        (code->b[2] == 0x6c || code->b[2] == 0xac) && code->b[3] == 0x24) {
        uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
        in_body = false;
        hs_x86_64_add_return(c, s,
                             hs_top_start(hs_cursor_word(c, sp - 8), sp, r->fp, HS_TRUST_DECODED));
    }
    return in_body;
}

static void find_compiled(const struct hs_cursor *c, const struct regs *r,
                          const struct hs_blob *blob, struct hs_starts *s)
{
    struct hs_x86_64_code code;
    hs_x86_64_read(c, r->pc, blob->end, &code);
    bool is_call_stub = hs_x86_64_is_call_stub(&code);
    /* The method's own frame is whole. The return address of the call that the method made lies
     * below that frame. */
    if (is_call_stub && hs_cursor_word(c, r->sp) - blob->code < blob->end - blob->code)
        hs_x86_64_add_return(
            c, s, hs_top_start(hs_cursor_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_DECODED));
    unsigned first = s->count;
    bool in_body = find_compiled_by_code(c, r, blob, &code, s) && !is_call_stub &&
                   blob->kind == HS_BLOB_NMETHOD;
    enum hs_return is_return = is_c1(c, blob) ? add_c1(c, r, blob, s) : HS_RETURN_NO;
    if (blob->frame_size > 0) {
        uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
        uint64_t pc = hs_cursor_word(c, sp - 8);
        if (is_return == HS_RETURN_NO) {
            is_return = hs_cursor_is_return(c, pc);
            if (is_return != HS_RETURN_NO)
                hs_top_add(s, hs_top_start(pc, sp, hs_cursor_word(c, sp - 16), HS_TRUST_EXACT));
        }
        s->is_cut = s->may_cut && is_return != HS_RETURN_NO;
        for (int shift = 1; !s->is_cut && shift <= SHIFT_WORDS; shift++) {
            sp += 8;
            hs_x86_64_add_return(c, s,
                                 hs_top_start(hs_cursor_word(c, sp - 8), sp,
                                              hs_cursor_word(c, sp - 16), HS_TRUST_SHIFTED));
        }
    }
    if (!s->is_cut) {
        hs_x86_64_add_return(
            c, s, hs_top_start(hs_cursor_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_SHIFTED));
        hs_x86_64_add_return(c, s,
                             hs_top_start(hs_cursor_word(c, r->sp + 8), r->sp + 16,
                                          hs_cursor_word(c, r->sp), HS_TRUST_SHIFTED));
    }
    for (unsigned i = first; i < s->count; i++) {
        s->list[i].lead = HS_LEAD_CODE;
        s->list[i].lead_pc = r->pc;
        s->list[i].in_body = in_body && s->list[i].trust == HS_TRUST_EXACT;
    }
}

/* Add the guess for a call of Java by the VM. At this instruction the anchor is already empty. The
 * address of the call wrapper, which holds the older anchor, is still only in the stub's first
 * argument. */
static void add_call_stub(const struct hs_cursor *c, const struct regs *r,
                          const struct hs_x86_64_code *code, struct hs_starts *s)
{
    struct hs_cursor older = *c;
    unsigned ahead;
    if (r->pc - c->layout->call_stub_return + CALL_STUB_BYTES < CALL_STUB_BYTES &&
        hs_x86_64_is_prologue_next(code, &ahead) &&
        hs_cursor_at_anchor(&older, r->r[REGS_RDI] + (uint64_t)c->layout->wrapper_anchor))
        hs_top_add(s, hs_top_start(older.pc, older.sp, older.fp, HS_TRUST_ANCHOR));
}

static bool is_named(const struct hs_cursor *c, const struct hs_blob *blob, unsigned at,
                     const char *eight)
{
    uint64_t name = mem_view_u8(c->view, blob->start + (uint64_t)c->layout->blob_name), word;
    memcpy(&word, eight, sizeof(word));
    return mem_view_u8(c->view, name + at) == word;
}

/*
 * Add the guess for a safepoint poll in a loop. The poll faulted, and the VM's signal handler let
 * the thread go on in this stub. The thread keeps the address of the poll. The stub's first
 * instruction, a push, makes room for that address; the address is filled in when all registers
 * have been saved. The blob's name is SafepointBlob; from JDK 27 on it is
 * polling_page_safepoint_handler_blob or similar.
 */
static void add_polled(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                       struct hs_starts *s)
{
    const struct hs_layout *l = c->layout;
    uint64_t sp = r->sp, fp = r->fp, offset = r->pc - blob->code;
    if (l->thread_saved_exception_pc < 0 || mem_view_u1(c->view, blob->code) != 0x53 ||
        (!is_named(c, blob, 0, "Safepoin") && !is_named(c, blob, 0, "polling_")))
        return;
    uint64_t pc = mem_view_u8(c->view, c->thread + (uint64_t)l->thread_saved_exception_pc);
    if (offset == 2) {
        fp = hs_cursor_word(c, sp);
        sp += 16;
    } else if (offset == 1) {
        sp += 8;
    } else if (offset != 0) {
        if (fp < sp || fp - sp > (uint64_t)(uint32_t)blob->frame_size * 8)
            return;
        sp = fp + 16;
        fp = hs_cursor_word(c, fp);
    }
    hs_top_add(s, hs_top_start(pc, sp, fp, HS_TRUST_DECODED));
}

/* Add the guesses for a stub that handles an exception. The stub jumps to a handler in the method
 * whose frame is now the top one. rdx has the address in that method that threw. */
static void add_jump(const struct hs_cursor *c, const struct regs *after, struct hs_starts *s)
{
    struct hs_blob to;
    struct hs_start thrower =
        hs_top_start(after->r[REGS_RDX], after->sp, after->fp, HS_TRUST_DECODED);
    bool may_cut = s->may_cut;
    s->may_cut = false; /* other guesses follow */
    hs_x86_64_add_return(c, s, thrower);
    if (hs_code_find(c->view, c->layout, after->pc, &to) && to.kind == HS_BLOB_NMETHOD)
        find_compiled(c, after, &to, s);
    s->may_cut = may_cut;
}

/* Add the guess for a stub that makes its frame by enter(): the frame pointer leads to the return
 * address. The stub that makes a compiled method wait at its entry pushes -1 first. `calls`: add
 * the guess only if the call in front of that address was a call of this stub. */
static void add_entered(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                        int calls, struct hs_starts *s)
{
    if (r->fp < r->sp || r->fp - r->sp >= (uint64_t)STUB_SCAN_WORDS * 8)
        return;
    uint64_t at = hs_cursor_word(c, r->fp + 8) == UINT64_MAX ? r->fp + 16 : r->fp + 8;
    uint64_t pc = hs_cursor_word(c, at), target = hs_x86_64_call_target(c, pc);
    if (!calls || (target >= blob->start && target < blob->end))
        hs_x86_64_add_return(c, s,
                             hs_top_start(pc, at + 8, hs_cursor_word(c, r->fp),
                                          calls ? HS_TRUST_DECODED : HS_TRUST_SHIFTED));
}

/* Add the guess for a stub that keeps a few registers on the stack before it makes its frame, or
 * instead of a frame. Examples are the stubs of C1 in JDK 8 that allocate. The return address is
 * the first that belongs to a call of this stub. */
static void add_called(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                       struct hs_starts *s)
{
    for (uint64_t at = r->sp + 8; at <= r->sp + (uint64_t)STUB_KEPT_WORDS * 8; at += 8) {
        uint64_t pc = hs_cursor_word(c, at), target = hs_x86_64_call_target(c, pc);
        if (target >= blob->start && target < blob->end && hs_code_contains(c->layout, pc)) {
            hs_x86_64_add_return(c, s, hs_top_start(pc, at + 8, r->fp, HS_TRUST_DECODED));
            return;
        }
    }
}

static void add_native(const struct hs_cursor *c, const struct regs *r, uint64_t pc, uint64_t sp,
                       uint64_t fp, enum hs_trust trust, struct hs_starts *s);

/* Add the guess for a stub that was called by C code, which Java code had called. Only the tables
 * of the C code tell the caller. */
static void add_called_by_c(const struct hs_cursor *c, const struct regs *r, uint64_t pc,
                            uint64_t sp, uint64_t fp, struct hs_starts *s)
{
    struct cfi_regs up = {pc, sp, fp, 0};
    if (!hs_code_contains(c->layout, pc) && hs_native_leave(c, &up, 0))
        add_native(c, r, up.pc, up.sp, up.fp, HS_TRUST_DECODED, s);
}

/* Add the guesses that follow from the stub's first and last instructions. */
static void find_stub_by_code(const struct hs_cursor *c, const struct regs *r,
                              const struct hs_blob *blob, const struct hs_x86_64_code *code,
                              struct hs_starts *s)
{
    struct regs up;
    unsigned ahead;
    enum hs_x86_64_way way = hs_x86_64_leave(c, r, code, &up);
    if (way == HS_X86_64_RETURN) {
        hs_top_add(s, start_after(&up));
        add_called_by_c(c, &up, up.pc, up.sp, up.fp, s);
    } else if (way == HS_X86_64_JUMP)
        add_jump(c, &up, s);
    add_polled(c, r, blob, s);
    /* push %rdx comes first: for an exception, the frame that is the top one jumps here */
    if (r->pc == blob->code && code->b[0] == 0x52)
        hs_x86_64_add_return(c, s, hs_top_start(r->r[REGS_RDX], r->sp, r->fp, HS_TRUST_DECODED));
    add_call_stub(c, r, code, s);
    if (hs_x86_64_is_prologue_next(code, &ahead) && hs_x86_64_enter(c, r, code, ahead, &up))
        hs_top_add(s, start_after(&up));
    /* A call of C code for which the stack was aligned: add $n,%rsp follows the call. */
    if (code->b[0] == 0x48 && code->b[1] == 0x83 && code->b[2] == 0xc4) {
        uint64_t sp = r->sp + (uint64_t)(int64_t)(int8_t)code->b[3];
        hs_x86_64_add_return(c, s,
                             hs_top_start(hs_cursor_word(c, sp), sp + 8, r->fp, HS_TRUST_DECODED));
    }
}

/* Add the guess for the stub that thaws frames. This stub has no frame of its own; its caller is
 * the continuation's entry. */
static void add_thawing(const struct hs_cursor *c, const struct hs_blob *blob, struct hs_starts *s)
{
    struct hs_cursor entry = *c;
    if (blob->kind == HS_BLOB_STUBS &&
        (is_named(c, blob, sizeof("StubRoutines (") - 1, "continua") ||
         is_named(c, blob, 0, "continua")) &&
        hs_cursor_at_continuation(&entry))
        hs_top_add(s, hs_top_start(entry.pc, entry.sp, entry.fp, HS_TRUST_SHIFTED));
}

/* The guesses for a stub. First come callers that are known for sure, because they called this stub
 * directly; then the nearest likely place. */
static void find_stub(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                      struct hs_starts *s)
{
    struct hs_x86_64_code code;
    uint64_t pushed = blob->kind != HS_BLOB_STUBS ? hs_x86_64_pushed(c, r->pc, blob) : 0;
    uint64_t frame = (uint64_t)(uint32_t)blob->frame_size * 8, sized = r->sp + frame;
    struct hs_start whole = hs_top_start(hs_cursor_word(c, sized - 8), sized,
                                         hs_cursor_word(c, sized - 16), HS_TRUST_EXACT);
    hs_x86_64_read(c, r->pc, blob->end, &code);
    add_called_by_c(c, r, hs_cursor_word(c, r->sp), r->sp + 8, r->fp, s);
    find_stub_by_code(c, r, blob, &code, s);
    if (pushed != 0 && blob->frame_size <= 0) {
        uint64_t sp = r->sp + pushed;
        hs_x86_64_add_return(c, s,
                             hs_top_start(hs_cursor_word(c, sp), sp + 8, r->fp, HS_TRUST_DECODED));
    }
    /* The stub has made its frame: it pushed enough, or a copy of the return address is on top. */
    if (blob->frame_size > 1 && (whole.pc == hs_cursor_word(c, r->sp) || pushed >= frame - 8))
        hs_x86_64_add_return(c, s, whole);
    add_entered(c, r, blob, 1, s);
    if (blob->kind == HS_BLOB_OTHER)
        add_called(c, r, blob, s);
    hs_x86_64_add_return(
        c, s, hs_top_start(hs_cursor_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_DECODED));
    add_entered(c, r, blob, 0, s);
    if (blob->frame_size > 0)
        hs_x86_64_add_return(c, s, whole);
    if (r->pc - c->layout->call_stub_return + CALL_STUB_BYTES < (uint64_t)2 * CALL_STUB_BYTES)
        hs_top_add(s, hs_top_start(c->layout->call_stub_return, r->sp, r->fp, HS_TRUST_DECODED));
    add_thawing(c, blob, s);
}

/* Add the guess for c2i code that calls the VM to have its caller patched. r13 keeps the stack
 * pointer meanwhile. The return address lies on top there, and is popped to rax afterwards. */
static void find_adapter_by_code(const struct hs_cursor *c, const struct regs *r,
                                 const struct hs_blob *blob, struct hs_starts *s)
{
    static const unsigned char restore[] = {0x49, 0x8b, 0xe5, 0x58}; /* mov %r13,%rsp; pop %rax */
    static const unsigned char save[] = {0x4c, 0x8b, 0xec};          /* mov %rsp,%r13 */
    uint64_t r13 = r->r[REGS_R13];
    struct hs_x86_64_code code;
    hs_x86_64_read(c, r->pc, blob->end, &code);
    const unsigned char *before = code.before + HS_X86_64_BEFORE;
    if (memcmp(code.b, save, sizeof(save)) == 0 && before[-1] == 0x58)
        hs_x86_64_add_return(c, s, hs_top_start(r->r[REGS_RAX], r->sp, r->fp, HS_TRUST_DECODED));
    else if (memcmp(code.b, restore, sizeof(restore)) == 0 ||
             (code.b[0] == 0x58 && memcmp(before - 3, restore, 3) == 0))
        hs_x86_64_add_return(
            c, s, hs_top_start(hs_cursor_word(c, r13), r13 + 8, r->fp, HS_TRUST_DECODED));
}

/* The guesses for code between the calling conventions, which ends with a jump and never has a
 * frame. c2i code pops the return address to rax; r13 is the caller's stack pointer then. */
static void find_adapter(const struct hs_cursor *c, const struct regs *r,
                         const struct hs_blob *blob, struct hs_starts *s)
{
    find_adapter_by_code(c, r, blob, s);
    hs_x86_64_add_return(
        c, s, hs_top_start(hs_cursor_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_DECODED));
    if (r->r[REGS_R13] >= r->sp && hs_cursor_on_stack(c, r->r[REGS_R13])) {
        hs_x86_64_add_return(c, s,
                             hs_top_start(r->r[REGS_RAX], r->r[REGS_R13], r->fp, HS_TRUST_DECODED));
        hs_x86_64_add_return(c, s,
                             hs_top_start(hs_cursor_word(c, r->r[REGS_R13] - 8), r->r[REGS_R13],
                                          r->fp, HS_TRUST_SHIFTED));
        hs_x86_64_add_return(c, s,
                             hs_top_start(hs_cursor_word(c, r->r[REGS_R13]), r->r[REGS_R13] + 8,
                                          r->fp, HS_TRUST_SHIFTED));
    }
}

static void find(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    static const struct hs_top_kinds kinds = {hs_top_x86_64_interp, find_compiled, find_adapter,
                                              find_stub};
    hs_top_by_kind(&kinds, c, r, s);
}

/*
 * Add guesses for calls of C functions around which compiled code of JDK 8 saves all registers,
 * vector registers included, below its frame. The caller's frame then begins up to SAVED_WORDS_MAX
 * words higher.
 * Source: macroAssembler_x86.cpp of JDK 8 (fp_runtime_fallback).
 */
static void add_saved(const struct hs_cursor *c, uint64_t pc, uint64_t sp, uint64_t fp,
                      enum hs_trust trust, struct hs_starts *s)
{
    struct hs_blob blob;
    uint32_t found = 0;
    if (c->layout->version >= RELEASE_NO_SAVED_VECTORS ||
        !hs_code_find(c->view, c->layout, pc, &blob) || blob.frame_size <= 0)
        return;
    for (uint64_t words = 1; words <= SAVED_WORDS_MAX && found < SAVED_GUESSES; words++) {
        uint64_t low = sp + words * 8;
        uint64_t sender = hs_cursor_word(c, low + (uint64_t)(uint32_t)blob.frame_size * 8 - 8);
        if (hs_cursor_is_return(c, sender) != HS_RETURN_NO) {
            hs_top_add(s, hs_top_start(pc, low, fp, trust));
            found++;
        }
    }
}

/* Do the same as add_saved() for C1, which never changes the frame pointer: the frame ends at the
 * saved copy of the frame pointer. */
static int add_saved_c1(const struct hs_cursor *c, uint64_t pc, uint64_t sp, uint64_t fp,
                        enum hs_trust trust, struct hs_starts *s)
{
    struct hs_blob blob;
    struct hs_starts ends = {.count = 0};
    struct regs r = {.pc = pc, .sp = sp, .fp = fp};
    if (!hs_code_find(c->view, c->layout, pc, &blob) || !is_c1(c, &blob))
        return 0;
    add_c1(c, &r, &blob, &ends);
    if (ends.count == 0)
        return 0;
    hs_top_add(
        s, hs_top_start(pc, ends.list[0].sp - (uint64_t)(uint32_t)blob.frame_size * 8, fp, trust));
    return 1;
}

/* Add the guess for c2i code that called C code to have its caller patched. The return address lies
 * above the registers that the c2i code saved. One of these registers is r13, which points to the
 * return address. */
static void add_patching(const struct hs_cursor *c, uint64_t sp, uint64_t fp, enum hs_trust trust,
                         struct hs_starts *s)
{
    for (uint64_t at = sp; at < sp + (uint64_t)STATE_WORDS_MAX * 8; at += 8) {
        uint64_t r13 = hs_cursor_word(c, at);
        if (r13 > at && r13 - sp < (uint64_t)STATE_WORDS_MAX * 8 &&
            hs_cursor_is_return(c, hs_cursor_word(c, r13)) != HS_RETURN_NO) {
            hs_top_add(s, hs_top_start(hs_cursor_word(c, r13), r13 + 8, fp, trust));
            return;
        }
    }
}

/* Add a return address that was found from C code. If it leads into a stub, add the guesses for
 * that stub. */
static void add_native(const struct hs_cursor *c, const struct regs *r, uint64_t pc, uint64_t sp,
                       uint64_t fp, enum hs_trust trust, struct hs_starts *s)
{
    struct hs_blob blob;
    if (hs_cursor_is_return(c, pc) != HS_RETURN_NO) {
        if (add_saved_c1(c, pc, sp, fp, trust, s))
            return;
        hs_top_add(s, hs_top_start(pc, sp, fp, trust));
        add_saved(c, pc, sp, fp, HS_TRUST_SHIFTED, s);
        return;
    }
    if (!hs_code_find(c->view, c->layout, pc, &blob))
        return;
    if (blob.kind == HS_BLOB_ADAPTER) {
        add_patching(c, sp, fp, trust, s);
    } else if (blob.kind == HS_BLOB_STUBS || blob.kind == HS_BLOB_OTHER) {
        struct regs inner = *r;
        unsigned first = s->count;
        inner.pc = pc;
        inner.sp = sp;
        inner.fp = fp;
        find_stub(c, &inner, &blob, s);
        for (unsigned i = first; i < s->count; i++) {
            if (s->list[i].trust < trust)
                s->list[i].trust = (uint8_t)trust;
        }
    }
}

/* With class data sharing, JDK 11 enters adapters and the interpreter through jumps that lie in the
 * archive: movabs $N,%r10; jmp *%r10. In front of and between these two instructions, all registers
 * are as at the target. */
static int find_trampoline(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    static const unsigned char load[] = {0x49, 0xba}, jump[] = {0x41, 0xff, 0xe2};
    enum { JUMP = sizeof(load) + 8 };
    struct regs inner = *r;
    unsigned char b[JUMP + sizeof(jump)];
    if (c->layout->version < RELEASE_CDS_TRAMPOLINES ||
        c->layout->version >= RELEASE_NO_CDS_TRAMPOLINES)
        return 0;
    uint64_t start = mem_view_u1(c->view, r->pc) == jump[0] ? r->pc - JUMP : r->pc;
    if (mem_read(c->view->mem, start, b, sizeof(b)) < 0 || memcmp(b, load, sizeof(load)) != 0 ||
        memcmp(b + JUMP, jump, sizeof(jump)) != 0)
        return 0;
    memcpy(&inner.pc, b + sizeof(load), sizeof(inner.pc));
    if (!hs_code_contains(c->layout, inner.pc))
        return 0;
    find(c, &inner, s);
    return 1;
}

/* Follow the tables of the C code; without tables, follow the frame pointers. C code may use the
 * frame pointer register for something else; the register may then still have a Java frame's
 * pointer. Therefore the call in front of the return address is checked too. */
static void find_native(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    struct cfi_regs up = {r->pc, r->sp, r->fp, 0};
    uint64_t fp = r->fp, low = r->sp, pc = hs_cursor_word(c, r->sp);
    if (find_trampoline(c, r, s))
        return;
    if (hs_native_leave(c, &up, 1)) {
        add_native(c, r, up.pc, up.sp, up.fp, HS_TRUST_EXACT, s);
        return;
    }
    /* a leaf without a frame */
    if (hs_x86_64_is_call_of_c(c, pc))
        add_native(c, r, pc, r->sp + 8, r->fp, HS_TRUST_SHIFTED, s);
    /* HotSpot's own C++ code keeps frame pointers */
    for (int i = 0; i < NATIVE_FRAMES && fp >= low && hs_cursor_on_stack(c, fp); i++) {
        pc = hs_cursor_word(c, fp + 8);
        if (hs_code_contains(c->layout, pc)) {
            if (hs_x86_64_is_call_of_c(c, pc))
                add_native(c, r, pc, fp + 16, hs_cursor_word(c, fp), HS_TRUST_SHIFTED, s);
            break;
        }
        low = fp + 16;
        fp = hs_cursor_word(c, fp);
    }
}

/* Whether the call in front of this return address may have led to the place where the thread is. C
 * code is called directly or by register, or through a stub; a stub is called directly, or by
 * register. */
static bool may_lead_to(const struct hs_cursor *c, uint64_t return_pc, const struct hs_blob *stub)
{
    uint64_t target = hs_x86_64_call_target(c, return_pc);
    struct hs_blob to;
    if (stub)
        return target == 0 || target - stub->start < stub->end - stub->start;
    return hs_x86_64_is_call_of_c(c, return_pc) ||
           (hs_code_find(c->view, c->layout, target, &to) &&
            (to.kind == HS_BLOB_STUBS || to.kind == HS_BLOB_OTHER));
}

/* Add return addresses that lie anywhere above sp; some of them may be stale. */
static void scan(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    struct hs_blob stub;
    bool is_stub = hs_code_find(c->view, c->layout, r->pc, &stub);
    for (int i = 0; i < SCAN_WORDS && s->count < HS_TOP_MAX; i++) {
        uint64_t at = r->sp + (uint64_t)i * 8;
        uint64_t pc = hs_cursor_word(c, at);
        uint64_t fp = i > 0 ? hs_cursor_word(c, at - 8) : r->fp;
        if (hs_code_contains(c->layout, pc) && hs_cursor_is_return(c, pc) != HS_RETURN_NO &&
            may_lead_to(c, pc, is_stub ? &stub : NULL)) {
            hs_top_add(s, hs_top_start(pc, at + 8, fp, HS_TRUST_SCANNED));
            add_saved(c, pc, at + 8, fp, HS_TRUST_SCANNED, s);
        }
    }
}

const struct hs_top_cpu hs_top_x86_64 = {find, find_known, find_native, scan};
