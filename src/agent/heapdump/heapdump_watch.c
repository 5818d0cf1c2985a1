/*
 * heapdump_watch.c - the child that writes a heap dump, seen from the JVM: how it goes on, how much
 * memory it takes, how it ended.
 *
 * It is asked every few milliseconds, by a thread that knows no Java, or by whoever has to wait for
 * its end. A child that makes no progress is ended: the program's file is not held up for ever.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/agent_dump.h"
#include "agent/heapdump/heapdump.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/headroom_text.h"
#include "safe/clock.h"

/* Newer than the headers may be; the numbers are the same on all CPUs. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

enum {
    POLL_MS = 5,
    POLL_SHORT_MS = 1, /* when there is little, */
    SHORT = 4,         /* times what a child might need that is stopped now */
    END_MS = 20,       /* until a child that is told to end has begun to give memory back */
    MEMORY_POLL_MS = 200,
    MEMORY_REST = 19, /* times as long as it took, if nothing depends on it */
};

static void say_unreachable(const struct heapdump_status *s)
{
    log_note("heap dump: %llu of the objects cannot be reached, %llu of their references led "
             "nowhere, %.1f KB of the heap are no objects",
             (unsigned long long)s->unreachable, (unsigned long long)s->lost_links,
             (double)s->skipped / 1024);
}

void heapdump_watch_say(struct heapdump *d)
{
    const struct heapdump_status *s = d->status;

    if (!d->jvmti || d->child || !s->is_complete || d->is_told)
        return;
    d->is_told = 1;
    if (d->is_in_pause) {
        log_note("heap dump: pause %.1f ms, all of it inside, %llu objects, %.1f MB written",
                 (double)d->pause_ns / 1e6, (unsigned long long)s->objects,
                 (double)s->file_bytes / 1048576);
        return;
    }
    log_note("heap dump: pause %.1f ms, child %.2f s, copied on write %.1f MB, %llu objects, %.1f "
             "MB written%s%s",
             (double)d->pause_ns / 1e6, (double)s->ns / 1e9, (double)d->child_bytes / 1048576,
             (unsigned long long)s->objects, (double)s->file_bytes / 1048576,
             s->is_walked ? ", sites by a walk" : "",
             s->broken ? ", some references led nowhere" : "");
    if (!d->agent->options.live)
        say_unreachable(s);
    if (s->is_siteless)
        log_error("heap dump: the VM's table of allocation tags could not be read: objects have no "
                  "sites in this dump; the next one finds them by a walk");
    if (s->cut)
        log_error("heap dump: %llu arrays are longer than a record of the format can be: cut",
                  (unsigned long long)s->cut);
}

static void say_failed(const struct heapdump *d, int status)
{
    static const char *const end = "the dump is not in the file, the program goes on";
    const struct heapdump_status *s = d->status;

    if (WIFEXITED(status) && s->error)
        log_error("the heap dump's child could not write it (%s%s%s): %s", err_text(s->error),
                  s->why[0] ? ", " : "", s->why, end);
    else
        log_error("the heap dump's child %s %d%s%s: %s",
                  WIFSIGNALED(status) ? "was ended by signal" : "crashed with status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                  s->why[0] ? ", " : "", s->why, end);
}

/* The child has ended: the file is ours again. Needs the lock. */
static void take_back(struct heapdump *d, int status)
{
    if (d->status->is_complete) {
        d->next_string = d->status->next_string;
        d->next_serial = d->status->next_serial;
    }
    d->must_walk |= d->status->is_siteless;
    heapdump_names_settle(d);
    heapdump_file_settle(d);
    headroom_close(&d->headroom);
    d->child = 0;
    d->is_told = 0;
    if (!d->status->is_complete && d->heap.collector == HEAP_ZGC && d->status->error) {
        d->can_fork = 0; /* the copy was not understood, nor will the next one be */
        snprintf(d->why_not, sizeof(d->why_not), "a copy of the heap could not be read");
    }
    if (!d->status->is_complete)
        say_failed(d, status);
    if (!agent_dump_written(d->agent) && d->waiter_runs && d->agent->options.verbose)
        heapdump_watch_say(d);
}

/* What the child holds alone: pages that the program has written since, or the child itself. */
static uint64_t own_memory(pid_t child)
{
    char path[64], text[2048];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)child);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return (headroom_text_number(text, "Private_Clean") +
            headroom_text_number(text, "Private_Dirty")) *
           1024;
}

static void stop_child(struct heapdump *d, pid_t child, const char *why)
{
    if (!d->status->why[0])
        snprintf(d->status->why, sizeof(d->status->why), "%s", why);
    d->is_told_to_end = 1;
    kill(child, SIGKILL);
}

