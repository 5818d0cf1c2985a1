/*
 * hs_x86_64.c - see hs_x86_64.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_x86_64.h"

enum {
    EPILOGUE_INSNS = 16,
    RSP = 4,
    RBP = 5,
    R15 = 15,
};

void hs_x86_64_read(const struct hs_cursor *c, uint64_t pc, uint64_t end,
                    struct hs_x86_64_code *ret_code)
{
    struct mem *m = c->view->mem;
    unsigned len = end - pc < HS_X86_64_BYTES ? (unsigned)(end - pc) : HS_X86_64_BYTES;
    unsigned near = len < HS_X86_64_BYTES / 2 ? len : HS_X86_64_BYTES / 2;
    memset(ret_code, 0, sizeof(*ret_code));
    if (mem_read(m, pc - HS_X86_64_BEFORE, ret_code->before, near + HS_X86_64_BEFORE) < 0)
        return;
    ret_code->len = near;
    /* a core file may lack the next page */
    if (len > near && mem_read(m, pc + near, ret_code->b + near, len - near) == 0)
        ret_code->len = len;
}

static int32_t imm32(const unsigned char *b)
{
    int32_t value;
    memcpy(&value, b, sizeof(value));
    return value;
}

/* The length of an instruction that may stand between the removal of the frame and `ret`, and that
 * changes no register that matters; 0: another instruction. */
static unsigned skip_in_epilogue(const unsigned char *b)
{
    static const struct {
        unsigned char len, pattern_len, pattern[4];
    } skips[] = {
        {1, 1, {0x90}},             /* nop */
        {3, 3, {0xc5, 0xf8, 0x77}}, /* vzeroupper */
        {7, 3, {0x49, 0x3b, 0xa7}}, /* cmp N(%r15),%rsp */
        {4, 3, {0x49, 0x3b, 0x67}}, /* the same with an offset of one byte */
        {6, 2, {0x0f, 0x87}},       /* ja: not taken */
        {2, 1, {0x77}},             /* ja, short */
        {6, 2, {0x85, 0x05}},       /* test %eax,poll(%rip) */
        {3, 3, {0x41, 0x85, 0x02}}, /* test %eax,(%r10) */
        {3, 3, {0x41, 0x85, 0x03}}, /* test %eax,(%r11) */
        {10, 2, {0x49, 0xba}},      /* movabs $N,%r10 */
        {8, 3, {0x41, 0xf6, 0x87}}, /* testb $N,N(%r15) */
        {5, 3, {0x41, 0xf6, 0x47}}, /* the same with an offset of one byte */
        /* native wrappers check for a pending exception */
        {8, 3, {0x49, 0x81, 0x7f}},  /* cmpq $N,N(%r15) */
        {11, 3, {0x49, 0x81, 0xbf}}, /* the same with an offset of four bytes */
        {5, 3, {0x49, 0x83, 0x7f}},
        {8, 3, {0x49, 0x83, 0xbf}},
        {6, 2, {0x0f, 0x85}}, /* jne: not taken */
        /* C1's slow subtype check puts its result into a pushed argument */
        {9, 4, {0x48, 0xc7, 0x44, 0x24}}, /* movq $N,N(%rsp) */
        {7, 3, {0x48, 0xc7, 0xc7}},       /* mov $N,%rdi */
        {2, 1, {0x75}},                   /* jne, short */
        /* stubs for exceptions clear fields of the thread */
        {11, 3, {0x49, 0xc7, 0x87}}, /* movq $N,N(%r15) */
        {7, 3, {0x4d, 0x89, 0xa7}},  /* mov %r12,N(%r15) */
    };
    uint32_t bytes, pattern;
    memcpy(&bytes, b, sizeof(bytes));
    for (unsigned i = 0; i < sizeof(skips) / sizeof(*skips); i++) {
        memcpy(&pattern, skips[i].pattern, sizeof(pattern));
        if ((bytes ^ pattern) << (32 - 8 * skips[i].pattern_len) == 0) /* the first bytes agree */
            return skips[i].len;
    }
    return 0;
}

/* Follow a move of a whole register, or a load from the stack or the thread (by r15) into any
 * register. Returns the length of the instruction; 0: another instruction. */
static unsigned follow_move(const struct hs_cursor *c, const unsigned char *b, uint64_t *reg)
{
    unsigned dst = ((b[2] >> 3) & 7) | ((b[0] & 4) << 1), src = (b[2] & 7) | ((b[0] & 1) << 3);
    unsigned mod = b[2] >> 6, len = 3;
    if ((b[0] & 0xfa) != 0x48 || b[1] != 0x8b)
        return 0;
    if (mod == 3) {
        reg[dst] = reg[src];
        return len;
    }
    if (src != RSP && ((src != RBP && src != R15) || mod == 0))
        return 0;
    if (src == RSP && b[len++] != 0x24)
        return 0;
    int32_t at = mod == 0 ? 0 : mod == 1 ? (int8_t)b[len] : imm32(b + len);
    uint64_t from = reg[src] + (uint64_t)(int64_t)at;
    reg[dst] = src == R15 ? mem_view_u8(c->view, from) : hs_cursor_word(c, from);
    return len + (mod == 0 ? 0u : mod == 1 ? 1u : 4u);
}

