/*
 * elf_eh_frame.c - call frame information, of this very program.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/eh_frame.h"
#include "cmocka_all.h"
#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#ifdef __aarch64__
#define HOST_CPU HS_CPU_AARCH64
#else
#define HOST_CPU HS_CPU_X86_64
#endif

/* Memory of this process, for addresses that are known to be there. */
static int own_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    (void)m;
    memcpy(dst, (const void *)(uintptr_t)addr, len);
    return 0;
}
static const struct mem_ops own_ops = {.read = own_read};

static int take_bias(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(uint64_t *)arg = info->dlpi_addr;
    return 1; /* the program is the first */
}

struct own {
    struct elf_file file;
    struct eh_frame frames;
    uint64_t bias;
};

static void open_own(struct own *own)
{
    assert_int_equal(elf_file_open("/proc/self/exe", &own->file), 0);
    assert_int_equal(eh_frame_open(&own->file, &own->frames), 0);
    dl_iterate_phdr(take_bias, &own->bias);
}

static void the_table_and_the_single_look_up_agree(void **state)
{
    (void)state;
    struct own own;
    struct cfi_row *rows;
    uint32_t count, compared = 0;
    open_own(&own);
    assert_int_equal(eh_frame_rows(&own.frames, 0, &rows, &count), 0);
    assert_true(count > 20);
    struct cfi_table table = {.base = 0, .end = UINT32_MAX, .rows = rows, .count = count};
    for (uint64_t addr = rows[0].pc; addr < rows[count - 1].pc; addr++) {
        struct cfi_row single;
        const struct cfi_row *row = cfi_find(&table, addr);
        assert_non_null(row);
        if (!eh_frame_find(&own.frames, addr, &single)) {
            assert_int_equal(row->cfa, CFI_CFA_UNKNOWN);
            continue;
        }
        assert_int_equal(row->cfa, single.cfa);
        assert_int_equal(row->cfa_offset, single.cfa_offset);
        assert_int_equal(row->fp_offset, single.fp_offset);
        assert_int_equal(row->ra_offset, single.ra_offset);
        compared++;
    }
    assert_true(compared > 1000);
    free(rows);
    elf_file_close(&own.file);
}

/* The registers here, as the caller of this macro has them after it. */
#ifdef __aarch64__
#define TAKE_REGS(r)                                                                               \
    __asm__ volatile("adr %0, .\n mov %1, sp\n mov %2, x29\n mov %3, x30"                          \
                     : "=r"((r).pc), "=r"((r).sp), "=r"((r).fp), "=r"((r).lr))
#else
#define TAKE_REGS(r)                                                                               \
    __asm__ volatile("lea 0(%%rip), %0\n mov %%rsp, %1\n mov %%rbp, %2"                            \
                     : "=r"((r).pc), "=r"((r).sp), "=r"((r).fp))
#endif

enum { CHAIN = 6 };

/* How many callers in a row are those that backtrace() found, wherever in its list they begin. */
static int depth_of_walk(struct own *own, struct cfi_regs r, void **expected, int expected_count)
{
    struct mem memory = {.ops = &own_ops};
    struct mem_view view = {.mem = &memory};
    bool interrupted = true;
    int at = 0, n = 0;
    for (;; n++, at++) {
        struct cfi_row row;
        uint64_t pc = (interrupted ? r.pc : r.pc - 1) - own->bias;
        if (!eh_frame_find(&own->frames, pc, &row) ||
            cfi_step(&view, HOST_CPU, &row, &r, &interrupted) <= 0)
            return n;
        while (n == 0 && at < expected_count && r.pc != (uint64_t)(uintptr_t)expected[at])
            at++;
        if (at >= expected_count || r.pc != (uint64_t)(uintptr_t)expected[at])
            return n;
    }
}

static volatile int sink;

/* Sanitizers address frames by registers that are not followed. */
static __attribute__((noinline, no_sanitize_address)) int chain(struct own *own, int left)
{
    if (left > 0) {
        int n = chain(own, left - 1);
        sink = n; /* no tail call */
        return n;
    }
    void *expected[CHAIN + 4];
    struct cfi_regs r = {0};
    int count = backtrace(expected, CHAIN + 4);
    TAKE_REGS(r);
    assert_true(count > CHAIN);
    return depth_of_walk(own, r, expected, count);
}

static void a_walk_through_own_code_meets_what_backtrace_says(void **state)
{
    (void)state;
    struct own own;
    open_own(&own);
    assert_true(chain(&own, CHAIN) >= CHAIN);
    elf_file_close(&own.file);
}

