/*
 * hs_top_x86_64.c - interrupted Java threads on x86-64.
 *
 * What the templates and compilers emit around frames, and what is read from it:
 *   prologue   mov %eax,-N(%rsp) (stack bang); push %rbp; [mov %rsp,%rbp]; sub $n,%rsp
 *              or sub $n,%rsp; mov %rbp,n-16(%rsp)
 *   epilogue   [vzeroupper]; add $n,%rsp; pop %rbp (or leave); safepoint poll; ret
 *   stubs      push %rbp; mov %rsp,%rbp ... leave; ret, or no frame at all
 * Source: macroAssembler_x86.cpp (verified_entry, enter, leave), x86_64.ad (MachEpilogNode),
 * templateTable_x86.cpp, templateInterpreterGenerator_x86.cpp, sharedRuntime_x86_64.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_top.h"
#include "safe/hs_method.h"

#define CODE_BYTES 64
#define EPILOGUE_INSNS 12
/* Words that C2's intrinsics and C1's stubs are known to push inside a frame of fixed size. */
#define SHIFT_WORDS 8
#define SAVED_WORDS_MAX 320
#define SAVED_GUESSES 2
/* Stubs with frames of their own save at most a few dozen registers, AVX-512 ones more. */
#define STUB_SCAN_WORDS 160u
#define SCAN_WORDS 512
#define NATIVE_FRAMES 64
#define CALL_STUB_BYTES 0x200u
/* What C1's calls of floating point routines save: all general and vector registers. */
#define C1_SCAN_WORDS 320

/* The bytes before pc, and those from pc on with zeros behind them. */
struct code_bytes {
    unsigned char before[4], b[CODE_BYTES + 16];
    unsigned len;
};

static void read_code(const struct hs_cursor *c, uint64_t pc, uint64_t end, struct code_bytes *code)
{
    memset(code, 0, sizeof *code);
    unsigned len = end - pc < CODE_BYTES ? (unsigned)(end - pc) : CODE_BYTES;
    if (mem_read(c->view->mem, pc - sizeof code->before, code->before, len + sizeof code->before) ==
        0)
        code->len = len;
}

static int32_t imm32(const unsigned char *b)
{
    int32_t value;
    memcpy(&value, b, sizeof value);
    return value;
}

static struct hs_start start_at(uint64_t pc, uint64_t sp, uint64_t fp, enum hs_trust trust)
{
    return (struct hs_start){.pc = pc, .sp = sp, .fp = fp, .trust = (uint8_t)trust};
}

/* The length of an instruction that may stand between the frame's removal and `ret` and changes no
 * register that matters; 0 if it is none of them. */
static unsigned skip_in_epilogue(const unsigned char *b)
{
    static const struct {
        unsigned char len, pattern_len, pattern[4];
    } skips[] = {
        {1, 1, {0x90}},             /* nop */
        {3, 3, {0xc5, 0xf8, 0x77}}, /* vzeroupper */
        {7, 3, {0x49, 0x3b, 0xa7}}, /* cmp N(%r15),%rsp */
        {4, 3, {0x49, 0x3b, 0x67}}, /* the same with a byte */
        {6, 2, {0x0f, 0x87}},       /* ja: not taken */
        {2, 1, {0x77}},             /* ja, short */
        {6, 2, {0x85, 0x05}},       /* test %eax,poll(%rip) */
        {3, 3, {0x41, 0x85, 0x02}}, /* test %eax,(%r10) */
        {3, 3, {0x41, 0x85, 0x03}}, /* test %eax,(%r11) */
        {7, 3, {0x4d, 0x8b, 0x97}}, /* mov N(%r15),%r10 */
        {4, 3, {0x4d, 0x8b, 0x57}}, /* the same with a byte */
        {10, 2, {0x49, 0xba}},      /* movabs $N,%r10 */
        {8, 3, {0x41, 0xf6, 0x87}}, /* testb $N,N(%r15) */
        {5, 3, {0x41, 0xf6, 0x47}}, /* the same with a byte */
        /* native wrappers: is an exception pending? */
        {8, 3, {0x49, 0x81, 0x7f}},  /* cmpq $N,N(%r15) */
        {11, 3, {0x49, 0x81, 0xbf}}, /* the same with a word */
        {5, 3, {0x49, 0x83, 0x7f}},
        {8, 3, {0x49, 0x83, 0xbf}},
        {6, 2, {0x0f, 0x85}}, /* jne: not taken */
        /* C1's slow subtype check: its result goes into a pushed argument */
        {9, 4, {0x48, 0xc7, 0x44, 0x24}}, /* movq $N,N(%rsp) */
        {7, 3, {0x48, 0xc7, 0xc7}},       /* mov $N,%rdi */
        {2, 1, {0x75}},                   /* jne, short */
    };
    for (unsigned i = 0; i < sizeof skips / sizeof *skips; i++) {
        if (memcmp(b, skips[i].pattern, skips[i].pattern_len) == 0)
            return skips[i].len;
    }
    return 0;
}

