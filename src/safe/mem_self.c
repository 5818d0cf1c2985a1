/*
 * mem_self.c - see mem_self.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/mem_self.h"
#include "safe/mem_self_load.h"
#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

/* Below this no mapping of a user program lies (vm.mmap_min_addr), above it no user address. */
#define LOWEST_ADDR 0x1000u
#define HIGHEST_ADDR ((uint64_t)1 << 56)

typedef intptr_t (*fetch_word)(intptr_t *addr, intptr_t error);

static const int fault_signals[] = {SIGSEGV, SIGBUS};
static struct sigaction old_actions[2];
static int handler_is_installed;
static fetch_word vm_fetch;

/* Runs for every SIGSEGV and SIGBUS of the process. Reads the ucontext and static data only. */
static void on_fault(int sig, siginfo_t *info, void *ucontext)
{
    int saved_errno = errno;
    if (mem_self_load_fixup(ucontext)) {
        errno = saved_errno;
        return;
    }
    const struct sigaction *old = &old_actions[sig == SIGSEGV ? 0 : 1];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(sig, info, ucontext);
    } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
        sigaction(sig, old, NULL); /* the instruction runs again and meets the old action */
    } else {
        old->sa_handler(sig);
    }
}

static int read_guarded(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    if (addr - LOWEST_ADDR >= HIGHEST_ADDR - LOWEST_ADDR)
        return -EFAULT;
    switch (len) {
    case 8:
        return mem_self_load8(addr, dst);
    case 4:
        return mem_self_load4(addr, dst);
    case 2:
        return mem_self_load2(addr, dst);
    case 1:
        return mem_self_load1(addr, dst);
    default:
        return mem_self_load_bytes(addr, dst, len);
    }
}

/* The aligned word that holds `addr`. SafeFetch tells a fault by the value it was given for it: ask
 * a second time with another value if the first came back. */
static int fetch_aligned(uint64_t addr, uint64_t *ret_word)
{
    intptr_t first = vm_fetch((intptr_t *)addr, 0x5afefe7c);
    if (first == 0x5afefe7c && vm_fetch((intptr_t *)addr, 0x7cfefe5a) == 0x7cfefe5a)
        return -EFAULT;
    *ret_word = (uint64_t)first;
    return 0;
}

static int read_safefetch(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    unsigned char *out = dst;
    if (addr - LOWEST_ADDR >= HIGHEST_ADDR - LOWEST_ADDR)
        return -EFAULT;
    while (len > 0) {
        uint64_t word;
        unsigned skip = addr & 7;
        size_t n = 8 - skip < len ? 8 - skip : len;
        if (fetch_aligned(addr & ~(uint64_t)7, &word) < 0)
            return -EFAULT;
        memcpy(out, (unsigned char *)&word + skip, n);
        out += n;
        addr += n;
        len -= n;
    }
    return 0;
}

static int read_syscall(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    int saved_errno = errno;
    struct iovec local = {dst, len}, remote = {(void *)addr, len};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    errno = saved_errno;
    return n == (ssize_t)len ? 0 : -EFAULT;
}

static const struct mem_ops guarded_ops = {
    .read = read_guarded,
    .load8 = mem_self_load8,
    .load4 = mem_self_load4,
    .load2 = mem_self_load2,
    .load1 = mem_self_load1,
};
static const struct mem_ops safefetch_ops = {.read = read_safefetch};
static const struct mem_ops syscall_ops = {.read = read_syscall};

struct mem mem_self = {&syscall_ops};

int mem_self_read_word(uint64_t addr, uint64_t *ret_word)
{
    return mem_read(&mem_self, addr, ret_word, sizeof *ret_word);
}

int mem_self_works_in_any_thread(void)
{
    return mem_self.ops != &safefetch_ops;
}

static int install_handler(void)
{
    for (unsigned i = 0; i < 2; i++) {
        struct sigaction action;
        if (sigaction(fault_signals[i], NULL, &old_actions[i]) != 0)
            return -errno;
        action = old_actions[i];
        action.sa_sigaction = on_fault;
        action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
        action.sa_flags &= ~SA_RESETHAND;
        if (sigaction(fault_signals[i], &action, NULL) != 0)
            return -errno;
        handler_is_installed = 1;
    }
    return 0;
}

/* One word that is there, one that is not: both must answer rightly. No system that we know gives a
 * program memory at the second address: it is beyond 47 bits, and nobody asks for more. */
static int check_guard(void)
{
    static const uint64_t known = 0x0123456789abcdef, nowhere = ((uint64_t)1 << 52) + 0x1000;
    uint64_t word = 0;
    if (mem_self_read_word((uint64_t)&known, &word) == 0 && word == known &&
        mem_self_read_word(nowhere, &word) == -EFAULT)
        return 0;
    return -EFAULT;
}

int mem_self_open(enum mem_self_guard guard, uint64_t safefetch)
{
    int error = 0;
    if (guard == MEM_SELF_HANDLER) {
        if (!handler_is_installed)
            error = install_handler();
        mem_self.ops = error ? &syscall_ops : &guarded_ops;
    } else if (guard == MEM_SELF_SAFEFETCH && safefetch != 0) {
        vm_fetch = (fetch_word)safefetch;
        mem_self.ops = &safefetch_ops;
    } else {
        mem_self.ops = &syscall_ops;
    }
    if (error == 0)
        error = check_guard();
    if (error != 0)
        mem_self_close();
    return error;
}

void mem_self_close(void)
{
    mem_self.ops = &syscall_ops;
    if (!handler_is_installed)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct sigaction now;
        if (sigaction(fault_signals[i], NULL, &now) != 0 || now.sa_sigaction != on_fault)
            return;
        sigaction(fault_signals[i], &old_actions[i], NULL);
    }
    handler_is_installed = 0;
}
