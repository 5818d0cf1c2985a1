/*
 * safe_hs_top.c - where an interrupted compiled method's caller is found, instruction by
 * instruction.
 *
 * A made-up VM: one code heap with one nmethod, a stack, two debug descriptors. No JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "safe/hs_calls.h"
#include "safe/hs_compiled.h"
#include "safe/hs_top.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    HEAP = 0x10000000,
    SEGMAP = 0x20000000,
    STACK = 0x30000000,
    THREAD = 0x40000000,
    NAME = 0x50000000,
    DEBUG = 0x60000000,
    RETURN_PC = 0x70000000, /* the call stub's return address: a return address always */
    CODE = 0x100,           /* where the code begins in the blob */
    FRAME_WORDS = 6,
};

static unsigned char heap[4096], segmap[64], stack[1024], thread[64], name[16], debug[256];

static const struct region {
    uint64_t addr;
    unsigned char *bytes;
    size_t len;
} regions[] = {
    {HEAP, heap, sizeof(heap)},    {SEGMAP, segmap, sizeof(segmap)},
    {STACK, stack, sizeof(stack)}, {THREAD, thread, sizeof(thread)},
    {NAME, name, sizeof(name)},    {DEBUG, debug, sizeof(debug)},
};

static int read_region(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    for (unsigned i = 0; i < sizeof(regions) / sizeof(*regions); i++) {
        if (addr >= regions[i].addr && addr - regions[i].addr + len <= regions[i].len) {
            memcpy(dst, regions[i].bytes + (addr - regions[i].addr), len);
            return 0;
        }
    }
    return -EFAULT;
}

static const struct mem_ops region_ops = {.read = read_region};
static struct mem memory = {.ops = &region_ops};

static int init(struct hs_cursor *c, struct mem_view *v, const struct hs_layout *l, uint64_t sp)
{
    const struct hs_memory of = {.mem = &memory, .layout = l};
    return hs_cursor_init(c, v, &of, THREAD, sp);
}

static void put(unsigned char *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
}

/* The offsets are this test's own; the nmethod starts at HEAP + 16. */
static struct hs_layout make_vm(enum hs_cpu cpu, uint8_t level)
{
    struct hs_layout l;
    memset(&l, 0xff, sizeof(l)); /* HS_NONE where nothing is said */
    l.version = 17;
    l.cpu = cpu;
    l.heaps[0] = (struct hs_heap){HEAP, HEAP + sizeof(heap), SEGMAP, 7};
    l.heap_count = 1;
    l.block_size = 16;
    l.block_used = 8;
    l.blob_name = 0;
    l.blob_size = 8;
    l.blob_code_offset = 12;
    l.blob_frame_size = 16;
    l.blob_frame_complete = 20;
    l.blob_frame_complete_bytes = 4;
    l.nmethod_method = 24;
    l.nmethod_comp_level = 32;
    l.nmethod_orig_pc = 36;
    l.nmethod_immutable_data = 40;
    l.nmethod_scopes_data = 48;
    l.nmethod_scopes_pcs = 52;
    l.nmethod_scopes_pcs_end = 48; /* the scopes follow the descriptors */
    l.nmethod_metadata = 56;
    l.nmethod_deopt_offset = 60;
    l.pcdesc_size = 16;
    l.pcdesc_pc = 0;
    l.pcdesc_scope = 4;
    l.unsigned5_excluded = 0;
    l.interp_low = l.interp_high = 0;
    l.call_stub_return = RETURN_PC;
    l.thread_stack_base = 0;
    l.thread_stack_size = 8;
    memset(heap, 0x90, sizeof(heap));
    memset(segmap, 1, sizeof(segmap));
    segmap[0] = 0;
    memset(stack, 0, sizeof(stack));
    put(heap + 8, 1, 8);
    unsigned char *blob = heap + 16;
    memset(blob, 0, CODE);
    put(blob, NAME, 8);
    put(blob + 8, 2048, 4);
    put(blob + 12, CODE, 4);
    put(blob + 16, FRAME_WORDS, 4);
    put(blob + 20, 12, 4);
    put(blob + 24, 0x1230, 8);
    put(blob + 32, level, 1);
    put(blob + 40, DEBUG, 8);
    put(blob + 48, 64, 4); /* scopes */
    put(blob + 52, 16, 4); /* descriptors */
    put(blob + 56, 200, 4);
    memcpy(name, "nmethod", 8);
    /* descriptors at code offsets 100 and 110, and the last one; scopes: no sender, method 1, bci +
     * 1 */
    put(debug + 16, 100, 4);
    put(debug + 20, 1, 4);
    put(debug + 32, 110, 4);
    put(debug + 36, 4, 4);
    put(debug + 48, 0x7fffffff, 4);
    put(debug + 52, 0, 4);
    memcpy(debug + 65, "\x00\x01\x06\x00\x01\x08", 6);
    put(blob + 200, 0x4560, 8);
    put(thread, STACK + sizeof(stack), 8);
    put(thread + 8, sizeof(stack), 8);
    return l;
}