/* Follow the instructions from pc to `ret`, if nothing but an epilogue lies between. */
static int follow_epilogue(const struct hs_cursor *c, const struct regs *r,
                           const struct code_bytes *code, struct hs_start *ret_start)
{
    uint64_t sp = r->sp, fp = r->fp;
    unsigned i = 0;
    for (int n = 0; n < EPILOGUE_INSNS && i < code->len; n++) {
        const unsigned char *b = code->b + i;
        unsigned skip = skip_in_epilogue(b);
        if (skip != 0) {
            i += skip;
        } else if (b[0] == 0x74 && b[1] < 0x80) { /* je over a slow path: taken */
            i += 2 + (unsigned)b[1];
        } else if (b[0] == 0xc3) {
            if (!hs_frame_on_stack(c, sp))
                return 0;
            *ret_start = start_at(hs_frame_word(c, sp), sp + 8, fp, HS_TRUST_DECODED);
            return 1;
        } else if ((b[0] & 0xf8) == 0x58) { /* pop */
            if (b[0] == 0x5d)
                fp = hs_frame_word(c, sp);
            sp += 8;
            i += 1;
        } else if (b[0] == 0x41 && (b[1] & 0xf8) == 0x58) { /* pop %r8.. */
            sp += 8;
            i += 2;
        } else if (b[0] == 0xc9) { /* leave */
            sp = fp + 8;
            fp = hs_frame_word(c, fp);
            i += 1;
        } else if (b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xc4) { /* add $n,%rsp */
            sp += (uint64_t)(int64_t)(int8_t)b[3];
            i += 4;
        } else if (b[0] == 0x48 && b[1] == 0x8d && b[2] == 0x64 && b[3] == 0x24) {
            sp += (uint64_t)(int64_t)(int8_t)b[4]; /* lea n(%rsp),%rsp */
            i += 5;
        } else if (b[0] == 0x48 && b[1] == 0x81 && b[2] == 0xc4) {
            sp += (uint64_t)(int64_t)imm32(b + 3);
            i += 7;
        } else if (b[0] == 0x48 && b[1] == 0x8b && b[2] == 0x6c && b[3] == 0x24) {
            fp = hs_frame_word(c, sp + (uint64_t)(int64_t)(int8_t)b[4]); /* mov n(%rsp),%rbp */
            i += 5;
        } else if (b[0] == 0x48 && b[1] == 0x8b && b[2] == 0xac && b[3] == 0x24) {
            fp = hs_frame_word(c, sp + (uint64_t)(int64_t)imm32(b + 4));
            i += 8;
        } else {
            return 0;
        }
    }
    return 0;
}

static int is_sub_rsp(const unsigned char *b)
{
    return b[0] == 0x48 && (b[1] == 0x81 || b[1] == 0x83) && b[2] == 0xec;
}

/* mov %rsp,%rbp in both encodings */
static int is_mov_rsp_rbp(const unsigned char *b)
{
    return b[0] == 0x48 && ((b[1] == 0x8b && b[2] == 0xec) || (b[1] == 0x89 && b[2] == 0xe5));
}

