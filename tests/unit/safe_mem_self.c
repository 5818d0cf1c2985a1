/*
 * safe_mem_self.c - guarded loads of the own memory, and the lines of a compressed table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "safe/hs_method.h"
#include "safe/mem_self.h"
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int seen;

static void old_handler(int sig, siginfo_t *info, void *ucontext)
{
    seen++;
    siglongjmp(back, 1);
}

static void read_all_sizes(enum mem_self_guard guard)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *two =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(two, MAP_FAILED);
    for (size_t i = 0; i < page; i++)
        two[i] = (unsigned char)i;
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    assert_int_equal(mem_self_open(guard, 0), 0);
    for (size_t len = 1; len <= 64; len++) {
        unsigned char got[64];
        assert_int_equal(mem_read(&mem_self, (uint64_t)(two + page - len), got, len), 0);
        assert_memory_equal(got, two + page - len, len);
        assert_int_equal(mem_read(&mem_self, (uint64_t)(two + page - len + 1), got, len), -EFAULT);
    }
    uint64_t word;
    assert_int_equal(mem_self_read_word(0, &word), -EFAULT);
    assert_int_equal(mem_self_read_word(8, &word), -EFAULT);
    assert_int_equal(mem_self_read_word(UINT64_MAX - 3, &word), -EFAULT);
    mem_self_close();
    munmap(two, 2 * page);
}

static void a_bad_address_is_an_error_with_our_handler(void **state)
{
    read_all_sizes(MEM_SELF_HANDLER);
}

static void a_bad_address_is_an_error_with_the_system_call(void **state)
{
    read_all_sizes(MEM_SELF_SYSCALL);
}

/* Refuses process_vm_readv, as sandboxes do. An emulator has neither that call nor filters. */
static void refuse_the_call(void)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof(rows) / sizeof(*rows), rows};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void where_the_call_is_refused_a_pipe_reads(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char large[3 * PIPE_BUF + 5], copy[sizeof(large)];
        uint64_t word;
        memset(large, 'x', sizeof(large));
        refuse_the_call();
        bool is_right = process_vm_readv(getpid(), NULL, 0, NULL, 0, 0) < 0 &&
                        mem_self_open(MEM_SELF_SYSCALL, 0) == 0 &&
                        mem_read(&mem_self, (uint64_t)large, copy, sizeof(copy)) == 0 &&
                        memcmp(large, copy, sizeof(copy)) == 0 &&
                        mem_self_read_word(8, &word) == -EFAULT;
        _exit(is_right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void faults_of_others_reach_the_handler_that_was_there_before(void **state)
{
    struct sigaction action = {.sa_sigaction = old_handler, .sa_flags = SA_SIGINFO}, before, after;
    void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
    uint64_t word;
    assert_int_equal(mem_self_read_word((uint64_t)page, &word), -EFAULT);
    assert_int_equal(seen, 0);
    if (sigsetjmp(back, 1) == 0)
        (void)*(volatile char *)page;
    assert_int_equal(seen, 1);
    mem_self_close();
    assert_int_equal(sigaction(SIGSEGV, &before, &after), 0);
    assert_true(after.sa_sigaction == old_handler);
    munmap(page, 4096);
}

/* A child that was forked replaces the actions of all signals, whoever was in front. */
static void where_all_handlers_were_replaced_it_begins_anew(void **state)
{
    struct sigaction front = {.sa_sigaction = old_handler, .sa_flags = SA_SIGINFO}, before[2], now;
    static const int signals[2] = {SIGSEGV, SIGBUS};
    uint64_t word;
    for (int i = 0; i < 2; i++)
        assert_int_equal(sigaction(signals[i], NULL, &before[i]), 0);
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
    for (int i = 0; i < 2; i++) /* of another agent */
        assert_int_equal(sigaction(signals[i], &front, NULL), 0);
    mem_self_close();
    mem_self_replaced();
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
    assert_int_equal(mem_self_read_word(8, &word), -EFAULT);
    mem_self_close();
    assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
    assert_true(now.sa_sigaction == old_handler);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sigaction(signals[i], &before[i], NULL), 0);
}

static void lines_come_from_the_nearest_entry_before(void **state)
{
    /* bci 0 line 5 (long form, zig-zag: 0, 10); bci 3 line 6; bci 10 line 4 (7, -2); end */
    static const unsigned char table[] = {0xff, 0, 10, 3 << 3 | 1, 0xff, 14, 3, 0};
    assert_int_equal(hs_method_line(table, sizeof(table), 0, 0), 5);
    assert_int_equal(hs_method_line(table, sizeof(table), 0, 2), 5);
    assert_int_equal(hs_method_line(table, sizeof(table), 0, 3), 6);
    assert_int_equal(hs_method_line(table, sizeof(table), 0, 9), 6);
    assert_int_equal(hs_method_line(table, sizeof(table), 0, 10), 4);
    assert_int_equal(hs_method_line(table, sizeof(table), 0, 9999), 4);
    assert_int_equal(hs_method_line(table, 0, 0, 3), -1);
    /* since JDK 20 each byte of a number is one more */
    static const unsigned char newer[] = {0xff, 1, 11, 3 << 3 | 1, 0xff, 15, 4, 0};
    assert_int_equal(hs_method_line(newer, sizeof(newer), 1, 10), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_address_is_an_error_with_our_handler),
        cmocka_unit_test(a_bad_address_is_an_error_with_the_system_call),
        cmocka_unit_test(where_the_call_is_refused_a_pipe_reads),
        cmocka_unit_test(faults_of_others_reach_the_handler_that_was_there_before),
        cmocka_unit_test(where_all_handlers_were_replaced_it_begins_anew),
        cmocka_unit_test(lines_come_from_the_nearest_entry_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
