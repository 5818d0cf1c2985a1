/*
 * hookwalk.c - see hookwalk.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hookwalk.h"
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "safe/mem_self.h"
#include "safe/regs.h"

enum {
    PROBES = 64, /* rows of the table of threads that a search looks at */
    GONE = -1,   /* tid of a thread that has ended */
    KERNEL_SIGNAL_BYTES = 8,
};

/* ---- threads */

static uint32_t row_of(int32_t tid)
{
    return (uint32_t)tid * 0x9e3779b1u >> 16;
}

static struct hookwalk_thread *find_thread(const struct hookwalk *w, int32_t tid)
{
    uint32_t first = row_of(tid);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct hookwalk_thread *t = &w->threads[(first + i) % HOOKWALK_THREADS];
        int32_t there = atomic_load_explicit(&t->tid, memory_order_acquire);
        if (there == tid)
            return t;
        if (there == 0)
            return NULL;
    }
    return NULL;
}

const struct hookwalk_thread *hookwalk_mine(const struct hookwalk *w)
{
    return find_thread(w, (int32_t)syscall(SYS_gettid));
}

const struct hookwalk_thread *hookwalk_other(const struct hookwalk *w, int32_t tid)
{
    return find_thread(w, tid);
}

bool hookwalk_add_thread(struct hookwalk *w, int32_t tid, uint32_t serial, uint64_t java_thread)
{
    uint32_t first = row_of(tid);
    hookwalk_remove_thread(w, tid);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct hookwalk_thread *t = &w->threads[(first + i) % HOOKWALK_THREADS];
        if (atomic_load(&t->tid) > 0)
            continue;
        t->serial = serial;
        t->java_thread = java_thread;
        atomic_store_explicit(&t->tid, tid, memory_order_release);
        return true;
    }
    return false;
}

void hookwalk_remove_thread(struct hookwalk *w, int32_t tid)
{
    struct hookwalk_thread *t = find_thread(w, tid);
    if (t)
        atomic_store(&t->tid, GONE);
}

/* ---- stacks */

/* Whether the kernel can call the handler of a fault of ours in this thread; *ret_may_fail: whether
 * loads may fail in a thread that is not the VM's. */
static bool can_fault(bool *ret_may_fail)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    *ret_may_fail = false;
    if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, KERNEL_SIGNAL_BYTES) != 0)
        return false;
    *ret_may_fail = mem_self_may_fail(&blocked);
    return !sigismember(&blocked, SIGSEGV) && !sigismember(&blocked, SIGBUS);
}

int32_t hookwalk_take(struct hookwalk *w, struct walk_request *request,
                      const struct hookwalk_caller *caller, struct walk_frame *frames,
                      bool *ret_truncated)
{
    /* the call instruction lies in front of the return address */
    struct regs regs = {.pc = caller->pc - 1, .sp = caller->sp, .fp = caller->fp};
    uint64_t java_thread = request->java_thread;
    request->regs = &regs;
    if (!can_fault(&request->may_read))
        request->java_thread = 0;
    int32_t result = w->walker->walk(request, frames, w->depth + 1, ret_truncated);
    if (result <= 0 && request->java_thread) { /* the C frames at least */
        w->walker->leave(request);
        request->java_thread = 0;
        result = w->walker->walk(request, frames, w->depth + 1, ret_truncated);
    }
    request->regs = NULL;
    if (java_thread && !request->java_thread)
        atomic_fetch_add_explicit(&w->unwalked, 1, memory_order_relaxed);
    if (result <= (int32_t)w->depth)
        return result;
    *ret_truncated = true;
    return (int32_t)w->depth;
}