/* Is the frame still to be made? Looks `ahead` bytes from pc for the instruction that makes it. */
static int read_prologue(const struct hs_cursor *c, const struct regs *r,
                         const struct code_bytes *code, unsigned ahead, struct hs_start *ret_start)
{
    unsigned limit = ahead < code->len ? ahead : code->len;
    for (unsigned i = 0; i < limit; i++) {
        int is_sub = is_sub_rsp(code->b + i), is_mov = is_mov_rsp_rbp(code->b + i);
        if (!is_sub && !is_mov)
            continue;
        /* the byte before is push %rbp, here or already run */
        unsigned char last = i > 0 ? code->b[i - 1] : code->before[3];
        if (is_mov && last != 0x55)
            continue;
        if (i == 0 && (last == 0x55 || is_mov_rsp_rbp(code->before + 1))) {
            *ret_start = start_at(hs_frame_word(c, r->sp + 8), r->sp + 16, hs_frame_word(c, r->sp),
                                  HS_TRUST_DECODED);
        } else {
            *ret_start = start_at(hs_frame_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_DECODED);
        }
        return 1;
    }
    return 0;
}

/* At the start of a prologue wherever it stands (OSR entries): bang or push comes next. */
static int is_prologue_next(const struct code_bytes *code, unsigned *ret_ahead)
{
    unsigned i = 0;
    if (code->b[0] == 0x89 && code->b[1] == 0x84 && code->b[2] == 0x24)
        i = 7;
    if (code->b[i] == 0x55 && (is_sub_rsp(code->b + i + 1) || is_mov_rsp_rbp(code->b + i + 1))) {
        *ret_ahead = i + 2;
        return 1;
    }
    if (is_sub_rsp(code->b + i) || (is_mov_rsp_rbp(code->b) && code->before[3] == 0x55)) {
        *ret_ahead = i + 1;
        return 1;
    }
    return 0;
}

static void add_return(const struct hs_cursor *c, struct hs_starts *s, struct hs_start start)
{
    if (hs_frame_is_return(c, start.pc) != HS_RETURN_NO)
        hs_top_add(s, start);
}

/* C1 saves the caller's frame pointer and never changes the register: the return address lies above
 * the first saved copy of it at or above where the frame should end. */
static void add_c1(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                   struct hs_starts *s)
{
    uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
    for (int i = 0; i < C1_SCAN_WORDS; i++, sp += 8) {
        if (hs_frame_word(c, sp - 16) != r->fp)
            continue;
        uint64_t pc = hs_frame_word(c, sp - 8);
        if (hs_frame_is_return(c, pc) != HS_RETURN_NO) {
            hs_top_add(s, start_at(pc, sp, r->fp, i == 0 ? HS_TRUST_EXACT : HS_TRUST_DECODED));
            return;
        }
    }
}

static void find_compiled(const struct hs_cursor *c, const struct regs *r,
                          const struct hs_blob *blob, struct hs_starts *s)
{
    uint8_t level = mem_view_u1(c->view, blob->start + (uint64_t)c->layout->nmethod_comp_level);
    int is_c1 = blob->kind == HS_BLOB_NMETHOD && level >= 1 && level <= 3 && blob->frame_size > 1;
    struct code_bytes code;
    struct hs_start start;
    unsigned first = s->count, ahead = 0;
    read_code(c, r->pc, blob->end, &code);
    if (follow_epilogue(c, r, &code, &start))
        hs_top_add(s, start);
    uint64_t complete = blob->code + (uint64_t)(int64_t)blob->frame_complete;
    if (blob->frame_complete > 0 && r->pc < complete)
        ahead = (unsigned)(complete - r->pc);
    if ((ahead != 0 || is_prologue_next(&code, &ahead)) &&
        read_prologue(c, r, &code, ahead, &start))
        hs_top_add(s, start);
    /* C2 made the frame and is about to save the caller's frame pointer: mov %rbp,n(%rsp) */
    if (blob->frame_size > 0 && code.b[0] == 0x48 && code.b[1] == 0x89 &&
        (code.b[2] == 0x6c || code.b[2] == 0xac) && code.b[3] == 0x24) {
        uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
        add_return(c, s, start_at(hs_frame_word(c, sp - 8), sp, r->fp, HS_TRUST_DECODED));
    }
    if (is_c1)
        add_c1(c, r, blob, s);
    if (blob->frame_size > 0) {
        uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
        add_return(
            c, s,
            start_at(hs_frame_word(c, sp - 8), sp, hs_frame_word(c, sp - 16), HS_TRUST_EXACT));
        for (int shift = 1; shift <= SHIFT_WORDS; shift++) {
            sp += 8;
            add_return(c, s,
                       start_at(hs_frame_word(c, sp - 8), sp, hs_frame_word(c, sp - 16),
                                HS_TRUST_SHIFTED));
        }
    }
    add_return(c, s, start_at(hs_frame_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_SHIFTED));
    add_return(c, s,
               start_at(hs_frame_word(c, r->sp + 8), r->sp + 16, hs_frame_word(c, r->sp),
                        HS_TRUST_SHIFTED));
    for (unsigned i = first; i < s->count; i++) {
        s->list[i].lead = HS_LEAD_CODE;
        s->list[i].lead_pc = r->pc;
    }
}

