/*
 * System calls that a filter refuses, as containers do: what takes another way, and what says so.
 *
 * Each case runs in a child with a filter of its own, once with EPERM and once with ENOSYS.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/newfile.h"
#include "base/rooted.h"
#include "cmocka_all.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "safe/mem_self.h"
#include "safe/own_memory.h"
#include "safe/poke.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPENAT2 = 437, NOT_FILTERED = 77 };

static void refuse(unsigned number, int error)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(rows) / sizeof(rows[0]), rows};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(NOT_FILTERED);
}

static const uint64_t known[2] = {0x0123456789abcdef, 42};

/* Whether the memory of this process can be read, and a bad address is an error. */
static bool reads_own(void)
{
    uint64_t words[2] = {0, 0};
    errno = EXDEV;
    return own_memory_read((uint64_t)(uintptr_t)known, words, sizeof(words)) == 0 &&
           memcmp(words, known, sizeof(words)) == 0 &&
           own_memory_read(16, words, sizeof(words)) == -EFAULT && errno == EXDEV &&
           mem_self_open(MEM_SELF_SYSCALL, 0) == 0;
}

static bool reads_another(int error)
{
    struct mem_live live;
    uint64_t words[2] = {0, 0};
    bool is_read = mem_live_open(getppid(), &live) == 0 &&
                   mem_read(&live.mem, (uint64_t)(uintptr_t)known, words, sizeof(words)) == 0 &&
                   memcmp(words, known, sizeof(words)) == 0;
    mem_live_close(&live);
    return is_read && mem_live_refused() == -error;
}

static bool says_no_stop(int error)
{
    struct mem_live live;
    struct mem_stop stop;
    bool is_refused = mem_live_open(getppid(), &live) == 0 &&
                      mem_stop_all(&live, NULL, &stop) == -error && mem_stop_refused() == -error;
    mem_live_close(&live);
    return is_refused;
}

/* Also that it replaces nothing. */
static bool renames(void)
{
    char folder[] = "/tmp/hprof-refused.XXXXXX";
    bool is_renamed = mkdtemp(folder) && chdir(folder) == 0 && close(creat("a", 0600)) == 0 &&
                      newfile_rename("a", "b") == 0 && close(creat("a", 0600)) == 0 &&
                      newfile_rename("a", "b") == -EEXIST && access("a", F_OK) == 0;
    unlink("a");
    unlink("b");
    rmdir(folder);
    return is_renamed;
}

static bool finds_below_a_root(void)
{
    int root = open("/", O_PATH | O_CLOEXEC), fd = rooted_find(root, "proc/self/../self/status");
    close(root);
    close(fd);
    return fd >= 0;
}

static bool knows_that_no_thread_can_be_asked(int error)
{
    return poke_refused() == -error;
}

static bool takes_another_way(unsigned number, int error)
{
    return number == SYS_process_vm_readv    ? reads_own() && reads_another(error)
           : number == SYS_ptrace            ? says_no_stop(error)
           : number == SYS_renameat2         ? renames()
           : number == OPENAT2               ? finds_below_a_root()
           : number == SYS_rt_tgsigqueueinfo ? knows_that_no_thread_can_be_asked(error)
                                             : false;
}

static void each_refused_call_has_its_way(void **state)
{
    (void)state;
    static const unsigned numbers[] = {SYS_process_vm_readv, SYS_ptrace, SYS_renameat2, OPENAT2,
                                       SYS_rt_tgsigqueueinfo};
    static const int errors[] = {EPERM, ENOSYS};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        for (size_t j = 0; j < 2; j++) {
            int status = 0;
            pid_t child = fork();
            if (child == 0) {
                refuse(numbers[i], errors[j]);
                _exit(takes_another_way(numbers[i], errors[j]) ? 0 : 1);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FILTERED)
                skip();
            if (status != 0)
                fail_msg("call %u, %s: status %x", numbers[i], strerror(errors[j]), status);
        }
    }
}

static void nothing_is_refused_without_a_filter(void **state)
{
    (void)state;
    if (mem_stop_refused() == -EPERM) /* these tests themselves may run under a filter */
        skip();
    assert_int_equal(mem_stop_refused(), 0);
    assert_int_equal(mem_live_refused(), 0);
    assert_int_equal(poke_refused(), 0);
    assert_true(reads_own());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_refused_without_a_filter),
        cmocka_unit_test(each_refused_call_has_its_way),
    };
    /* The children read this process; yama allows the reverse only. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
