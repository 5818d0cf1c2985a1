/*
 * mem_stop.c - see mem_stop.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/mem_stop.h"
#include "mem/image.h"
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/proc_ids.h"
#include "safe/clock.h"

enum {
    /* A thread in uninterruptible sleep (a dead disk) never stops. On a busy machine thousands of
     * threads take longer, because each must run in order to stop; but some of them stop all the
     * time. So the wait ends if no thread stopped for this time. */
    STILL_MAX_NS = 2000000000,
    STILL_MAX_COUNT = 5, /* the whole stop takes at most 5 times STILL_MAX_NS */
    /* New threads may start while the others are asked to stop; each round meets fewer. */
    ROUNDS_MAX = 100,
};

enum { ASKED, STOPPED, ENDED }; /* values of struct mem_stop_thread.state */

void mem_stop_bound_begin(struct mem_stop_bound *b, uint64_t now_ns)
{
    b->begin_ns = now_ns;
    b->was_over = false;
}

bool mem_stop_bound_is_over(struct mem_stop_bound *b, uint64_t now_ns)
{
    if (b->most_ns != 0 && now_ns - b->begin_ns >= b->most_ns)
        b->was_over = true;
    return b->was_over;
}

static int by_number(const void *a, const void *b)
{
    const struct mem_stop_thread *x = a, *y = b;
    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Whether a thread is seized; the first `sorted` ids are in order. */
static bool is_seized(const struct mem_stop *stop, uint32_t sorted, pid_t tid)
{
    struct mem_stop_thread key = {.tid = tid};
    return sorted > 0 && bsearch(&key, stop->threads, sorted, sizeof(*stop->threads), by_number);
}

static int seize(struct mem_stop *stop, pid_t pid, pid_t tid)
{
    if (stop->count == stop->capacity) {
        uint32_t capacity = stop->capacity == 0 ? 64 : stop->capacity * 2;
        struct mem_stop_thread *threads = reallocarray(stop->threads, capacity, sizeof(*threads));
        if (!threads)
            return -ENOMEM;
        stop->threads = threads;
        stop->capacity = capacity;
    }
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) {
        int error = errno;
        return error == ESRCH || mem_live_has_ended(pid, tid) ? 0 : -error;
    }
    stop->threads[stop->count++] = (struct mem_stop_thread){.tid = tid};
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    return 1;
}

/* There is no thread 0: the kernel itself answers ESRCH. */
int mem_stop_refused(void)
{
    return ptrace(PTRACE_SEIZE, 0, NULL, NULL) == 0 || errno == ESRCH ? 0 : -errno;
}

static bool is_over(struct mem_stop_bound *bound)
{
    return bound && mem_stop_bound_is_over(bound, clock_monotonic_ns());
}

/* Seize the threads that are not seized yet. Returns their number, or an error. */
static int seize_new(struct mem_stop *stop, struct mem_stop_bound *bound, pid_t pid)
{
    struct proc_ids tasks;
    int fresh = 0, n = proc_ids_open_threads(pid, &tasks);
    uint32_t sorted = stop->count;
    if (n < 0)
        return n;
    for (pid_t tid; n >= 0 && (tid = proc_ids_next(&tasks)) != 0;) {
        if (is_seized(stop, sorted, tid))
            continue;
        n = is_over(bound) ? -ETIMEDOUT : seize(stop, pid, tid);
        fresh += n;
    }
    proc_ids_close(&tasks);
    return n < 0 ? n : fresh;
}

/* See whether a thread has stopped, for our request or for a signal that came first. */
static void look_at(struct mem_stop_thread *thread)
{
    int status;
    pid_t found = waitpid(thread->tid, &status, __WALL | WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR))
        return;
    thread->state = found == thread->tid && WIFSTOPPED(status) ? STOPPED : ENDED;
    if (thread->state == STOPPED && status >> 16 != PTRACE_EVENT_STOP)
        thread->signal = WSTOPSIG(status);
}

/* Wait until all threads from `first` on have stopped or ended. All are looked at in turn: the
 * kernel reports the end of a process's first thread only after the end of the others was read. */