struct place {
    const char *what;
    uint32_t at;      /* offset of pc from the code's begin */
    const char *code; /* bytes laid down at `from` */
    uint32_t code_len, from;
    uint32_t return_word; /* where the return address lies, in words above sp */
    uint32_t fp_word;     /* where the caller's frame pointer lies; 99: in the register */
    uint8_t level;
    enum hs_trust trust;
};

#define BYTES(s) s, sizeof(s) - 1
static const struct place places[] = {
    {"ret", 200, BYTES("\xc3"), 200, 0, 99, 4, HS_TRUST_DECODED},
    {"pop rbp; ret", 200, BYTES("\x5d\xc3"), 200, 1, 0, 4, HS_TRUST_DECODED},
    {"add rsp; pop rbp; ret", 200, BYTES("\x48\x83\xc4\x20\x5d\xc3"), 200, 5, 4, 4,
     HS_TRUST_DECODED},
    {"wide add", 200, BYTES("\x48\x81\xc4\x20\x00\x00\x00\x5d\xc3"), 200, 5, 4, 4,
     HS_TRUST_DECODED},
    {"vzeroupper first", 200, BYTES("\xc5\xf8\x77\x48\x83\xc4\x20\x5d\xc3"), 200, 5, 4, 4,
     HS_TRUST_DECODED},
    {"poll before ret", 200, BYTES("\x49\x3b\xa7\x40\x03\x00\x00\x0f\x87\x01\x00\x00\x00\xc3"), 200,
     0, 99, 4, HS_TRUST_DECODED},
    {"bang comes", 0, BYTES("\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x20"), 0, 0, 99, 4,
     HS_TRUST_DECODED},
    {"push rbp comes", 7, BYTES("\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x20"), 0, 0, 99, 4,
     HS_TRUST_DECODED},
    {"push rbp is done", 8, BYTES("\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x20"), 0, 1, 0, 4,
     HS_TRUST_DECODED},
    {"sub rsp comes, no push", 0, BYTES("\x48\x81\xec\x20\x00\x00\x00\x48\x89\x6c\x24\x20"), 0, 0,
     99, 4, HS_TRUST_DECODED},
    {"rbp is not saved yet", 7, BYTES("\x48\x81\xec\x28\x00\x00\x00\x48\x89\x6c\x24\x20"), 0, 5, 99,
     4, HS_TRUST_DECODED},
    {"the reserved zone's check", 200,
     BYTES("\x49\x3b\xa7\x00\x06\x00\x00\x72\x0b\x49\xc7\x87\x00\x06\x00\x00\x00\x00\x00\x00\xc3"),
     200, 0, 99, 4, HS_TRUST_DECODED},
    {"on to the stub that unwinds", 200, BYTES("\x48\x83\xc4\x20\x5d\xe9\x00\x10\x00\x00"), 200, 5,
     4, 4, HS_TRUST_DECODED},
    {"the jump there", 205, BYTES("\x48\x83\xc4\x20\x5d\xe9\x00\x10\x00\x00"), 200, 0, 99, 3,
     HS_TRUST_DECODED},
    {"the jump there, a wide add before it", 208,
     BYTES("\x48\x81\xc4\x20\x00\x00\x00\x5d\xe9\x00\x10\x00\x00"), 200, 0, 99, 4,
     HS_TRUST_DECODED},
    {"the body", 300, BYTES("\x90"), 300, 5, 4, 4, HS_TRUST_EXACT},
    {"the body, C1", 300, BYTES("\x90"), 300, 5, 4, 3, HS_TRUST_EXACT},
    {"two words pushed, C2", 300, BYTES("\x90"), 300, 7, 6, 4, HS_TRUST_SHIFTED},
    {"a hundred words pushed, C1", 300, BYTES("\x90"), 300, 105, 104, 3, HS_TRUST_DECODED},
};