/* The target of the direct call before a return address, 0 if it is another kind of call. */
static uint64_t call_target(const struct hs_cursor *c, uint64_t pc)
{
    unsigned char b[5];
    if (mem_read(c->view->mem, pc - 5, b, sizeof b) < 0 || b[0] != 0xe8)
        return 0;
    return pc + (uint64_t)(int64_t)imm32(b + 1);
}

/* What the instructions at a stub's start push before pc, in bytes: pushes, room, and moves from
 * and to the stack; the first other instruction ends them, and what is pushed then stays to the
 * end. */
static uint64_t pushed_at_entry(const struct hs_cursor *c, const struct regs *r,
                                const struct hs_blob *blob)
{
    struct code_bytes code;
    uint64_t depth = 0;
    unsigned i = 0;
    read_code(c, blob->code, blob->end, &code);
    while (i < code.len && blob->code + i < r->pc) {
        const unsigned char *b = code.b + i;
        int is_move = (b[0] & 0xfb) == 0x48 && (b[1] & 0xfd) == 0x89 && b[3] == 0x24;
        if ((b[0] & 0xf8) == 0x50 || (b[0] == 0x41 && (b[1] & 0xf8) == 0x50)) {
            depth += 8;
            i += b[0] == 0x41 ? 2 : 1;
        } else if (b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xec) {
            depth += b[3];
            i += 4;
        } else if (is_move && (b[2] & 0xc7) == 0x04) {
            i += 4;
        } else if (is_move && (b[2] & 0xc7) == 0x44) {
            i += 5;
        } else {
            break;
        }
    }
    return depth;
}

/* The VM calls Java: the anchor is empty already, and the stub that will link to the older one has
 * only been given it, in its first argument. */
static void add_call_stub(const struct hs_cursor *c, const struct regs *r,
                          const struct code_bytes *code, struct hs_starts *s)
{
    struct hs_cursor older = *c;
    unsigned ahead;
    if (r->pc - c->layout->call_stub_return + CALL_STUB_BYTES < CALL_STUB_BYTES &&
        is_prologue_next(code, &ahead) &&
        hs_frame_at_anchor(&older, r->r[REGS_RDI] + (uint64_t)c->layout->wrapper_anchor))
        hs_top_add(s, start_at(older.pc, older.sp, older.fp, HS_TRUST_ANCHOR));
}

