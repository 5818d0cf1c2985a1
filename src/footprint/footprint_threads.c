/*
 * footprint_threads.c - the stacks of threads.
 *
 * The VM knows the bounds of the stacks of its Java threads. Of other threads (collectors, the VM
 * thread, threads of libraries) the kernel tells the stack pointer, if the thread waits; the
 * mapping that holds it is the stack. A thread that runs is asked again, a few times.
 * Source: HotSpot thread.hpp; proc_pid_syscall(5).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/proc_ids.h"
#include "footprint/footprint.h"
#include "hotspot/java_threads.h"
#include "process/process.h"
#include "safe/clock.h"

enum {
    LINE_BYTES = 512,
    ROUNDS = 20,
    PAUSE_NS = 1000000,
    GUARD_MOST = 1 << 20,       /* pages below a stack that may not be touched */
    KERNEL_STACK_BYTES = 16384, /* of a thread; x86-64 and AArch64. Source: THREAD_SIZE */
    STACK_MOST = 1 << 30,
};

static int claim_stack(void *arg, uint64_t thread)
{
    struct footprint *f = arg;
    const struct target *t = &f->vm.target;
    const struct hs_layout *l = t->layout;
    uint64_t high = target_u8(t, thread + (uint64_t)l->thread_stack_base);
    uint64_t size = target_u8(t, thread + (uint64_t)l->thread_stack_size);
    if (size <= STACK_MOST && size < high && footprint_anonymous(f, high - 1))
        footprint_claim(f, high - size, high, FOOTPRINT_STACKS);
    return 0;
}

void footprint_threads_java(struct footprint *f)
{
    const struct hs_layout *l = f->vm.target.layout;
    if (l->thread_stack_base < 0 || l->thread_stack_size < 0)
        return;
    java_threads_each(&f->vm.target, claim_stack, f);
    footprint_settle(f);
}

/* The stack pointer is the last number but one. Returns false if the thread runs. */
static bool read_pointer(pid_t pid, pid_t tid, uint64_t *ret)
{
    char name[64], *text;
    snprintf(name, sizeof(name), "task/%d/syscall", (int)tid);
    if (process_file(pid, name, LINE_BYTES, &text) < 0)
        return false;
    char *last = strrchr(text, ' ');
    if (last)
        *last = '\0';
    char *pointer = last ? strrchr(text, ' ') : NULL;
    uint64_t sp = pointer ? strtoull(pointer, NULL, 16) : 0;
    free(text);
    *ret = sp;
    return sp != 0;
}

/* Claims what is not claimed yet of the mapping in which the pointer is, and of the guard pages
 * below it. */
static void claim_around(struct footprint *f, uint64_t sp)
{
    const struct smaps_region *r = smaps_at(&f->smaps, sp);
    if (!r || r->is_shared || !r->can_write || footprint_is_claimed(f, sp))
        return;
    footprint_claim(f, r->start, r->end, FOOTPRINT_STACKS);
    const struct smaps_region *guard = footprint_anonymous(f, r->start - 1);
    if (guard && !guard->can_read && !guard->can_write && guard->end - guard->start <= GUARD_MOST)
        footprint_claim(f, guard->start, guard->end, FOOTPRINT_STACKS);
}

/* Looks at each thread once. Returns how many run. */
static uint32_t look(struct footprint *f, uint64_t *ret_count)
{
    struct proc_ids tasks;
    uint32_t running = 0;
    *ret_count = 0;
    if (proc_ids_open_threads(f->pid, &tasks) < 0)
        return 0;
    for (pid_t tid; (tid = proc_ids_next(&tasks)) != 0; ++*ret_count) {
        uint64_t sp;
        if (read_pointer(f->pid, tid, &sp))
            claim_around(f, sp);
        else
            running++;
    }
    proc_ids_close(&tasks);
    return running;
}

void footprint_threads_other(struct footprint *f)
{
    const struct timespec pause = clock_timespec(PAUSE_NS);
    uint64_t count = 0;
    for (int i = 0; i < ROUNDS && look(f, &count) > 0; i++)
        nanosleep(&pause, NULL);
    f->sums[FOOTPRINT_STACKS].count = count;
    f->beside.kernel_stacks = count * KERNEL_STACK_BYTES;
    footprint_settle(f);
}
