/*
 * timer_perf.c - the kernel's cpu-clock event of each thread, through perf_event_open.
 *
 * This is a high-resolution timer that runs only while the thread runs: exact at 1 ms and 0.1 ms.
 * Normally the event goes on while a signal is on its way, because starting it again each time
 * costs a fifth of a signal. In two cases the event stops at each signal until the handler starts
 * it again, so that the thread makes progress in between: in the first period, which is random and
 * may be very short, and with intervals below 1 ms.
 *
 * Each event takes one descriptor, as far as fd_room.h grants it. Its number is out of
 * the way of select() if the limit allows.
 *
 * For kernel frames an event also has two pages that are shared with the kernel and count as locked
 * memory. At most RINGS_MAX threads have such pages. Later threads, and threads for which the limit
 * of locked memory is reached, have the timer alone.
 *
 * perf does not get real-time signals: a real-time signal that cannot be queued becomes a SIGIO,
 * which would end the process.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/timer.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/timer/fd_room.h"
#include "options/options_signal.h"
#include "safe/clock.h"
#include "safe/kernel_ring.h"

enum {
    RINGS_MAX = 1024, /* 8 MB with pages of 4 KB */
    QUIET_TRIES = 20, /* waits of QUIET_US */
    QUIET_US = 100,
};

enum view { USER_TIME, ALL_TIME, KERNEL_FRAMES };

static _Atomic int open_count, ring_count;