/* A stub: where it is called from directly is known for sure; else the nearest likely place. */
static void find_stub(const struct hs_cursor *c, const struct regs *r, const struct hs_blob *blob,
                      struct hs_starts *s)
{
    struct code_bytes code;
    struct hs_start start;
    unsigned ahead;
    read_code(c, r->pc, blob->end, &code);
    if (follow_epilogue(c, r, &code, &start))
        hs_top_add(s, start);
    add_call_stub(c, r, &code, s);
    if (is_prologue_next(&code, &ahead) && read_prologue(c, r, &code, ahead, &start))
        hs_top_add(s, start);
    uint64_t pushed = blob->kind != HS_BLOB_STUBS ? pushed_at_entry(c, r, blob) : 0;
    if (pushed != 0 && blob->frame_size <= 0) {
        uint64_t sp = r->sp + pushed;
        add_return(c, s, start_at(hs_frame_word(c, sp), sp + 8, r->fp, HS_TRUST_DECODED));
    }
    /* A call of C code that needed its stack aligned: add $n,%rsp comes after it. */
    if (code.b[0] == 0x48 && code.b[1] == 0x83 && code.b[2] == 0xc4) {
        uint64_t sp = r->sp + (uint64_t)(int64_t)(int8_t)code.b[3];
        add_return(c, s, start_at(hs_frame_word(c, sp), sp + 8, r->fp, HS_TRUST_DECODED));
    }
    /* Its frame is made: by what was pushed, or a copy of the return address lies on top. */
    uint64_t sized = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
    if (blob->frame_size > 1 && (hs_frame_word(c, sized - 8) == hs_frame_word(c, r->sp) ||
                                 pushed >= (uint64_t)(uint32_t)blob->frame_size * 8 - 8))
        add_return(c, s,
                   start_at(hs_frame_word(c, sized - 8), sized, hs_frame_word(c, sized - 16),
                            HS_TRUST_EXACT));
    add_return(c, s, start_at(hs_frame_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_DECODED));
    /* enter() made a frame: its pointer leads to the return address */
    if (r->fp >= r->sp && r->fp - r->sp < (uint64_t)STUB_SCAN_WORDS * 8) {
        start = start_at(hs_frame_word(c, r->fp + 8), r->fp + 16, hs_frame_word(c, r->fp),
                         HS_TRUST_SHIFTED);
        uint64_t target = call_target(c, start.pc);
        if (target >= blob->start && target < blob->end) {
            start.trust = HS_TRUST_DECODED;
            add_return(c, s, start);
        } else if (hs_frame_is_return(c, start.pc) != HS_RETURN_NO) {
            hs_top_add(s, start);
        }
    }
    if (blob->frame_size > 0) {
        uint64_t sp = r->sp + (uint64_t)(uint32_t)blob->frame_size * 8;
        add_return(
            c, s,
            start_at(hs_frame_word(c, sp - 8), sp, hs_frame_word(c, sp - 16), HS_TRUST_EXACT));
    }
    if (r->pc - c->layout->call_stub_return + CALL_STUB_BYTES < (uint64_t)2 * CALL_STUB_BYTES)
        hs_top_add(s, start_at(c->layout->call_stub_return, r->sp, r->fp, HS_TRUST_DECODED));
    /* The stub that thaws frames has none of its own; its caller is the continuation's entry. */
    if (blob->kind == HS_BLOB_STUBS) {
        struct hs_cursor entry = *c;
        if (hs_frame_at_continuation(&entry))
            hs_top_add(s, start_at(entry.pc, entry.sp, entry.fp, HS_TRUST_SHIFTED));
    }
}

/* Between the calling conventions: a jump, never a frame. The return address was popped to rax by
 * c2i code, and r13 is the caller's stack pointer then. */
static void find_adapter(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    add_return(c, s, start_at(hs_frame_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_DECODED));
    if (r->r[REGS_R13] >= r->sp && hs_frame_on_stack(c, r->r[REGS_R13])) {
        add_return(c, s, start_at(r->r[REGS_RAX], r->r[REGS_R13], r->fp, HS_TRUST_DECODED));
        add_return(c, s,
                   start_at(hs_frame_word(c, r->r[REGS_R13] - 8), r->r[REGS_R13], r->fp,
                            HS_TRUST_SHIFTED));
    }
}

/* The last instructions of an interpreted method: [mov -8(%rbp),%rbx;] leave; pop %r13 (or %rsi);
 * mov %rbx,%rsp; jmp *%r13. From the leave on the frame pointer is the caller's, who may not use
 * it as one. */
