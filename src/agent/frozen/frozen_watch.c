/*
 * frozen_watch.c - see frozen_watch.h.
 *
 * The child is looked at every few milliseconds, by a thread that is not attached to the VM, or by
 * the thread that has to wait for the child's end. A child that makes no progress is killed, so
 * that the recording's file does not wait for ever.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_watch.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/engine/crew_dump.h"
#include "agent/frozen/frozen_status.h"
#include "agent/frozen/frozen_use.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/headroom.h"
#include "base/headroom_text.h"
#include "base/os_thread.h"
#include "base/plural.h"
#include "options/options_frozen.h"
#include "options/options_testing.h"
#include "safe/clock.h"

/* The headers may be older than these numbers. The numbers are the same on all CPUs. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

enum {
    POLL_MS = 5,
    POLL_SHORT_MS = 1, /* when memory is short */
    SHORT = 4,         /* memory is short if it may run out within this many times end_ns() */
    END_MS = 20,       /* until a child that was killed has begun to give memory back */
    MEMORY_POLL_MS = 200,
    MEMORY_REST = 19, /* rest between two questions, in times of what a question takes */
};

static void say_failed(const struct frozen_watch_owner *of, int status)
{
    const struct frozen_status *s = of->status;
    const char *what = of->use->what, *end = of->use->is_lost;
    if (WIFEXITED(status) && s->error)
        log_error("the %s's child could not write it (%s%s%s): %s", what, err_text(s->error),
                  s->why[0] ? ", " : "", s->why, end);
    else
        log_error("the %s's child %s %d%s%s: %s", what,
                  WIFSIGNALED(status) ? "was ended by signal" : "crashed with status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                  s->why[0] ? ", " : "", s->why, end);
}

/* The child has ended. Needs the lock. */
static void take_back(struct frozen_watch *w, int status)
{
    bool is_complete = w->of.status->is_complete;
    w->child = 0;
    if (!is_complete)
        say_failed(&w->of, status);
    w->of.ended(w->of.arg, is_complete);
}

/* Bytes that only the child holds: pages that the program or the child has written since the fork.
 */
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

static void stop_child(struct frozen_watch *w, pid_t child, const char *why)
{
    if (!w->of.status->why[0])
        snprintf(w->of.status->why, sizeof(w->of.status->why), "%s", why);
    w->is_told_to_end = 1;
    kill(child, SIGKILL);
}

/* Gives back the child's memory at once, in this thread, because the child may have to wait for a
 * CPU before it ends. Needs Linux 5.15; on an older kernel the memory comes back when the child
 * ends. */
static void release_memory(pid_t child)
{
    int fd = (int)syscall(SYS_pidfd_open, child, 0);
    if (fd >= 0) {
        syscall(SYS_process_mrelease, fd, 0);
        close(fd);
    }
}

/* The time until the memory of a child that is killed now has come back. */
static uint64_t end_ns(const struct frozen_watch *w)
{
    return (uint64_t)END_MS * NS_PER_MS + w->fork_ns;
}

/* Asks for the child's own memory. The kernel adds it up page by page, also pages that the child
 * shares: some 20 ms for each gigabyte. So without the option forkmem= the question takes at most a
 * twentieth of the time. The kernel is not asked if memory might run out meanwhile, because this
 * thread could not look at the memory then, and a child whose pages are being added up gives none
 * back. */
static void ask_own_memory(struct frozen_watch *w, pid_t child)
{
    uint64_t begin = clock_monotonic_ns(), rest = (uint64_t)MEMORY_POLL_MS * NS_PER_MS, bytes;
    if (begin < w->memory_next_ns || headroom_lacks(w->of.headroom, 0, end_ns(w) + w->memory_ns))
        return;
    bytes = own_memory(child);
    w->memory_ns = clock_monotonic_ns() - begin;
    bool is_limited = w->of.fork_bytes != OPTIONS_FROZEN_NO_LIMIT;

    if (!is_limited && w->memory_ns * MEMORY_REST > rest)
        rest = w->memory_ns * MEMORY_REST;
    w->memory_next_ns = begin + w->memory_ns + rest;
    if (bytes > w->bytes)
        w->bytes = bytes;
    if (is_limited && bytes > w->of.fork_bytes)
        stop_child(w, child, "it needed more memory than forkmem= allows");
}

/* Looks at the child's memory and at the memory that is left. Works without the agent's lock,
 * because the thread that holds the lock may be slow. */
static void look_at_memory(struct frozen_watch *w, pid_t child)
{
    const char *full;
    if (!w->is_told_to_end) {
        headroom_look(w->of.headroom, clock_monotonic_ns());
        full = headroom_lacks(w->of.headroom, 0, end_ns(w));
        if (full)
            stop_child(w, child, full);
        else
            ask_own_memory(w, child);
    }
    if (w->is_told_to_end)
        release_memory(child);
}

/* Looks at the child's state and progress. Returns true when the child has ended. Needs the lock.
 */
static bool look_after(struct frozen_watch *w, pid_t child)
{
    long stuck_s = options_testing_of(&w->of.agent->options)->dump_stuck_s;
    int status = 0;
    char why[64];
    if (waitpid(child, &status, WNOHANG | __WALL) != 0) {
        take_back(w, status);
        return true;
    }
    const char *unwanted = w->of.use->unwanted ? w->of.use->unwanted(w->of.self) : NULL;
    if (unwanted && !w->is_told_to_end)
        stop_child(w, child, unwanted);
    uint64_t now = clock_monotonic_ns();
    uint64_t progress = w->of.status->progress + w->of.status->seen;

    if (w->of.use->look)
        progress += w->of.use->look(w->of.self);
    if (progress != w->progress) {
        w->progress = progress;
        w->progress_ns = now;
    } else if (now - w->progress_ns > (uint64_t)stuck_s * NS_PER_S) {
        snprintf(why, sizeof(why), "it stood still for %ld second%s", stuck_s,
                 plural_s((uint64_t)stuck_s));
        stop_child(w, child, why);
    }
    return false;
}

static void watch(struct frozen_watch *w, bool has_lock)
{
    pid_t child = w->child;
    for (bool done = false; !done;) {
        usleep(headroom_lacks(w->of.headroom, 0, SHORT * end_ns(w)) ? POLL_SHORT_MS * 1000
                                                                    : POLL_MS * 1000);
        look_at_memory(w, child);
        if (!has_lock)
            agent_lock(w->of.agent);
        done = look_after(w, child);
        if (!has_lock)
            agent_unlock(w->of.agent);
    }
}

/* The function of the thread that watches the child; it is not attached to the VM. No other thread
 * waits for the child, so no other process can get its pid meanwhile. */
static void *watch_aside(void *arg)
{
    watch(arg, false);
    return NULL;
}

void frozen_watch_begin(struct frozen_watch *w, const struct frozen_watch_owner *of)
{
    *w = (struct frozen_watch){.of = *of};
}

void frozen_watch_note(struct frozen_watch *w, pid_t child, uint64_t fork_ns)
{
    w->fork_ns = fork_ns;
    w->child = child;
    w->progress_ns = clock_monotonic_ns();
    w->memory_ns = 4 * fork_ns; /* a first guess: asking takes longer than copying page tables */
}

void frozen_watch_start(struct frozen_watch *w)
{
    pthread_t watcher;
    if (w->of.agent->dying) {
        watch(w, true);
        return;
    }
    w->has_thread = os_thread_start(&watcher, "HPROF heap", watch_aside, w) == 0;
    if (w->has_thread)
        pthread_detach(watcher);
    else
        watch(w, true);
}

/* ---- the program stands still */

/* Whether the child has ended. It is not reaped. If the kernel cannot say it, it counts as ended:
 * the program goes on then. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 ||
           info.si_pid != 0;
}

/* Looks at the memory that is left while the program takes none. */
static void look_while_standing(struct frozen_watch *w, pid_t child)
{
    const char *full;
    headroom_look(w->of.headroom, clock_monotonic_ns());
    full = w->is_told_to_end ? NULL : headroom_ends(w->of.headroom, 0);
    if (full)
        stop_child(w, child, full);
    if (w->is_told_to_end)
        release_memory(child);
}

void frozen_watch_stand(struct frozen_watch *w, uint64_t most_ns)
{
    uint64_t begin = clock_monotonic_ns();
    while (!w->is_told_to_end && !has_ended(w->child)) {
        usleep(POLL_SHORT_MS * 1000);
        if (clock_monotonic_ns() - begin > most_ns)
            stop_child(w, w->child, "the program stood still for it for too long");
        look_while_standing(w, w->child);
    }
}

void frozen_watch_settle(struct frozen_watch *w, struct agent *a)
{
    for (bool done = false; !done;) {
        agent_lock(a);
        done = w->child == 0;
        agent_unlock(a);
        if (!done)
            usleep(POLL_MS * 1000);
    }
}