/* Follow a jump of an epilogue that is taken: over a slow path (je), or over the code that enables
 * the reserved zone again (jb). Returns the distance to the target; 0: another instruction. */
static unsigned follow_branch(const unsigned char *b)
{
    if ((b[0] == 0x74 || b[0] == 0x72) && b[1] < 0x80)
        return 2 + (unsigned)b[1];
    if (b[0] == 0x0f && b[1] == 0x82 && imm32(b + 2) > 0 && imm32(b + 2) < HS_X86_64_BYTES)
        return 6 + (unsigned)imm32(b + 2);
    return 0;
}

/* Follow an instruction that moves the stack pointer. Returns its length; 0: another one. */
static unsigned follow_pop(const struct hs_cursor *c, const unsigned char *b, uint64_t *reg)
{
    unsigned rex = b[0] == 0x41;
    if ((b[rex] & 0xf8) == 0x58) { /* pop */
        uint64_t value = hs_cursor_word(c, reg[RSP]);
        reg[RSP] += 8;
        reg[(b[rex] & 7) | rex << 3] = value;
        return 1 + rex;
    }
    if (b[0] == 0xc9) { /* leave */
        reg[RSP] = reg[RBP] + 8;
        reg[RBP] = hs_cursor_word(c, reg[RBP]);
        return 1;
    }
    if (b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xc4) { /* add $n,%rsp */
        reg[RSP] += (uint64_t)(int64_t)(int8_t)b[3];
        return 4;
    }
    if (b[0] == 0x48 && b[1] == 0x8d && b[2] == 0x64 && b[3] == 0x24) { /* lea n(%rsp),%rsp */
        reg[RSP] += (uint64_t)(int64_t)(int8_t)b[4];
        return 5;
    }
    if (b[0] == 0x48 && b[1] == 0x81 && b[2] == 0xc4) {
        reg[RSP] += (uint64_t)(int64_t)imm32(b + 3);
        return 7;
    }
    return 0;
}

static enum hs_x86_64_way end_way(const uint64_t *reg, enum hs_x86_64_way way, uint64_t pc,
                                  uint64_t pops, struct regs *ret_regs)
{
    memset(ret_regs, 0, sizeof(*ret_regs));
    memcpy(ret_regs->r, reg, 16 * sizeof(*reg));
    ret_regs->pc = pc;
    ret_regs->sp = reg[RSP] + pops;
    ret_regs->fp = reg[RBP];
    return way;
}

unsigned hs_x86_64_skip_reserved(const unsigned char *b)
{
    unsigned i = 0;
    if (b[0] == 0x49 && b[1] == 0x3b && b[2] == 0xa7) /* cmp N(%r15),%rsp */
        i = 7;
    if (b[i] == 0x72)
        return i + follow_branch(b + i);
    return b[0] == 0x49 && b[1] == 0xc7 && b[2] == 0x87 ? 11 : 0; /* movq $N,N(%r15) */
}

/* Whether the instructions in front of pc have removed the frame: add $n,%rsp; pop %rbp. */
static bool is_frame_gone(const struct hs_x86_64_code *code)
{
    const unsigned char *pc = code->before + HS_X86_64_BEFORE;
    return pc[-1] == 0x5d && ((pc[-5] == 0x48 && pc[-4] == 0x83 && pc[-3] == 0xc4) ||
                              (pc[-8] == 0x48 && pc[-7] == 0x81 && pc[-6] == 0xc4));
}

enum hs_x86_64_way hs_x86_64_leave(const struct hs_cursor *c, const struct regs *r,
                                   const struct hs_x86_64_code *code, struct regs *ret_regs)
{
    uint64_t reg[16];
    unsigned i = 0, len;
    bool is_gone = is_frame_gone(code);
    memcpy(reg, r->r, sizeof(reg));
    reg[RSP] = r->sp;
    reg[RBP] = r->fp;
    for (int n = 0; n < EPILOGUE_INSNS && i < code->len; n++, i += len) {
        const unsigned char *b = code->b + i;
        unsigned rex = b[0] == 0x41;
        if (b[0] == 0xc3 || (b[0] == 0xe9 && is_gone)) { /* ret, or a jump to the unwinding stub */
            if (!hs_cursor_on_stack(c, reg[RSP]))
                return HS_X86_64_NOWHERE;
            return end_way(reg, HS_X86_64_RETURN, hs_cursor_word(c, reg[RSP]), 8, ret_regs);
        }
        if (b[rex] == 0xff && (b[rex + 1] & 0xf8) == 0xe0)
            return end_way(reg, HS_X86_64_JUMP, reg[(b[rex + 1] & 7) | rex << 3], 0, ret_regs);
        len = skip_in_epilogue(b);
        if (len == 0)
            len = follow_branch(b);
        if (len == 0)
            len = follow_move(c, b, reg);
        if (len == 0) {
            len = follow_pop(c, b, reg);
            is_gone |= len != 0;
        }
        if (len == 0)
            break;
    }
    return HS_X86_64_NOWHERE;
}