static int open_event(int tid, uint64_t period, enum view view)
{
    struct perf_event_attr attr;
    long fd;
    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = period;
    attr.sample_type = PERF_SAMPLE_IP;
    attr.wakeup_events = 1;
    attr.disabled = 1;
    attr.exclude_hv = 1;
    attr.exclude_kernel = view == USER_TIME;
    if (view == KERNEL_FRAMES)
        kernel_ring_ask(&attr);
    fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

/*
 * An unprivileged process may not measure kernel time (perf_event_paranoid 2). Then the signal
 * comes at the thread's next moment in user mode, and its weight includes the kernel time.
 */
static int open_either(int tid, uint64_t period)
{
    int fd = open_event(tid, period, ALL_TIME);
    return fd == -EACCES || fd == -EPERM ? open_event(tid, period, USER_TIME) : fd;
}

static size_t pages_bytes(void)
{
    return KERNEL_RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static void drop_ring(void *ring)
{
    if (!ring)
        return;
    munmap(ring, pages_bytes());
    atomic_fetch_sub(&ring_count, 1);
}

/* Open an event that also reports the kernel's frames. */
static int open_with_ring(int tid, uint64_t period, void **ret_ring)
{
    void *ring;
    int fd;
    if (atomic_fetch_add(&ring_count, 1) >= RINGS_MAX) {
        atomic_fetch_sub(&ring_count, 1);
        return -ENOMEM;
    }
    fd = open_event(tid, period, KERNEL_FRAMES);
    ring =
        fd >= 0 ? mmap(NULL, pages_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (ring == MAP_FAILED) {
        int error = fd < 0 ? fd : errno == EPERM ? -EDQUOT : -errno;
        if (fd >= 0)
            close(fd);
        atomic_fetch_sub(&ring_count, 1);
        return error;
    }
    *ret_ring = ring;
    return fd;
}

/*
 * Wait until no handler uses what was taken out of the slot before. Returns 1, or 0 after a short
 * wait.
 */
static int wait_until_quiet(const struct tick_slot *slot)
{
    bool is_unused = slot->tid == gettid() || tick_is_quiet();
    for (int i = 0; i < QUIET_TRIES && !is_unused; i++) {
        usleep(QUIET_US);
        is_unused = tick_is_quiet();
    }
    return is_unused;
}

/*
 * Free a ring after it has left the slot. A handler on another thread may still be reading it; then
 * the ring stays for ever, and stays counted.
 */
static void retire_ring(const struct tick_slot *slot, void *ring)
{
    if (ring && wait_until_quiet(slot))
        drop_ring(ring);
}

static int direct_to(int fd, int tid, int signal)
{
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    if (fcntl(fd, F_SETFL, O_ASYNC) != 0 || fcntl(fd, F_SETSIG, signal) != 0 ||
        fcntl(fd, F_SETOWN_EX, &owner) != 0)
        return -errno;
    return 0;
}

static int probe(void)
{
    int fd = open_either(gettid(), NS_PER_S), error;
    if (fd < 0)
        return fd;
    error = direct_to(fd, gettid(), SIGPROF);
    close(fd);
    return error;
}

/* Errors: -errno; -EDQUOT: the process may not lock the ring's memory. */
static int probe_kernel(void)
{
    void *ring = NULL;
    int fd = open_with_ring(gettid(), NS_PER_S, &ring);
    if (fd < 0)
        return fd;
    drop_ring(ring);
    close(fd);
    return 0;
}

static int arm(struct tick *t, struct tick_slot *slot, uint64_t first_ns)
{
    uint64_t first = first_ns ? first_ns : 1;
    void *ring = NULL;
    int fd, error;
    if (options_signal_is_realtime(t->signal))
        return -EINVAL;
    if (!fd_room_grants(atomic_load(&open_count)))
        return -EMFILE;
    fd = t->kernel_page ? open_with_ring(slot->tid, first, &ring) : -1;
    if (fd < 0)
        fd = open_either(slot->tid, first);
    if (fd < 0)
        return fd;
    fd = fd_room_move_up(fd);
    error = direct_to(fd, slot->tid, t->signal);
    if (!error && tick_bind_fd(t, fd, slot) != 0)
        error = -EMFILE;
    if (error) {
        drop_ring(ring);
        close(fd);
        return error;
    }
    atomic_store(&slot->kernel_ring, ring);
    slot->timer.signal = (uint8_t)t->signal;
    slot->timer.is_armed = 1;
    atomic_store(&slot->timer.fd, fd);
    atomic_fetch_add(&open_count, 1);
    ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
    return 0;
}

/* Close an event that has left the slot and that no handler uses. */
static void close_event(struct tick *t, struct tick_slot *slot, int fd)
{
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    tick_bind_fd(t, fd, NULL);
    retire_ring(slot, atomic_exchange(&slot->kernel_ring, NULL));
    close(fd);
    atomic_fetch_sub(&open_count, 1);
    slot->timer.is_armed = 0;
}

static void disarm(struct tick *t, struct tick_slot *slot)
{
    int fd = slot->timer.is_armed ? atomic_exchange(&slot->timer.fd, -1) : -1;
    if (fd >= 0)
        close_event(t, slot, fd);
}

/*
 * If an event that stops at each signal is still running, it stops one signal later from then on.
 * That costs nothing: that signal's time is part of the next weight.
 */
static void restart(struct tick_slot *slot)
{
    int fd = atomic_load(&slot->timer.fd);
    if (!slot->timer.is_armed || fd < 0)
        return;
    if (tick_goes_on(slot) && atomic_load(&slot->period_is_set))
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    else
        ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
}

/*
 * Take the event out of the slot. A handler that has read the descriptor must have used it before
 * the descriptor is closed, because its number may then be another file's.
 */
static int release(struct tick *t, struct tick_slot *slot)
{
    int fd = slot->timer.is_armed ? atomic_exchange(&slot->timer.fd, -1) : -1;
    if (fd < 0)
        return 0;
    if (!wait_until_quiet(slot)) {
        atomic_store(&slot->timer.fd, fd);
        restart(slot); /* in between, a handler may have found no event to start again */
        return -EBUSY;
    }
    close_event(t, slot, fd);
    return 0;
}

const struct timer_source timer_perf = {
    .name = "perf",
    .quality = QUALITY_PERF,
    .help =
        "the kernel's cpu-clock event: exact at 1 ms and below, where perf_event_open is allowed",
    /* The event also counts time that a hypervisor took away; the thread's clock does not. */
    .is_early = true,
    .probe = probe,
    .probe_kernel = probe_kernel,
    .arm = arm,
    .disarm = disarm,
    .release = release,
    .restart = restart,
};
