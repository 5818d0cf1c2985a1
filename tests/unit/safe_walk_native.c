/*
 * safe_walk_native.c - native frames in a signal handler, of a call chain that is known.
 *
 * The chain is built with and without frame pointers, with a frame whose size is only known when it
 * runs, and is stopped in the middle by signals. What libgcc's unwinder
 * says of the same stack is what is expected. SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "elf/eh_frame.h"
#include "safe/hs_layout.h"
#include "safe/mem_self.h"
#include "safe/regs.h"
#include "safe/unwind.h"
#include "safe/walk_native.h"
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#define KEPT __attribute__((noinline, noclone, used))
enum {
    FRAMES = 64,
    LIBRARIES = 32,
};

#ifdef __x86_64__
#define THIS_CPU HS_CPU_X86_64
#else
#define THIS_CPU HS_CPU_AARCH64
#endif

static struct {
    struct cfi_map map;
    struct cfi_table tables[LIBRARIES];
} all;

static volatile int caught, whole, wanted;
static volatile unsigned long sink;
static struct walk_frame frames[FRAMES];
static uint32_t count;

static int add_table(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct elf_file file;
    struct eh_frame eh;
    struct cfi_row *rows;
    uint32_t row_count;
    uint64_t end = 0;
    (void)size;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > end)
            end = p->p_vaddr + p->p_memsz;
    }
    const char *path = info->dlpi_name[0] != 0 ? info->dlpi_name : "/proc/self/exe";
    if (all.map.count == LIBRARIES || elf_file_open(path, &file) < 0)
        return 0;
    uint64_t base = elf_file_base(&file);
    assert_int_equal(eh_frame_open(&file, &eh), 0);
    assert_int_equal(eh_frame_rows(&eh, base, &rows, &row_count), 0);
    struct cfi_table table = {info->dlpi_addr + base, info->dlpi_addr + end, rows, row_count};
    uint32_t at = all.map.count++;
    for (; at > 0 && all.tables[at - 1].base > table.base; at--)
        all.tables[at] = all.tables[at - 1];
    all.tables[at] = table;
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    dl_iterate_phdr(add_table, NULL);
    return 0;
}

/* Guarded loads by the fault handler: an emulator may not have process_vm_readv. In each test and
 * not before all of them: cmocka puts handlers of its own in front for each. */
static void open_memory(void)
{
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
}

static uint32_t walk_from(const struct regs *r, uint32_t max)
{
    static const struct hs_layout no_code = {.cpu = THIS_CPU};
    static struct unwind unwind;
    const struct hs_memory memory = {.mem = &mem_self, .layout = &no_code, .unwind = &unwind};
    bool is_cut;
    unwind_publish(&unwind, &all.map);
    return walk_native_alone(&memory, r, 1, frames, max, &is_cut);
}

static void take(void *ucontext)
{
    struct regs r;
    regs_of_ucontext(ucontext, &r);
    count = walk_from(&r, FRAMES);
}

static bool is_in(uint64_t pc, void *function)
{
    return _Unwind_FindEnclosingFunction((void *)pc) == function;
}

KEPT static unsigned long leaf(long rounds)
{
    unsigned long x = 1;
    for (long i = 0; i < rounds && caught < wanted; i++)
        x = x * 6364136223846793005u + (unsigned long)i;
    sink += x;
    return x;
}

KEPT static unsigned long middle(long rounds, int size)
{
    volatile char *room = __builtin_alloca((size_t)size);
    room[0] = room[size - 1] = (char)leaf(rounds);
    return (unsigned long)room[0] + 1;
}

KEPT static unsigned long outer(long rounds)
{
    return middle(rounds, 40 + (int)(rounds & 31)) + 1;
}

static void on_timer(int signal, siginfo_t *info, void *ucontext)
{
    (void)signal;
    (void)info;
    int saved = errno;
    take(ucontext);
    if (count > 0 && is_in(frames[0].method, (void *)leaf)) {
        caught++;
        whole += count > 4 && is_in(frames[1].method, (void *)middle) &&
                 is_in(frames[2].method, (void *)outer) &&
                 !(frames[count - 1].flags & WALK_NATIVE_CUT);
    }
    errno = saved;
}

