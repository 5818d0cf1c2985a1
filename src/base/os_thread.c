/*
 * os_thread.c - see os_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os_thread.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/proc_ids.h"

/* The fields up to the signals need about 1 KB; a line near the end lists all CPUs and may be
 * long. */
enum { STATUS_BYTES = 4096 };

static const char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? at + strlen(name) : NULL;
}

int os_thread_read_status(pid_t tid, struct os_thread_status *ret_status)
{
    char path[64], text[STATUS_BYTES];
    size_t used = 0;
    ssize_t n;
    snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    while (used < sizeof(text) - 1 && (n = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
        used += (size_t)n;
    close(fd);
    text[used] = 0;
    const char *state = value_of(text, "\nState:\t"), *blocked = value_of(text, "\nSigBlk:\t"),
               *pending = value_of(text, "\nSigPnd:\t");
    if (used == 0)
        return -ESRCH;
    if (!state || !blocked || !pending)
        return -EIO;
    *ret_status =
        (struct os_thread_status){*state, strtoull(blocked, NULL, 16), strtoull(pending, NULL, 16)};
    return 0;
}

int os_thread_order(const void *left, const void *right)
{
    int32_t l = *(const int32_t *)left, r = *(const int32_t *)right;
    return l < r ? -1 : l > r;
}

int32_t *os_thread_list(size_t *ret_count)
{
    struct proc_ids tasks;
    size_t count = 0, room = 256;
    if (proc_ids_open_threads(0, &tasks) < 0)
        return NULL;
    int32_t *tids = malloc(room * sizeof(*tids));
    for (pid_t tid; tids && (tid = proc_ids_next(&tasks)) != 0;) {
        if (count == room) {
            int32_t *more = realloc(tids, (room *= 2) * sizeof(*tids));
            if (!more)
                break;
            tids = more;
        }
        tids[count++] = tid;
    }
    proc_ids_close(&tasks);
    if (count == 0) {
        free(tids);
        return NULL;
    }
    qsort(tids, count, sizeof(*tids), os_thread_order);
    *ret_count = count;
    return tids;
}

void os_thread_name(pid_t tid, char ret_name[OS_THREAD_NAME_BYTES])
{
    char path[64];
    ssize_t n = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, ret_name, OS_THREAD_NAME_BYTES - 1);
        close(fd);
    }
    ret_name[n > 0 ? n : 0] = '\0';
    ret_name[strcspn(ret_name, "\n")] = '\0';
}

int os_thread_start(pthread_t *ret_thread, const char *name, void *(*function)(void *),
                    void *argument)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(ret_thread, NULL, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_setname_np(*ret_thread, name);
    return -error;
}