static int leave_interpreted(const struct hs_cursor *c, const struct regs *r,
                             struct hs_start *ret_start)
{
    static const unsigned char load[] = {0x48, 0x8b, 0x5d, 0xf8}, move[] = {0x48, 0x8b, 0xe3};
    uint64_t sp = r->sp, fp = r->fp, rbx = r->r[REGS_RBX], r13 = r->r[REGS_R13];
    uint64_t rsi = r->r[REGS_RSI];
    struct code_bytes code;
    unsigned i = 0;
    read_code(c, r->pc, c->layout->interp_high, &code);
    if (memcmp(code.b, load, sizeof load) == 0 && code.b[4] == 0xc9) {
        rbx = hs_frame_word(c, fp - 8);
        i += 4;
    }
    if (code.b[i] == 0xc9) {
        sp = fp + 8;
        fp = hs_frame_word(c, fp);
        i += 1;
    }
    if (code.b[i] == 0x41 && code.b[i + 1] == 0x5d) {
        r13 = hs_frame_word(c, sp);
        i += 2;
    } else if (code.b[i] == 0x5e) {
        rsi = hs_frame_word(c, sp);
        i += 1;
    }
    if (memcmp(code.b + i, move, sizeof move) == 0) {
        sp = rbx;
        i += sizeof move;
    }
    if (code.b[i] == 0x41 && code.b[i + 1] == 0xff && code.b[i + 2] == 0xe5)
        *ret_start = start_at(r13, sp, fp, HS_TRUST_DECODED);
    else if (code.b[i] == 0xff && code.b[i + 1] == 0xe6)
        *ret_start = start_at(rsi, sp, fp, HS_TRUST_DECODED);
    else
        return 0;
    return hs_frame_on_stack(c, sp);
}

static void find_interpreted(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    struct hs_method m;
    uint64_t sender_sp = r->r[REGS_R13];
    int is_near = sender_sp >= r->sp && hs_frame_on_stack(c, sender_sp);
    struct hs_start frame = {.lead = HS_LEAD_INTERP,
                             .lead_pc = r->r[REGS_R13],
                             .pc = r->pc,
                             .sp = r->sp,
                             .fp = r->fp,
                             .trust = HS_TRUST_EXACT};
    struct hs_start left;
    if (leave_interpreted(c, r, &left))
        add_return(c, s, left);
    int is_method = hs_method_read(c->view, c->layout, r->r[REGS_RBX], &m);
    struct hs_start entry = {.lead = HS_LEAD_METHOD,
                             .method = r->r[REGS_RBX],
                             .sp = sender_sp,
                             .fp = r->fp,
                             .trust = HS_TRUST_DECODED};
    if (is_method)
        entry.bci = m.is_native ? -3 : 0;
    /* Method entry: rbx is the method, r13 the caller's stack pointer, the return address on top
     * or popped to rax, and the frame not made yet. */
    if (is_method && is_near) {
        entry.pc = hs_frame_word(c, r->sp);
        add_return(c, s, entry);
        entry.pc = r->r[REGS_RAX];
        add_return(c, s, entry);
    }
    /* After enter(), before the method is pushed: a whole frame reaches further down. */
    if (is_method && r->fp >= r->sp && r->fp - r->sp <= 16) {
        entry.pc = hs_frame_word(c, r->fp + 8);
        entry.fp = hs_frame_word(c, r->fp);
        entry.sp = r->fp == r->sp ? sender_sp : hs_frame_word(c, r->fp - 8);
        if (hs_frame_on_stack(c, entry.sp))
            add_return(c, s, entry);
    }
    hs_top_add(s, frame);
    /* On the way out the frame is gone; the return address is in a register or on top. */
    add_return(c, s, start_at(r->r[REGS_R13], r->sp, r->fp, HS_TRUST_DECODED));
    add_return(c, s, start_at(r->r[REGS_RSI], r->sp, r->fp, HS_TRUST_DECODED));
    add_return(c, s, start_at(hs_frame_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_SHIFTED));
}

