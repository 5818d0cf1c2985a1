/*
 * task_times.c - see task_times.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/task_times.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/proc_ids.h"
#include "process/process.h"
#include "safe/clock.h"

enum { LINE_MAX_BYTES = 1024, FIELD_USER = 14, PID_MAX = 1 << 22 };

/* The CPU time from the ticks of user and kernel mode, the fields 14 and 15. The name, field 2, may
 * contain any character. */
static uint64_t cpu_of_stat(const char *text)
{
    const char *field = strrchr(text, ')');
    char *end;
    for (int number = 2; field && number < FIELD_USER; number++)
        field = strchr(field + 1, ' ');
    if (!field)
        return 0;
    uint64_t user = strtoull(field, &end, 10), system = strtoull(end, NULL, 10);
    return (user + system) * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Read the CPU time of a thread. A kernel that was built with schedstats has nanoseconds, others
 * have only ticks. */
static bool read_task(pid_t pid, pid_t tid, uint64_t *ret_ns)
{
    char name[64], *text;
    snprintf(name, sizeof(name), "task/%d/schedstat", (int)tid);
    bool has_ns = process_file(pid, name, LINE_MAX_BYTES, &text) > 0;
    if (!has_ns) {
        snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
        if (process_file(pid, name, LINE_MAX_BYTES, &text) < 0)
            return false;
    }
    *ret_ns = has_ns ? strtoull(text, NULL, 10) : cpu_of_stat(text);
    free(text);
    return true;
}

static int by_tid(const void *a, const void *b)
{
    const struct task_time *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static int add(struct task_times *t, uint32_t *capacity, struct task_time row)
{
    if (t->count == *capacity) {
        uint32_t grown = *capacity == 0 ? 64 : *capacity * 2;
        struct task_time *rows = realloc(t->rows, grown * sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        t->rows = rows;
        *capacity = grown;
    }
    t->rows[t->count++] = row;
    return 0;
}

int task_times_read(pid_t pid, struct task_times *ret)
{
    struct proc_ids tasks;
    uint32_t capacity = 0;
    int error = proc_ids_open_threads(pid, &tasks);
    *ret = (struct task_times){0};
    if (error)
        return error;
    for (struct task_time row; error == 0 && (row.tid = proc_ids_next(&tasks)) != 0;)
        if (read_task(pid, row.tid, &row.cpu_ns))
            error = add(ret, &capacity, row);
    proc_ids_close(&tasks);
    if (error == 0 && ret->count == 0)
        error = -ESRCH;
    if (ret->count > 0)
        qsort(ret->rows, ret->count, sizeof(*ret->rows), by_tid);
    return error;
}

void task_times_done(struct task_times *t)
{
    free(t->rows);
    *t = (struct task_times){0};
}

static uint64_t cpu_of(const struct task_times *t, pid_t tid)
{
    struct task_time key = {.tid = tid};
    const struct task_time *found =
        t->count > 0 ? bsearch(&key, t->rows, t->count, sizeof(key), by_tid) : NULL;
    return found ? found->cpu_ns : 0;
}

uint64_t task_times_used_ns(const struct task_times *before, const struct task_times *now,
                            pid_t tid)
{
    uint64_t was = cpu_of(before, tid), is = cpu_of(now, tid);
    return is >= was ? is - was : is;
}

int task_times_whole_ns(pid_t pid, uint64_t *ret_ns)
{
    struct timespec used;
    clockid_t clock;

    /* The id of a clock has room for 29 bits of a pid; no kernel gives a process more than 22. */
    if (pid > PID_MAX)
        return -ESRCH;
    int error = clock_getcpuclockid(pid, &clock);
    if (error == 0 && clock_gettime(clock, &used) != 0)
        error = errno == EINVAL ? ESRCH : errno;
    if (error != 0)
        return -error;
    *ret_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    return 0;
}
