/*
 * mem_stop.c - see mem_stop.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/mem_stop.h"
#include "mem/mem_regs.h"
#include <dirent.h>
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

#ifdef __aarch64__
#define HOST_MACHINE EM_AARCH64
#else
#define HOST_MACHINE EM_X86_64
#endif

/* A thread in uninterruptible sleep (a dead disk) never stops. */
#define WAIT_MAX_NS 2000000000u
/* New threads may start while we ask the others; each round meets fewer. */
#define ROUNDS_MAX 100

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return x < y ? -1 : x > y;
}

/* The first `sorted` ids are in order. */
static int is_seized(const struct mem_stop *stop, uint32_t sorted, pid_t tid)
{
    return sorted > 0 && bsearch(&tid, stop->tids, sorted, sizeof tid, by_number) != NULL;
}

static int seize(struct mem_stop *stop, pid_t tid)
{
    if (stop->count == stop->capacity) {
        uint32_t capacity = stop->capacity == 0 ? 64 : stop->capacity * 2;
        pid_t *tids = reallocarray(stop->tids, capacity, sizeof *tids);
        if (tids == NULL)
            return -ENOMEM;
        stop->tids = tids;
        stop->capacity = capacity;
    }
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return errno == ESRCH ? 0 : -errno; /* ended meanwhile */
    stop->tids[stop->count++] = tid;
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    return 1;
}

/* Seize the threads that are not yet. Returns how many there were, or an error. */
static int seize_new(struct mem_stop *stop, pid_t pid)
{
    char path[64];
    int fresh = 0;
    uint32_t sorted = stop->count;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return errno == ENOENT ? -ESRCH : -errno;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || is_seized(stop, sorted, tid))
            continue;
        int n = seize(stop, tid);
        if (n < 0) {
            closedir(dir);
            return n;
        }
        fresh += n;
    }
    closedir(dir);
    return fresh;
}

/* Wait until `tid` has stopped. 1, 0 it has ended, or -ETIMEDOUT. */
static int wait_stopped(pid_t tid, uint64_t deadline_ns)
{
    for (unsigned spins = 0;; spins++) {
        int status;
        pid_t found = waitpid(tid, &status, __WALL | WNOHANG);
        if (found < 0 && errno != EINTR)
            return 0;
        if (found == tid)
            return WIFSTOPPED(status);
        if (now_ns() > deadline_ns)
            return -ETIMEDOUT;
        /* It needs a processor to stop; on a busy machine that may be ours. */
        if (spins > 16)
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}

static void read_registers(struct image_thread *thread)
{
    unsigned char bytes[MEM_REGS_BYTES_MAX];
    struct iovec piece = {bytes, sizeof bytes};
    if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &piece) == 0 &&
        mem_regs_read(HOST_MACHINE, bytes, piece.iov_len, &thread->regs) == 0)
        thread->has_regs = 1;
}

int mem_stop_all(struct mem_live *live, struct mem_stop *ret_stop)
{
    struct mem_stop *stop = ret_stop;
    uint64_t deadline_ns = now_ns() + WAIT_MAX_NS;
    uint32_t waited = 0;
    int error = 0;
    *stop = (struct mem_stop){.start_ns = now_ns()};
    for (int round = 0; round < ROUNDS_MAX && error >= 0; round++) {
        int fresh = seize_new(stop, live->pid);
        if (fresh <= 0) {
            error = fresh;
            break;
        }
        for (; waited < stop->count && error >= 0; waited++)
            error = wait_stopped(stop->tids[waited], deadline_ns);
        qsort(stop->tids, stop->count, sizeof *stop->tids, by_number);
    }
    if (error >= 0 && stop->count == 0)
        error = -ESRCH;
    if (error >= 0)
        error = mem_live_update_threads(live, stop->tids, stop->count);
    if (error < 0) {
        mem_stop_end(stop);
        return error;
    }
    for (uint32_t i = 0; i < live->image.thread_count; i++)
        read_registers(&live->image.threads[i]);
    return 0;
}

uint64_t mem_stop_end(struct mem_stop *stop)
{
    for (uint32_t i = 0; i < stop->count; i++)
        ptrace(PTRACE_DETACH, stop->tids[i], NULL, NULL);
    free(stop->tids);
    stop->tids = NULL;
    stop->count = stop->capacity = 0;
    return now_ns() - stop->start_ns;
}

pid_t mem_stop_tracer(pid_t pid)
{
    char path[64], line[256];
    int tracer = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "TracerPid:", 10) == 0) {
            tracer = (int)strtol(line + 10, NULL, 10);
            break;
        }
    }
    fclose(file);
    return (pid_t)tracer;
}