static void the_caller_is_found_from_each_instruction(void **state)
{
    for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const struct place *p = &places[i];
        const uint64_t caller_fp = STACK + 900 - 900 % 8;
        struct hs_layout l = make_vm(HS_CPU_X86_64, p->level);
        struct mem_view v = {.mem = &memory};
        struct hs_cursor c;
        struct hs_starts starts = {.count = 0};
        struct regs r = {.pc = HEAP + 16 + CODE + p->at, .sp = STACK + 16, .fp = caller_fp};
        memcpy(heap + 16 + CODE + p->from, p->code, p->code_len);
        put(stack + 16 + p->return_word * 8, RETURN_PC, 8);
        if (p->fp_word != 99)
            put(stack + 16 + p->fp_word * 8, caller_fp, 8);
        if (p->fp_word != 99 && p->level == 4)
            r.fp = 12345; /* C2 uses the register for other things */
        assert_true(init(&c, &v, &l, r.sp));
        hs_top_x86_64.find(&c, &r, &starts);
        if (starts.count == 0)
            fail_msg("%s: no start", p->what);
        if (starts.list[0].pc != RETURN_PC || starts.list[0].sp != r.sp + p->return_word * 8 + 8 ||
            starts.list[0].fp != caller_fp || starts.list[0].trust != p->trust)
            fail_msg("%s: pc %lx sp +%ld fp %lx trust %d", p->what, (long)starts.list[0].pc,
                     (long)(starts.list[0].sp - r.sp), (long)starts.list[0].fp,
                     starts.list[0].trust);
        assert_int_equal(starts.list[0].lead, HS_LEAD_CODE);
        assert_int_equal(starts.list[0].lead_pc, r.pc);
        assert_int_equal(starts.list[0].in_body, p->trust == HS_TRUST_EXACT);
    }
}

static void a_known_instruction_has_one_guess(void **state)
{
    const uint64_t caller_fp = STACK + 896;
    for (uint8_t level = 3; level <= 4; level++) {
        struct hs_layout l = make_vm(HS_CPU_X86_64, level);
        struct mem_view v = {.mem = &memory};
        struct hs_cursor c;
        struct hs_starts starts = {.count = 0};
        struct regs r = {.pc = HEAP + 16 + CODE + 300, .sp = STACK + 16, .fp = caller_fp};
        const struct hs_call top = {.pc = r.pc, .frame_size = FRAME_WORDS, .level = level};
        assert_true(init(&c, &v, &l, r.sp));
        assert_false(hs_top_x86_64.find_known(&c, &r, &top, &starts)); /* no return address */
        put(stack + 16 + 5 * 8, RETURN_PC, 8);
        put(stack + 16 + 4 * 8, caller_fp, 8);
        assert_true(hs_top_x86_64.find_known(&c, &r, &top, &starts));
        assert_int_equal(starts.count, 1);
        assert_int_equal(starts.list[0].pc, RETURN_PC);
        assert_int_equal(starts.list[0].sp, r.sp + FRAME_WORDS * 8);
        assert_int_equal(starts.list[0].fp, caller_fp);
        assert_int_equal(starts.list[0].lead, HS_LEAD_CODE);
        assert_int_equal(starts.list[0].trust, HS_TRUST_EXACT);
        r.fp += 8; /* C1 would have kept it */
        assert_int_equal(hs_top_x86_64.find_known(&c, &r, &top, &starts), level == 4);
    }
}