static void a_frame_pointer_based_row_is_followed(void **state)
{
    (void)state;
    uint64_t stack[8] = {0};
    struct mem memory = {.ops = &own_ops};
    struct mem_view view = {.mem = &memory};
    struct cfi_row row = {.cfa = CFI_CFA_FP, .cfa_offset = 16, .fp_offset = -16, .ra_offset = -8};
    struct cfi_regs r = {.pc = 0x1000, .sp = (uintptr_t)&stack[0], .fp = (uintptr_t)&stack[2]};
    bool interrupted;
    stack[2] = 0x7777;
    stack[3] = 0x2000;
    assert_int_equal(cfi_step(&view, HS_CPU_X86_64, &row, &r, &interrupted), 1);
    assert_int_equal(r.pc, 0x2000);
    assert_int_equal(r.fp, 0x7777);
    assert_int_equal(r.sp, (uintptr_t)&stack[4]);
    assert_int_equal(interrupted, 0);
}

static void a_row_that_leads_down_is_refused(void **state)
{
    (void)state;
    uint64_t stack[8] = {0};
    struct mem memory = {.ops = &own_ops};
    struct mem_view view = {.mem = &memory};
    struct cfi_row row = {.cfa = CFI_CFA_FP, .ra_offset = -8, .fp_offset = CFI_SAME};
    struct cfi_regs r = {.pc = 1, .sp = (uintptr_t)&stack[4], .fp = (uintptr_t)&stack[2]},
                    before = r;
    bool interrupted;
    assert_int_equal(cfi_step(&view, HS_CPU_X86_64, &row, &r, &interrupted), -1);
    assert_memory_equal(&r, &before, sizeof(r));
}

/* The kernel's signal frame of aarch64: siginfo (128 bytes), ucontext up to its mcontext (176),
 * fault_address, x0 to x30, sp, pc, pstate, and then records {magic, bytes}, of which the one of
 * SVE takes up to 17 KB. */
enum { ARM_X0 = 128 + 176 + 8, ARM_SP = ARM_X0 + 31 * 8, ARM_PC = ARM_SP + 8 };

static void an_aarch64_signal_frame_is_left_whatever_records_it_has(void **state)
{
    (void)state;
    static unsigned char stack[64 << 10] __attribute__((aligned(16)));
    struct mem memory = {.ops = &own_ops};
    const struct cfi_row row = {.cfa = CFI_CFA_SIGNAL};
    for (uint64_t records = 528; records < sizeof(stack) - 1024; records += 1040) {
        uint64_t sp = (uintptr_t)stack, interrupted_sp = sp + ARM_PC + 16 + records;
        uint64_t words[33];
        for (uint64_t i = 0; i < 31; i++)
            words[i] = 0x100 + i;
        words[31] = interrupted_sp;
        words[32] = 0x4440;
        memset(stack, 0x5a, sizeof(stack));
        memcpy(stack + ARM_X0, words, sizeof(words));
        struct mem_view view = {.mem = &memory};
        struct cfi_regs r = {.pc = 0x9990, .sp = sp, .fp = 1, .lr = 2};
        bool is_interrupted = false;
        assert_int_equal(cfi_step(&view, HS_CPU_AARCH64, &row, &r, &is_interrupted), 1);
        assert_true(is_interrupted);
        assert_int_equal(r.pc, 0x4440);
        assert_int_equal(r.sp, interrupted_sp);
        assert_int_equal(r.fp, 0x100 + 29);
        assert_int_equal(r.lr, 0x100 + 30);
    }
}

/* With pac-ret a function stores a signed return address: bits 48 to 54 and 56 to 63 are not those
 * of an address. Bit 55, which tells the halves of the address space, is 0 for a program. */
static void the_signature_of_a_return_address_is_taken_off(void **state)
{
    (void)state;
    const uint64_t signature = 0xff7f000000000000u, pc = 0x0000fffff7e04324u;
    uint64_t stack[4] = {0x7777, pc | signature};
    struct mem memory = {.ops = &own_ops};
    struct mem_view view = {.mem = &memory};
    struct cfi_row row = {.cfa = CFI_CFA_SP, .cfa_offset = 16, .fp_offset = -16, .ra_offset = -8};
    struct cfi_regs r = {.pc = 0x1000, .sp = (uintptr_t)&stack[0]};
    bool interrupted;
    assert_int_equal(cfi_step(&view, HS_CPU_AARCH64, &row, &r, &interrupted), 1);
    assert_int_equal(r.pc, pc);
    /* a leaf: signed, and not stored yet */
    row = (struct cfi_row){.cfa = CFI_CFA_SP, .fp_offset = CFI_SAME, .ra_offset = CFI_SAME};
    r = (struct cfi_regs){.pc = 0x1000, .sp = (uintptr_t)&stack[0], .lr = pc | signature};
    assert_int_equal(cfi_step(&view, HS_CPU_AARCH64, &row, &r, &interrupted), 1);
    assert_int_equal(r.pc, pc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_and_the_single_look_up_agree),
        cmocka_unit_test(a_walk_through_own_code_meets_what_backtrace_says),
        cmocka_unit_test(a_frame_pointer_based_row_is_followed),
        cmocka_unit_test(a_row_that_leads_down_is_refused),
        cmocka_unit_test(an_aarch64_signal_frame_is_left_whatever_records_it_has),
        cmocka_unit_test(the_signature_of_a_return_address_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