static bool is_sub_rsp(const unsigned char *b)
{
    return b[0] == 0x48 && (b[1] == 0x81 || b[1] == 0x83) && b[2] == 0xec;
}

/* Whether this is mov %rsp,%rbp, in either encoding. */
static bool is_mov_rsp_rbp(const unsigned char *b)
{
    return b[0] == 0x48 && ((b[1] == 0x8b && b[2] == 0xec) || (b[1] == 0x89 && b[2] == 0xe5));
}

int hs_x86_64_enter(const struct hs_cursor *c, const struct regs *r,
                    const struct hs_x86_64_code *code, unsigned ahead, struct regs *ret_regs)
{
    unsigned limit = ahead < code->len ? ahead : code->len;
    const unsigned char *before = code->before + HS_X86_64_BEFORE;
    for (unsigned i = 0; i < limit; i++) {
        bool is_sub = is_sub_rsp(code->b + i), is_mov = is_mov_rsp_rbp(code->b + i);
        if (!is_sub && !is_mov)
            continue;
        /* the byte in front is push %rbp, which is ahead or was already run */
        unsigned char last = i > 0 ? code->b[i - 1] : before[-1];
        if (is_mov && last != 0x55)
            continue;
        bool is_pushed = i == 0 && (last == 0x55 || is_mov_rsp_rbp(before - 3));
        uint64_t sp = is_pushed ? r->sp + 8 : r->sp;
        *ret_regs = *r;
        ret_regs->pc = hs_cursor_word(c, sp);
        ret_regs->sp = sp + 8;
        if (is_pushed)
            ret_regs->fp = hs_cursor_word(c, r->sp);
        return 1;
    }
    return 0;
}

bool hs_x86_64_is_prologue_next(const struct hs_x86_64_code *code, unsigned *ret_ahead)
{
    const unsigned char *before = code->before + HS_X86_64_BEFORE;
    unsigned i = 0;
    if (code->b[0] == 0x89 && code->b[1] == 0x84 && code->b[2] == 0x24)
        i = 7;
    if (code->b[i] == 0x55 && (is_sub_rsp(code->b + i + 1) || is_mov_rsp_rbp(code->b + i + 1))) {
        *ret_ahead = i + 2;
        return true;
    }
    if (is_sub_rsp(code->b + i) || (is_mov_rsp_rbp(code->b) && before[-1] == 0x55)) {
        *ret_ahead = i + 1;
        return true;
    }
    return false;
}

uint64_t hs_x86_64_pushed(const struct hs_cursor *c, uint64_t pc, const struct hs_blob *blob)
{
    struct hs_x86_64_code code;
    uint64_t depth = 0;
    unsigned i = 0;
    hs_x86_64_read(c, blob->code, blob->end, &code);
    while (i < code.len && blob->code + i < pc) {
        const unsigned char *b = code.b + i;
        bool is_move = (b[0] & 0xfb) == 0x48 && (b[1] & 0xfd) == 0x89 && b[3] == 0x24;
        if ((b[0] & 0xf8) == 0x50 || (b[0] == 0x41 && (b[1] & 0xf8) == 0x50)) {
            depth += 8;
            i += b[0] == 0x41 ? 2 : 1;
        } else if (b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xec) {
            depth += b[3];
            i += 4;
        } else if (b[0] == 0x48 && b[1] == 0x81 && b[2] == 0xec) {
            depth += (uint64_t)(int64_t)imm32(b + 3);
            i += 7;
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

uint64_t hs_x86_64_call_target(const struct hs_cursor *c, uint64_t pc)
{
    unsigned char b[5];
    if (mem_read(c->view->mem, pc - 5, b, sizeof(b)) < 0 || b[0] != 0xe8)
        return 0;
    return pc + (uint64_t)(int64_t)imm32(b + 1);
}

bool hs_x86_64_is_call_of_c(const struct hs_cursor *c, uint64_t pc)
{
    unsigned char b[2];
    uint64_t target = hs_x86_64_call_target(c, pc);
    if (target != 0)
        return !hs_code_contains(c->layout, target);
    /* call *%reg: ff d0 to ff d7 */
    return mem_read(c->view->mem, pc - 2, b, sizeof(b)) < 0 ||
           (b[0] == 0xff && (b[1] & 0xf8) == 0xd0);
}

bool hs_x86_64_is_call_stub(const struct hs_x86_64_code *code)
{
    const unsigned char *before = code->before + HS_X86_64_BEFORE - 10;
    return (code->b[0] == 0x48 && code->b[1] == 0xbb && code->b[10] == 0xe9) ||
           (code->b[0] == 0xe9 && before[0] == 0x48 && before[1] == 0xbb);
}