static void find(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    const struct hs_layout *l = c->layout;
    struct hs_blob blob;
    if (r->pc - l->interp_low < l->interp_high - l->interp_low) {
        find_interpreted(c, r, s);
        return;
    }
    if (!hs_code_find(c->view, l, r->pc, &blob))
        return;
    if (blob.kind == HS_BLOB_NMETHOD || blob.kind == HS_BLOB_NATIVE)
        find_compiled(c, r, &blob, s);
    else if (blob.kind == HS_BLOB_ADAPTER || blob.kind == HS_BLOB_VTABLE)
        find_adapter(c, r, s);
    else
        find_stub(c, r, &blob, s);
    /* between C and Java: the stub's own frame tells */
    if (blob.kind == HS_BLOB_UPCALL)
        hs_top_add(s, start_at(r->pc, r->sp, r->fp, HS_TRUST_SHIFTED));
}

/*
 * Around some calls of C functions compiled code of JDK 8 saves all registers below its frame, the
 * vector registers too: the caller's frame then begins up to SAVED_WORDS_MAX words higher.
 * Source: macroAssembler_x86.cpp of JDK 8 (fp_runtime_fallback).
 */
static void add_saved(const struct hs_cursor *c, uint64_t pc, uint64_t sp, uint64_t fp,
                      enum hs_trust trust, struct hs_starts *s)
{
    struct hs_blob blob;
    uint32_t found = 0;
    if (c->layout->version != 8 || !hs_code_find(c->view, c->layout, pc, &blob) ||
        blob.frame_size <= 0)
        return;
    for (uint64_t words = 1; words <= SAVED_WORDS_MAX && found < SAVED_GUESSES; words++) {
        uint64_t low = sp + words * 8;
        uint64_t sender = hs_frame_word(c, low + (uint64_t)(uint32_t)blob.frame_size * 8 - 8);
        if (hs_frame_is_return(c, sender) != HS_RETURN_NO) {
            hs_top_add(s, start_at(pc, low, fp, trust));
            found++;
        }
    }
}

/* A return address found from C code: if it leads into a stub, the stub's own ways out count. */
static void add_native(const struct hs_cursor *c, const struct regs *r, uint64_t pc, uint64_t sp,
                       uint64_t fp, enum hs_trust trust, struct hs_starts *s)
{
    struct hs_blob blob;
    if (hs_frame_is_return(c, pc) != HS_RETURN_NO) {
        hs_top_add(s, start_at(pc, sp, fp, trust));
        add_saved(c, pc, sp, fp, trust, s);
    } else if (hs_code_find(c->view, c->layout, pc, &blob) &&
               (blob.kind == HS_BLOB_STUBS || blob.kind == HS_BLOB_OTHER)) {
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

static void find_native(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    uint64_t fp = r->fp, low = r->sp;
    /* a leaf without a frame */
    add_native(c, r, hs_frame_word(c, r->sp), r->sp + 8, r->fp, HS_TRUST_SHIFTED, s);
    /* HotSpot's own C++ code keeps frame pointers */
    for (int i = 0; i < NATIVE_FRAMES && fp >= low && hs_frame_on_stack(c, fp); i++) {
        uint64_t pc = hs_frame_word(c, fp + 8);
        if (hs_code_contains(c->layout, pc)) {
            add_native(c, r, pc, fp + 16, hs_frame_word(c, fp), HS_TRUST_SHIFTED, s);
            break;
        }
        low = fp + 16;
        fp = hs_frame_word(c, fp);
    }
}

/* Return addresses that merely lie somewhere above; stale ones lie there too. */
static void scan(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
    for (int i = 0; i < SCAN_WORDS && s->count < HS_TOP_MAX; i++) {
        uint64_t at = r->sp + (uint64_t)i * 8;
        uint64_t pc = hs_frame_word(c, at);
        uint64_t fp = i > 0 ? hs_frame_word(c, at - 8) : r->fp;
        if (hs_code_contains(c->layout, pc) && hs_frame_is_return(c, pc) != HS_RETURN_NO) {
            hs_top_add(s, start_at(pc, at + 8, fp, HS_TRUST_SCANNED));
            add_saved(c, pc, at + 8, fp, HS_TRUST_SCANNED, s);
        }
    }
}

const struct hs_top_cpu hs_top_x86_64 = {find, find_native, scan};