static void a_timer_finds_each_function_of_the_chain(void **state)
{
    struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    (void)state;
    open_memory();
    caught = whole = 0;
    wanted = 20;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
    while (caught < wanted)
        sink += outer(1000000);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(whole, caught);
    mem_self_close();
}

struct expected {
    uint64_t pc[FRAMES];
    uint32_t count;
};

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *arg)
{
    struct expected *e = arg;
    int before = 0;
    uint64_t pc = _Unwind_GetIPInfo(context, &before);
    if (e->count < FRAMES && pc != 0)
        e->pc[e->count++] = before ? pc : pc - 1;
    return _URC_NO_REASON;
}

/* Both from within one handler: ours from the interrupted registers, libgcc's through the signal
 * frame. Every function of the stack below it must agree, the interrupted instruction included. */
static void on_each(int signal, siginfo_t *info, void *ucontext)
{
    struct expected e = {.count = 0};
    struct regs r;
    uint32_t at = 0;
    (void)signal;
    (void)info;
    regs_of_ucontext(ucontext, &r);
    take(ucontext);
    _Unwind_Backtrace(see_frame, &e);
    while (at < e.count && e.pc[at] != r.pc)
        at++;
    caught++;
    whole += at < e.count && count > 2;
    for (uint32_t i = 0; i < count && at + i < e.count; i++)
        whole -= frames[i].method != e.pc[at + i] ? 1000 : 0;
}

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (*x == 7)
        raise(SIGUSR1);
    return *x - *y;
}

static void another_unwinder_says_the_same(void **state)
{
    struct sigaction action = {.sa_sigaction = on_each, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    int numbers[] = {5, 7, 1, 9, 2, 7, 7, 3};
    (void)state;
    open_memory();
    caught = whole = 0;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers),
          compare); /* through libc */
    assert_true(caught > 0);
    assert_int_equal(whole, caught);
    mem_self_close();
}

static void *stop_itself(void *arg)
{
    raise(SIGUSR1);
    return arg;
}

static void a_thread_ends_where_it_began(void **state)
{
    struct sigaction action = {.sa_sigaction = on_each, .sa_flags = SA_SIGINFO};
    pthread_t thread;
    (void)state;
    open_memory();
    caught = whole = 0;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, stop_itself, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(caught, 1);
    assert_int_equal(whole, caught);
    mem_self_close();
}

static void nonsense_registers_end_a_walk(void **state)
{
    uint64_t seed = 1;
    (void)state;
    open_memory();
    for (int i = 0; i < 200000; i++) {
        uint64_t word[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            word[k] = seed >> (seed >> 58);
        }
        /* mostly in code that has rows, with a stack that may be none */
        const struct cfi_table *t = &all.tables[word[0] % all.map.count];
        uint64_t near = (uint64_t)&seed + (word[1] & 0xfff8);
        struct regs r = {.pc = t->base + word[0] % (t->end - t->base),
                         .sp = i & 1 ? word[1] : near,
                         .fp = i & 2 ? word[2] : near + 64};
        uint32_t n = walk_from(&r, FRAMES);
        assert_true(n >= 1 && n <= FRAMES);
    }
    mem_self_close();
}

static void a_full_list_ends_a_walk(void **state)
{
    struct expected e = {.count = 0};
    (void)state;
    ucontext_t here;
    open_memory();
    getcontext(&here);
    struct regs r;
    regs_of_ucontext(&here, &r);
    _Unwind_Backtrace(see_frame, &e);
    frames[2].method = 4711;
    assert_int_equal(walk_from(&r, 2), 2);
    assert_int_equal(frames[2].method, 4711);
    assert_true(e.count > 2);
    mem_self_close();
}

static void code_of_no_table_has_no_row(void **state)
{
    (void)state;
    assert_null(cfi_map_find(&all.map, 0));
    assert_null(cfi_map_find(&all.map, (uint64_t)&sink + ((uint64_t)1 << 46)));
    assert_non_null(cfi_map_find(&all.map, (uint64_t)leaf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_finds_each_function_of_the_chain),
        cmocka_unit_test(another_unwinder_says_the_same),
        cmocka_unit_test(a_thread_ends_where_it_began),
        cmocka_unit_test(nonsense_registers_end_a_walk),
        cmocka_unit_test(a_full_list_ends_a_walk),
        cmocka_unit_test(code_of_no_table_has_no_row),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
