/*
 * mem_self.c - see mem_self.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/mem_self.h"
#include "safe/mem_self_load.h"
#include "safe/next_handler.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* No mapping of a user program lies below this address (vm.mmap_min_addr). No user address lies
 * above HIGHEST_ADDR. */
enum { LOWEST_ADDR = 0x1000 };
#define HIGHEST_ADDR ((uint64_t)1 << 56)

typedef intptr_t (*fetch_word)(intptr_t *addr, intptr_t error);

static const int fault_signals[] = {SIGSEGV, SIGBUS};
static struct sigaction old_actions[2];
static bool handler_is_installed;
static fetch_word vm_fetch;

/* The rows of all in-line loads. The linker makes these two names. */
extern const struct mem_self_load_row __start_mem_self_rows[] __attribute__((visibility("hidden")));
extern const struct mem_self_load_row __stop_mem_self_rows[] __attribute__((visibility("hidden")));

/* The address at which to go on after a fault at `pc`; 0 if none of our loads stands there. The
 * table has some hundred rows: a search takes far less time than the fault itself took. */
static uint64_t after_fault(uint64_t pc)
{
    for (const struct mem_self_load_row *r = __start_mem_self_rows; r < __stop_mem_self_rows; r++) {
        if ((uint64_t)&r->at + (uint64_t)(int64_t)r->at == pc)
            return (uint64_t)&r->to + (uint64_t)(int64_t)r->to;
    }
    return 0;
}

/* Runs for every SIGSEGV and SIGBUS of the process. Reads the ucontext and static data only. */
static void on_fault(int sig, siginfo_t *info, void *ucontext)
{
    uint64_t *pc = mem_self_load_pc(ucontext), after = after_fault(*pc);
    if (after != 0) {
        *pc = after;
        return;
    }
    const struct sigaction *old = &old_actions[sig == SIGSEGV ? 0 : 1];
    if (!next_handler_call(old, sig, info, ucontext))
        sigaction(sig, old, NULL); /* the instruction runs again and meets the old action */
}

static int read_guarded(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    if (addr - LOWEST_ADDR >= HIGHEST_ADDR - LOWEST_ADDR)
        return -EFAULT;
    uint32_t faults = 0;
    unsigned char *out = dst;
    for (; len >= 32 && faults == 0; len -= 32, out += 32, addr += 32) {
        uint64_t words[4] = {mem_self_load8(addr, &faults), mem_self_load8(addr + 8, &faults),
                             mem_self_load8(addr + 16, &faults),
                             mem_self_load8(addr + 24, &faults)};
        memcpy(out, words, sizeof(words));
    }
    for (; len >= 8 && faults == 0; len -= 8, out += 8, addr += 8) {
        uint64_t word = mem_self_load8(addr, &faults);
        memcpy(out, &word, sizeof(word));
    }
    for (; len > 0 && faults == 0; len--, out++, addr++)
        *out = mem_self_load1(addr, &faults);
    return faults == 0 ? 0 : -EFAULT;
}

/* Read the aligned word at `addr`. SafeFetch returns the value that it was given if the load
 * faults. If that value comes back, a second call with another value decides. */
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

/* The kernel copies from our memory into a pipe, and says so if it cannot. No more than PIPE_BUF
 * bytes are in the pipe, so neither call waits. */
static int read_by_pipe(uint64_t addr, unsigned char *dst, size_t len)
{
    int ends[2];
    size_t done = 0;
    ssize_t n = 1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -EFAULT;
    for (; done < len && n > 0; done += n > 0 ? (size_t)n : 0) {
        size_t most = len - done < PIPE_BUF ? len - done : PIPE_BUF;
        n = write(ends[1], (const void *)(uintptr_t)(addr + done), most);
        if (n > 0)
            n = read(ends[0], dst + done, (size_t)n);
    }
    close(ends[0]);
    close(ends[1]);
    return done == len ? 0 : -EFAULT;
}

static int read_syscall(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    int saved_errno = errno;
    struct iovec local = {dst, len}, remote = {(void *)addr, len};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    bool is_refused = n < 0 && (errno == ENOSYS || errno == EPERM);
    int error = n == (ssize_t)len ? 0 : is_refused ? read_by_pipe(addr, dst, len) : -EFAULT;
    errno = saved_errno;
    return error;
}

static const struct mem_ops guarded_ops = {.read = read_guarded};
static const struct mem_ops safefetch_ops = {.read = read_safefetch};
static const struct mem_ops syscall_ops = {.read = read_syscall};

struct mem mem_self = {.ops = &syscall_ops};

static void choose(const struct mem_ops *ops)
{
    mem_self.ops = ops;
    mem_self.loads_in_line = ops == &guarded_ops;
}

int mem_self_read_word(uint64_t addr, uint64_t *ret_word)
{
    return mem_read(&mem_self, addr, ret_word, sizeof(*ret_word));
}

bool mem_self_may_fail(const sigset_t *blocked)
{
    if (mem_self.ops != &guarded_ops)
        return mem_self.ops == &syscall_ops;
    return sigismember(blocked, SIGSEGV) == 0 && sigismember(blocked, SIGBUS) == 0;
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
        handler_is_installed = true;
    }
    return 0;
}

/* Read one word that is there and one that is not; each must give the right answer. No known system
 * gives a program memory at the second address, which is beyond 47 bits, unless the program asks
 * for it. */
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
        choose(error ? &syscall_ops : &guarded_ops);
    } else if (guard == MEM_SELF_SAFEFETCH && safefetch != 0) {
        vm_fetch = (fetch_word)safefetch;
        choose(&safefetch_ops);
    } else {
        choose(&syscall_ops);
    }
    if (error == 0)
        error = check_guard();
    if (error != 0)
        mem_self_close();
    return error;
}

void mem_self_replaced(void)
{
    choose(&syscall_ops);
    handler_is_installed = false;
}

void mem_self_close(void)
{
    choose(&syscall_ops);
    if (!handler_is_installed)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct sigaction now;
        if (sigaction(fault_signals[i], NULL, &now) != 0 || now.sa_sigaction != on_fault)
            return;
        sigaction(fault_signals[i], &old_actions[i], NULL);
    }
    handler_is_installed = false;
}