/* What the child holds goes back at once, by this thread: the child may have to wait for a CPU
 * before it ends. Linux 5.15; without it, when it does. */
static void release_memory(pid_t child)
{
    int fd = (int)syscall(SYS_pidfd_open, child, 0);

    if (fd >= 0) {
        syscall(SYS_process_mrelease, fd, 0);
        close(fd);
    }
}

/* How long it may take until the memory of a child that is stopped now is back. */
static uint64_t end_ns(const struct heapdump *d)
{
    return (uint64_t)END_MS * 1000000u + d->fork_ns;
}

/* The kernel adds that up page by page, also those that the child shares: some 20 ms a gigabyte. So
 * without a limit it is asked a twentieth of the time at most. Nor is it asked where memory might
 * run out meanwhile: nobody looks then, and a child that is being read does not give any back. */
static void ask_own_memory(struct heapdump *d, pid_t child)
{
    uint64_t begin = clock_monotonic_ns(), rest = (uint64_t)MEMORY_POLL_MS * 1000000u, bytes;

    if (begin < d->memory_next_ns || headroom_lacks(&d->headroom, 0, end_ns(d) + d->memory_ns))
        return;
    bytes = own_memory(child);
    d->memory_ns = clock_monotonic_ns() - begin;
    if (!d->agent->options.fork_bytes && d->memory_ns * MEMORY_REST > rest)
        rest = d->memory_ns * MEMORY_REST;
    d->memory_next_ns = begin + d->memory_ns + rest;
    if (bytes > d->child_bytes)
        d->child_bytes = bytes;
    if (d->agent->options.fork_bytes && bytes > d->agent->options.fork_bytes)
        stop_child(d, child, "it needed more memory than forkmem= allows");
}

/* The child's memory, and everybody's. Does without the lock: who holds it may be slow. */
static void look_at_memory(struct heapdump *d, pid_t child)
{
    const char *full;

    if (!d->is_told_to_end) {
        headroom_look(&d->headroom, clock_monotonic_ns());
        full = headroom_lacks(&d->headroom, 0, end_ns(d));
        if (full)
            stop_child(d, child, full);
        else
            ask_own_memory(d, child);
    }
    if (d->is_told_to_end)
        release_memory(child);
}

/* Look after the child; 1 when it has ended. Needs the lock. */
static int look_after(struct heapdump *d, pid_t child)
{
    long stuck_s = d->agent->options.dump_stuck_s;
    uint64_t now, seen;
    int status = 0;
    char why[64];

    if (waitpid(child, &status, WNOHANG | __WALL) != 0) {
        take_back(d, status);
        return 1;
    }
    if (!d->status->has_turn)
        d->status->no_turn = output_error(&d->agent->output);
    now = clock_monotonic_ns();
    seen = d->status->progress + d->status->seen + output_progress(&d->agent->output);
    if (seen != d->child_seen) {
        d->child_seen = seen;
        d->child_seen_ns = now;
    } else if (now - d->child_seen_ns > (uint64_t)stuck_s * 1000000000u) {
        snprintf(why, sizeof(why), "it stood still for %ld seconds", stuck_s);
        stop_child(d, child, why);
    }
    return 0;
}

static void watch(struct heapdump *d, int has_lock)
{
    pid_t child = d->child;

    for (int done = 0; !done;) {
        usleep(headroom_lacks(&d->headroom, 0, SHORT * end_ns(d)) ? POLL_SHORT_MS * 1000
                                                                  : POLL_MS * 1000);
        look_at_memory(d, child);
        if (!has_lock)
            agent_lock(d->agent);
        done = look_after(d, child);
        if (!has_lock)
            agent_unlock(d->agent);
    }
}

/* A thread of its own while a child runs: it knows no Java. Nobody else waits for the child, so
 * its pid stays its own. */
static void *watch_aside(void *arg)
{
    watch(arg, 0);
    return NULL;
}

void heapdump_watch_start(struct heapdump *d)
{
    sigset_t all, before;
    pthread_t waiter;

    d->waiter_runs = 0;
    d->memory_ns = 4 * d->fork_ns; /* it takes longer than to copy page tables */
    if (d->agent->dying) {
        watch(d, 1);
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    d->waiter_runs = pthread_create(&waiter, NULL, watch_aside, d) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (d->waiter_runs)
        pthread_detach(waiter);
    else
        watch(d, 1);
}

void heapdump_watch_settle(struct heapdump *d)
{
    for (int done = !d->jvmti; !done;) {
        agent_lock(d->agent);
        done = d->child == 0;
        agent_unlock(d->agent);
        if (!done)
            usleep(POLL_MS * 1000);
    }
}