#define INSNS(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
/* aarch64: the frame's six words take 48 bytes; frame_complete is 12, after three instructions. */
static const struct place_aarch64 {
    const char *what;
    uint32_t at, from; /* offsets from the code's begin: pc, and where the code is laid down */
    uint32_t code[8];  /* up to the first 0 */
    uint32_t sp_word;  /* the caller's stack pointer, in words above sp */
    uint8_t is_in_lr;  /* return address in lr; else in the word below the caller's sp */
    uint8_t has_fp;    /* the caller's frame pointer is in the register; else below that word */
    uint8_t level;
    enum hs_trust trust;
} places_aarch64[] = {
    {"ret", 200, 200, INSNS(0xd65f03c0), 0, 1, 1, 4, HS_TRUST_DECODED},
    /* ldp fp,lr,[sp,#32]; add sp,sp,#48; ldr x8,[x28,#n]; cmp sp,x8; b.hi; ret */
    {"small frame's end", 200, 200,
     INSNS(0xa9427bfd, 0x9100c3ff, 0xf941a388, 0xeb2863ff, 0x54000068, 0xd65f03c0), 6, 0, 0, 4,
     HS_TRUST_DECODED},
    {"the pair is loaded", 204, 200,
     INSNS(0xa9427bfd, 0x9100c3ff, 0xf941a388, 0xeb2863ff, 0x54000068, 0xd65f03c0), 6, 1, 1, 4,
     HS_TRUST_DECODED},
    {"the poll", 212, 200,
     INSNS(0xa9427bfd, 0x9100c3ff, 0xf941a388, 0xeb2863ff, 0x54000068, 0xd65f03c0), 0, 1, 1, 4,
     HS_TRUST_DECODED},
    /* add sp,sp,#32; ldp fp,lr,[sp],#16; ret */
    {"large frame's end", 200, 200, INSNS(0x910083ff, 0xa8c17bfd, 0xd65f03c0), 6, 0, 0, 4,
     HS_TRUST_DECODED},
    /* mov x8,#32; movk x8,#0,lsl #16; add sp,sp,x8; ldp fp,lr,[sp],#16; autiasp; ret */
    {"huge frame's end", 200, 200,
     INSNS(0xd2800408, 0xf2a00008, 0x8b2863ff, 0xa8c17bfd, 0xd50323bf, 0xd65f03c0), 6, 0, 0, 4,
     HS_TRUST_DECODED},
    {"leave", 200, 200, INSNS(0xa8c17bfd, 0xd65f03c0), 2, 0, 0, 4, HS_TRUST_DECODED},
    /* nop; sub sp,sp,#48; stp fp,lr,[sp,#32] */
    {"entry", 0, 0, INSNS(0xd503201f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 4, HS_TRUST_DECODED},
    {"sub comes", 4, 0, INSNS(0xd503201f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 4, HS_TRUST_DECODED},
    {"stp comes", 8, 0, INSNS(0xd503201f, 0xd100c3ff, 0xa9027bfd), 6, 1, 1, 4, HS_TRUST_DECODED},
    /* stp fp,lr,[sp,#-16]!; mov fp,sp; sub sp,sp,#32 */
    {"push comes", 0, 0, INSNS(0xa9bf7bfd, 0x910003fd, 0xd10083ff), 0, 1, 1, 4, HS_TRUST_DECODED},
    {"push is done", 8, 0, INSNS(0xa9bf7bfd, 0x910003fd, 0xd10083ff), 2, 0, 0, 4, HS_TRUST_DECODED},
    /* OSR entry: sub x9,sp,#20,lsl #12; str xzr,[x9]; sub sp,sp,#48; stp fp,lr,[sp,#32] */
    {"OSR entry", 300, 300, INSNS(0xd14053e9, 0xf900013f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 3,
     HS_TRUST_DECODED},
    /* branch protection: bti c; paciaz; sub sp,sp,#48; stp fp,lr,[sp,#32] */
    {"landing pad", 0, 0, INSNS(0xd503245f, 0xd503231f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 4,
     HS_TRUST_DECODED},
    {"lr is signed next", 4, 0, INSNS(0xd503245f, 0xd503231f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 4,
     HS_TRUST_DECODED},
    {"lr is signed", 8, 0, INSNS(0xd503245f, 0xd503231f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 4,
     HS_TRUST_DECODED},
    /* ldp fp,lr,[sp,#32]; add sp,sp,#48; autiaz; ret */
    {"signature is checked next", 208, 200, INSNS(0xa9427bfd, 0x9100c3ff, 0xd503239f, 0xd65f03c0),
     0, 1, 1, 4, HS_TRUST_DECODED},
    /* ptrue p7.b; sub x9,sp,#20,lsl #12; str xzr,[x9]; paciaz; sub sp,sp,#48; stp fp,lr,[sp,#32] */
    {"OSR entry with vectors and branch protection", 300, 300,
     INSNS(0x2518e3e7, 0xd14053e9, 0xf900013f, 0xd503231f, 0xd100c3ff, 0xa9027bfd), 0, 1, 1, 3,
     HS_TRUST_DECODED},
    {"the body", 300, 300, INSNS(0xd503201f), 6, 0, 0, 4, HS_TRUST_EXACT},
    {"the body, C1", 300, 300, INSNS(0xd503201f), 6, 0, 0, 3, HS_TRUST_EXACT},
    {"four words pushed, C2", 300, 300, INSNS(0xd503201f), 10, 0, 0, 4, HS_TRUST_SHIFTED},
    {"a hundred words pushed, C1", 300, 300, INSNS(0xd503201f), 106, 0, 0, 3, HS_TRUST_DECODED},
};

static void the_caller_is_found_from_each_instruction_of_aarch64(void **state)
{
    const uint64_t caller_fp = STACK + 896, signature = (uint64_t)0x5c00 << 48;
    for (unsigned i = 0; i < sizeof(places_aarch64) / sizeof(*places_aarch64); i++) {
        const struct place_aarch64 *p = &places_aarch64[i];
        struct hs_layout l = make_vm(HS_CPU_AARCH64, p->level);
        struct mem_view v = {.mem = &memory};
        struct hs_cursor c;
        struct hs_starts starts = {.count = 0};
        struct regs r = {.pc = HEAP + 16 + CODE + p->at, .sp = STACK + 16, .fp = caller_fp};
        for (unsigned k = 0; k < 8 && p->code[k] != 0; k++)
            put(heap + 16 + CODE + p->from + k * 4, p->code[k], 4);
        if (p->from == 0 && p->code[3] != 0) /* four instructions make the frame */
            put(heap + 16 + 20, 16, 4);
        unsigned char *above = stack + 16 + p->sp_word * 8;
        r.lr = p->is_in_lr ? (RETURN_PC | signature) : 54321;
        if (!p->is_in_lr)
            put(above - 8, RETURN_PC | signature, 8);
        if (!p->has_fp)
            put(above - 16, caller_fp, 8);
        if (!p->has_fp && p->level == 4)
            r.fp = 12345; /* C2 uses the register for other things */
        assert_true(init(&c, &v, &l, r.sp));
        hs_top_aarch64.find(&c, &r, &starts);
        if (starts.count == 0)
            fail_msg("%s: no start", p->what);
        if (starts.list[0].pc != RETURN_PC || starts.list[0].sp != r.sp + p->sp_word * 8 ||
            starts.list[0].fp != caller_fp || starts.list[0].trust != p->trust)
            fail_msg("%s: pc %lx sp +%ld fp %lx trust %d", p->what, (long)starts.list[0].pc,
                     (long)(starts.list[0].sp - r.sp), (long)starts.list[0].fp,
                     starts.list[0].trust);
        assert_int_equal(starts.list[0].lead, HS_LEAD_CODE);
        assert_int_equal(starts.list[0].lead_pc, r.pc);
    }
}

#define CODE_AT(offset) (HEAP + 16 + CODE + (uint64_t)(offset))
#define SP (STACK + 16)

/* A stub of that name, with code from `from` on. */
struct stub {
    const char *name;
    int32_t frame_words;
    uint32_t from, code_len;
    const char *code;
    void (*lay)(void); /* lays down more; may be NULL */
};

/* The first start for registers in a made-up stub, or in C code. A return address lies at SP,
 * and the thread says that a signal interrupted the code at 100. */
static struct hs_start first_start_of(uint32_t version, const struct stub *stub,
                                      const struct regs *r)
{
    struct hs_layout l = make_vm(HS_CPU_X86_64, 4);
    struct mem_view v = {.mem = &memory};
    struct hs_starts starts = {.count = 0};
    struct hs_cursor c;
    l.version = version;
    l.thread_saved_exception_pc = 16;
    put(thread + 16, CODE_AT(100), 8);
    snprintf((char *)name, sizeof(name), "%.*s", (int)sizeof(name) - 1, stub->name);
    put(heap + 16 + 16, (uint32_t)stub->frame_words, 4);
    memcpy(heap + 16 + CODE + stub->from, stub->code, stub->code_len);
    put(stack + 16, RETURN_PC, 8);
    if (stub->lay)
        stub->lay();
    assert_true(init(&c, &v, &l, r->sp));
    (r->pc - HEAP < sizeof(heap) ? hs_top_x86_64.find : hs_top_x86_64.find_native)(&c, r, &starts);
    return starts.count > 0 ? starts.list[0] : (struct hs_start){.pc = 0};
}

static struct hs_start first_start(const struct stub *stub, const struct regs *r)
{
    return first_start_of(17, stub, r);
}

static void assert_start(struct hs_start s, uint64_t pc, uint64_t sp, uint64_t fp)
{
    assert_int_equal(s.pc, pc);
    assert_int_equal(s.sp, sp);
    assert_int_equal(s.fp, fp);
    assert_int_equal(s.lead, HS_LEAD_NONE);
}

static void an_exception_on_its_way_is_where_rdx_says(void **state)
{
    /* mov %rax,%rbx; pop %rdx; jmp *%rbx */
    const struct stub unwinds = {"unwind_exception", -1, 200, 6, "\x48\x8b\xd8\x5a\xff\xe3", NULL};
    struct regs r = {.pc = CODE_AT(200), .sp = SP, .fp = 77};
    assert_start(first_start(&unwinds, &r), RETURN_PC, SP + 8, 77);
    r.pc = CODE_AT(204); /* the pop is done */
    r.r[REGS_RDX] = RETURN_PC;
    assert_start(first_start(&unwinds, &r), RETURN_PC, SP, 77);
    /* a stub that begins with push %rdx is jumped to */
    const struct stub handles = {"ExceptionBlob", 2, 0, 5, "\x52\x48\x83\xec\x08", NULL};
    r.pc = CODE_AT(0);
    r.sp = SP + 8;
    assert_start(first_start(&handles, &r), RETURN_PC, SP + 8, 77);
}

static void a_poll_that_faulted_is_where_the_thread_says(void **state)
{
    /* push %rbx; push %rbp; mov %rsp,%rbp; pushf */
    const struct stub poll = {"SafepointBlob", 40, 0, 6, "\x53\x55\x48\x8b\xec\x9c", NULL};
    struct regs r = {.pc = CODE_AT(0), .sp = SP + 64, .fp = 77};
    assert_start(first_start(&poll, &r), CODE_AT(100), SP + 64, 77);
    r.pc = CODE_AT(1);
    r.sp -= 8;
    assert_start(first_start(&poll, &r), CODE_AT(100), SP + 64, 77);
    r.pc = CODE_AT(2);
    r.sp -= 8;
    assert_start(first_start(&poll, &r), CODE_AT(100), SP + 64, 0); /* what was pushed */
    r.pc = CODE_AT(60);
    r.fp = r.sp;
    r.sp -= 32;
    assert_start(first_start(&poll, &r), CODE_AT(100), SP + 64, 0);
    /* at a return the address lies on top, whatever the thread says */
    const struct stub at_return = {"SafepointBlob", 40, 0, 4, "\x55\x48\x8b\xec", NULL};
    r = (struct regs){.pc = CODE_AT(0), .sp = SP, .fp = 77};
    assert_start(first_start(&at_return, &r), RETURN_PC, SP + 8, 77);
}

static void an_adapter_keeps_the_return_address_in_rax(void **state)
{
    /* mov %r13,%rsp; pop %rax; mov %rsp,%r13 */
    const struct stub c2i = {"I2C/C2I adapters", 0, 200, 7, "\x49\x8b\xe5\x58\x4c\x8b\xec", NULL};
    struct regs r = {.pc = CODE_AT(204), .sp = SP + 8, .fp = 77};
    r.r[REGS_RAX] = RETURN_PC;
    r.r[REGS_R13] = SP + 200; /* an interpreted caller's */
    assert_start(first_start(&c2i, &r), RETURN_PC, SP + 8, 77);
    r.pc = CODE_AT(200);
    r.sp = STACK + 8;
    r.r[REGS_R13] = SP;
    r.r[REGS_RAX] = 5;
    assert_start(first_start(&c2i, &r), RETURN_PC, SP + 8, 77);
}

static void call_at_95(void)
{
    memcpy(heap + 16 + CODE + 95, "\xe8\x10\0\0\0", 5);
    put(stack + 8, CODE_AT(100), 8);
}

static void behind_a_method_its_own_frame_is_whole(void **state)
{
    /* mov $Method*,%rbx; jmp: a call in the method came here */
    const struct stub called = {
        "nmethod", FRAME_WORDS, 400, 15, "\x48\xbb\1\2\3\4\5\6\7\x08\xe9\0\x10\0\0", call_at_95};
    struct regs r = {.pc = CODE_AT(400), .sp = STACK + 8, .fp = 77};
    assert_start(first_start(&called, &r), CODE_AT(100), STACK + 16, 77);
    r.pc = CODE_AT(410);
    assert_start(first_start(&called, &r), CODE_AT(100), STACK + 16, 77);
}

/* Two registers are kept, and the word below them is some older return address. */
static void call_at_95_and_two_kept(void)
{
    call_at_95();
    put(stack + 8, RETURN_PC, 8);
    put(stack + 24, CODE_AT(100), 8);
}

static void a_stub_that_keeps_registers_returns_to_who_called_it(void **state)
{
    /* push %rdi; push %rbx, and what follows: addl $1,0x90(%r15) */
    const struct stub allocates = {"fast_new_instance",    60, 300, 5, "\x41\x83\x87\x90\0",
                                   call_at_95_and_two_kept};
    struct regs r = {.pc = CODE_AT(300), .sp = STACK + 8, .fp = 77};
    assert_start(first_start(&allocates, &r), CODE_AT(100), STACK + 32, 77);
    assert_int_equal(first_start(&allocates, &r).trust, HS_TRUST_DECODED);
}

/* What C code uses as its frame pointer leads to the return address after 95. */
static void call_of_c_at_95(void)
{
    memcpy(heap + 16 + CODE + 95, "\xe8\0\0\0\x10", 5);
    put(stack + 128, 77, 8);
    put(stack + 136, CODE_AT(100), 8);
}

static void call_of_java_at_95(void)
{
    call_of_c_at_95();
    memcpy(heap + 16 + CODE + 95, "\xe8\x10\0\0\0", 5);
}

static void a_frame_pointer_of_java_is_not_taken_for_one_of_c(void **state)
{
    struct stub calls = {"nmethod", FRAME_WORDS, 90, 1, "\x90", call_of_c_at_95};
    struct regs r = {.pc = 0x1234, .sp = STACK + 64, .fp = STACK + 128};
    assert_start(first_start(&calls, &r), CODE_AT(100), STACK + 144, 77);
    calls.lay = call_of_java_at_95;
    assert_int_equal(first_start(&calls, &r).pc, 0);
}

/* What the adapter saved: r13, which is where the return address lies. */
static void r13_is_saved(void)
{
    call_of_c_at_95();
    put(stack + 160, STACK + 200, 8);
    put(stack + 200, RETURN_PC, 8);
}

static void an_adapter_that_has_its_caller_patched_saved_where_it_returns(void **state)
{
    const struct stub c2i = {"I2C/C2I adapters", 0, 90, 1, "\x90", r13_is_saved};
    struct regs r = {.pc = 0x1234, .sp = STACK + 64, .fp = STACK + 128};
    assert_start(first_start(&c2i, &r), RETURN_PC, STACK + 208, 77);
}

enum { ARCHIVE_AT = 512 }; /* outside of the code heap */

/* movabs $N,%r10; jmp *%r10: to the adapter's first instruction */
static void archive_leads_to_90(void)
{
    uint64_t target = CODE_AT(90);
    memcpy(stack + ARCHIVE_AT, "\x49\xba", 2);
    memcpy(stack + ARCHIVE_AT + 2, &target, sizeof(target));
    memcpy(stack + ARCHIVE_AT + 10, "\x41\xff\xe2", 3);
}

static void from_a_jump_of_the_archive_the_caller_is_that_of_its_target(void **state)
{
    const struct stub c2i = {"I2C/C2I adapters", 0, 90, 1, "\x90", archive_leads_to_90};
    struct regs r = {.pc = STACK + ARCHIVE_AT, .sp = SP, .fp = 77};
    assert_start(first_start_of(11, &c2i, &r), RETURN_PC, SP + 8, 77);
    assert_int_equal(first_start_of(11, &c2i, &r).trust, HS_TRUST_DECODED);
    r.pc += 10; /* the jump */
    assert_start(first_start_of(11, &c2i, &r), RETURN_PC, SP + 8, 77);
    assert_int_equal(first_start_of(11, &c2i, &r).trust, HS_TRUST_DECODED);
}

static void frame_is_complete_at_80(void)
{
    put(heap + 16 + 20, 80, 4);
}

static void before_a_long_entry_the_return_address_is_on_top(void **state)
{
    /* the test of the receiver's class takes up to 72 bytes, then the frame is made */
    const struct stub entry = {
        "nmethod", FRAME_WORDS, 72, 8, "\x55\x48\x83\xec\x20\x90\x90\x90", frame_is_complete_at_80};
    struct regs r = {.pc = CODE_AT(0), .sp = SP, .fp = 77};
    struct hs_start s = first_start(&entry, &r);
    assert_int_equal(s.pc, RETURN_PC);
    assert_int_equal(s.sp, SP + 8);
    assert_int_equal(s.trust, HS_TRUST_DECODED);
}

static int32_t bci_at(uint32_t offset, bool is_return)
{
    struct hs_layout l = make_vm(HS_CPU_X86_64, 4);
    struct mem_view v = {.mem = &memory};
    struct hs_cursor c;
    struct hs_blob blob;
    struct walk_frame frame;
    uint64_t pc = HEAP + 16 + CODE + offset;
    assert_true(init(&c, &v, &l, STACK + 16));
    c.frames = &frame;
    c.max = 1;
    assert_true(hs_code_find(&v, &l, pc, &blob));
    assert_int_equal(blob.kind, HS_BLOB_NMETHOD);
    assert_true(hs_compiled_add(&c, &blob, pc, is_return));
    assert_int_equal(c.count, 1);
    assert_int_equal(frame.kind, WALK_KIND_C2);
    return frame.bci;
}

static void a_descriptor_ends_its_region(void **state)
{
    assert_int_equal(bci_at(100, 1), 5); /* the call that returns here */
    assert_int_equal(bci_at(100, 0), 7); /* the instruction after it */
    assert_int_equal(bci_at(99, 0), 5);
    assert_int_equal(bci_at(105, 0), 7);
    assert_int_equal(bci_at(200, 0), -1); /* behind the last one only the method is known */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caller_is_found_from_each_instruction),
        cmocka_unit_test(a_known_instruction_has_one_guess),
        cmocka_unit_test(the_caller_is_found_from_each_instruction_of_aarch64),
        cmocka_unit_test(an_exception_on_its_way_is_where_rdx_says),
        cmocka_unit_test(a_poll_that_faulted_is_where_the_thread_says),
        cmocka_unit_test(an_adapter_keeps_the_return_address_in_rax),
        cmocka_unit_test(behind_a_method_its_own_frame_is_whole),
        cmocka_unit_test(a_frame_pointer_of_java_is_not_taken_for_one_of_c),
        cmocka_unit_test(an_adapter_that_has_its_caller_patched_saved_where_it_returns),
        cmocka_unit_test(a_stub_that_keeps_registers_returns_to_who_called_it),
        cmocka_unit_test(from_a_jump_of_the_archive_the_caller_is_that_of_its_target),
        cmocka_unit_test(before_a_long_entry_the_return_address_is_on_top),
        cmocka_unit_test(a_descriptor_ends_its_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