static int wait_stopped(struct mem_stop *stop, struct mem_stop_bound *bound, uint32_t first)
{
    const uint64_t still_ns = STILL_MAX_NS;
    uint64_t last_ns = clock_monotonic_ns();
    uint32_t last = UINT32_MAX;
    for (unsigned spins = 0;; spins++) {
        uint32_t asked = 0;
        for (uint32_t i = first; i < stop->count; i++) {
            if (stop->threads[i].state == ASKED)
                look_at(&stop->threads[i]);
            asked += stop->threads[i].state == ASKED;
        }
        if (asked == 0)
            return 0;
        uint64_t at_ns = clock_monotonic_ns();
        if (asked < last)
            last_ns = at_ns;
        last = asked;
        if (is_over(bound) || at_ns - last_ns > still_ns ||
            at_ns - stop->start_ns > STILL_MAX_COUNT * still_ns)
            return -ETIMEDOUT;
        /* The threads need a processor to stop; on a busy machine it may be ours. */
        if (spins > 16)
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}

static void drop_ended(struct mem_stop *stop)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stop->count; i++) {
        if (stop->threads[i].state != ENDED)
            stop->threads[kept++] = stop->threads[i];
    }
    stop->count = kept;
}

static int update_threads(struct mem_live *live, const struct mem_stop *stop)
{
    pid_t *tids = calloc((size_t)stop->count + 1, sizeof(*tids));
    if (!tids)
        return -ENOMEM;
    for (uint32_t i = 0; i < stop->count; i++)
        tids[i] = stop->threads[i].tid;
    int error = mem_live_update_threads(live, tids, stop->count);
    free(tids);
    return error;
}

static void read_registers(struct image_thread *thread)
{
    unsigned char bytes[IMAGE_REGS_BYTES_MAX];
    struct iovec piece = {bytes, sizeof(bytes)};
    if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &piece) == 0 &&
        image_read_regs(ELF_FILE_OWN_MACHINE, bytes, piece.iov_len, &thread->regs) == 0)
        thread->has_regs = true;
}

int mem_stop_all(struct mem_live *live, struct mem_stop_bound *bound, struct mem_stop *ret_stop)
{
    struct mem_stop *stop = ret_stop;
    int error = mem_stop_owed() > 0 ? -ETIMEDOUT : 0;
    *stop = (struct mem_stop){.start_ns = clock_monotonic_ns()};
    if (bound)
        mem_stop_bound_begin(bound, stop->start_ns);
    for (int round = 0; round < ROUNDS_MAX && error >= 0; round++) {
        uint32_t known = stop->count;
        int fresh = seize_new(stop, bound, live->pid);
        if (fresh <= 0) {
            error = fresh;
            break;
        }
        error = wait_stopped(stop, bound, known);
        drop_ended(stop);
        qsort(stop->threads, stop->count, sizeof(*stop->threads), by_number);
    }
    if (error >= 0 && stop->count == 0)
        error = -ESRCH;
    if (error >= 0)
        error = update_threads(live, stop);
    if (error < 0) {
        mem_stop_end(stop);
        return error;
    }
    for (uint32_t i = 0; i < live->image.thread_count; i++)
        read_registers(&live->image.threads[i]);
    return 0;
}

/* The threads of this tracer that were asked to stop and had not stopped when all were let go. A
 * thread cannot be let go before it has stopped; it would then stand for as long as we live. */
static _Thread_local struct mem_stop owed;

static void let_go(const struct mem_stop_thread *thread)
{
    ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal);
}

static void owe(const struct mem_stop_thread *thread)
{
    struct mem_stop_thread *threads = reallocarray(owed.threads, owed.count + 1, sizeof(*threads));
    if (!threads)
        return;
    owed.threads = threads;
    threads[owed.count++] = *thread;
}

uint32_t mem_stop_owed(void)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < owed.count; i++) {
        struct mem_stop_thread thread = owed.threads[i];
        look_at(&thread);
        if (thread.state == STOPPED)
            let_go(&thread);
        else if (thread.state == ASKED)
            owed.threads[kept++] = thread;
    }
    owed.count = kept;
    if (kept == 0) {
        free(owed.threads);
        owed.threads = NULL;
    }
    return kept;
}

uint64_t mem_stop_end(struct mem_stop *stop)
{
    for (uint32_t i = 0; i < stop->count; i++) {
        if (stop->threads[i].state == ASKED)
            owe(&stop->threads[i]);
        else
            let_go(&stop->threads[i]);
    }
    free(stop->threads);
    stop->threads = NULL;
    stop->count = stop->capacity = 0;
    return clock_monotonic_ns() - stop->start_ns;
}

pid_t mem_stop_tracer(pid_t pid)
{
    char path[64], line[256];
    int tracer = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof(line), file)) {
        if (strncmp(line, "TracerPid:", 10) == 0) {
            tracer = (int)strtol(line + 10, NULL, 10);
            break;
        }
    }
    fclose(file);
    return (pid_t)tracer;
}
