/*
 * counted.c - see counted.h.
 *
 * The handler saves errno. Its only system calls are read and ioctl on the slot's perf event, and
 * clock_gettime. The signal is blocked while the handler runs, so the handler never nests.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/counted.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "safe/clock.h"
#include "safe/next_handler.h"
#include "safe/regs.h"

enum {
    SIGNALS = 65, /* signals of the kernel, and 0, which is no signal */
    PACE_SIGNALS = 64,
    PACE_LEAST_NS = 100000, /* from signal to signal, in the mean */
    PACE_CALM = 8,          /* so many times slower: the interval may be halved */
    PACE_DOUBLINGS = 10,
};

static struct counted *known;                 /* set before the first handler is installed */
static _Atomic bool is_open;                  /* false: signals of ours are swallowed */
static _Atomic int installed;                 /* the signal of our events; 0: none */
static _Atomic uint32_t inside;               /* handlers that may be using a slot */
static struct sigaction application[SIGNALS]; /* action of a signal before ours */

size_t counted_sample_bytes(uint32_t depth)
{
    return sizeof(struct counted_sample) + ((size_t)depth + 1) * sizeof(struct walk_frame);
}

struct counted_slot *counted_slot_open(struct counted *c)
{
    for (uint32_t i = 0; i < COUNTED_SLOTS; i++) {
        struct counted_slot *slot = &c->slots[i];
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&slot->used, &unused, 1)) {
            memset((char *)slot + sizeof(slot->used), 0, sizeof(*slot) - sizeof(slot->used));
            slot->fd = -1;
            return slot;
        }
    }
    return NULL;
}

void counted_slot_close(struct counted_slot *slot)
{
    atomic_store(&slot->used, 0);
}

int counted_bind(struct counted *c, int fd, const struct counted_slot *slot)
{
    if (fd < 0 || fd >= COUNTED_FDS)
        return -1;
    atomic_store(&c->slot_of_fd[fd], slot ? (uint32_t)(slot - c->slots) + 1 : COUNTED_WAS);
    return 0;
}

/* ---- the counter */

static uint64_t count_of(const struct counted_slot *slot, int fd)
{
    uint64_t count = 0;
    if (fd < 0 || read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
        return atomic_load(&slot->taken);
    return count;
}

uint64_t counted_rest(const struct counted_slot *slot, int fd)
{
    uint64_t rest = count_of(slot, fd) - atomic_load(&slot->taken), own = atomic_load(&slot->own);
    return rest > own ? rest - own : 0;
}

/* The events since the last sample, without those that the last signal has caused. */
static uint64_t take(struct counted *c, struct counted_slot *slot)
{
    uint64_t count = count_of(slot, atomic_load(&slot->fd));
    uint64_t events = count - atomic_load(&slot->taken);
    uint64_t own = atomic_load(&slot->own), caused = own < events ? own : events;
    atomic_store(&slot->taken, count);
    atomic_store(&slot->own, 0);
    atomic_fetch_add_explicit(&c->caused, caused, memory_order_relaxed);
    return events - caused;
}

void counted_go_on(struct counted *c, struct counted_slot *slot)
{
    int fd = atomic_load(&slot->fd);
    uint64_t period = (c->interval << atomic_load(&slot->doublings)) + atomic_load(&slot->own);
    if (fd < 0)
        return;
    if (period != slot->period) {
        slot->period = period;
        ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
    }
    if (c->goes_on)
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    else
        ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
}

/* ---- a sample */

static void keep_pace(struct counted_slot *slot, uint64_t now_ns)
{
    const uint64_t least_ns = (uint64_t)PACE_SIGNALS * PACE_LEAST_NS;
    uint64_t took_ns = now_ns - slot->window_ns;
    uint32_t doublings = atomic_load(&slot->doublings);
    if (slot->window_signals++ > 0 && slot->window_signals <= PACE_SIGNALS)
        return;
    if (slot->window_signals > PACE_SIGNALS && took_ns < least_ns && doublings < PACE_DOUBLINGS)
        atomic_store(&slot->doublings, doublings + 1);
    else if (slot->window_signals > PACE_SIGNALS && took_ns > least_ns * PACE_CALM && doublings > 0)
        atomic_store(&slot->doublings, doublings - 1);
    slot->window_ns = now_ns;
    slot->window_signals = 1;
}

static void lose(struct counted *c, uint64_t events)
{
    atomic_fetch_add_explicit(&c->lost, events, memory_order_relaxed);
}

static void sample(struct counted *c, const struct counted_slot *slot, uint64_t events,
                   uint64_t now_ns, void *ucontext)
{
    /* A tracker's frames may lie above the program's frames, and must be recognised. */
    struct walk_request request = {.ucontext = ucontext,
                                   .jni_env = slot->jni_env,
                                   .java_thread = slot->java_thread,
                                   .above = 1};
    struct counted_sample *s = ring_claim(&c->ring);
    bool is_truncated = false;
    if (!s) {
        lose(c, events);
        return;
    }
    s->time_ns = now_ns;
    s->events = events;
    s->serial = slot->serial;
    scope_read(&s->scopes);
    s->result = c->walker->walk(&request, s->frames, c->depth + 1, &is_truncated);
    if (s->result > (int32_t)c->depth) {
        s->result = (int32_t)c->depth;
        is_truncated = true;
    }
    s->truncated = is_truncated;
    size_t frames = s->result > 0 ? (size_t)s->result : 0;
    enum ring_result result =
        ring_publish(&c->ring, s, sizeof(*s) + frames * sizeof(struct walk_frame));
    if (result == RING_LOST)
        lose(c, events);
    else if (result == RING_PUBLISHED_QUARTER)
        c->wake();
    if (c->walker->leave)
        c->walker->leave(&request);
}

static void answer(struct counted *c, struct counted_slot *slot, void *ucontext)
{
    uint64_t now_ns = clock_monotonic_ns(), events = take(c, slot);
    atomic_fetch_add_explicit(&c->signals, 1, memory_order_relaxed);
    if (events > 0)
        sample(c, slot, events, now_ns, ucontext);
    keep_pace(slot, now_ns);
    if (c->is_switch) {
        struct regs regs;
        regs_of_ucontext(ucontext, &regs);
        atomic_store(&slot->own, regs_at_call(&regs));
    }
    counted_go_on(c, slot);
}

/* ---- the signal */

enum whose { FOREIGN, OURS, SWALLOW };

static enum whose whose_is(struct counted *c, const siginfo_t *info, struct counted_slot **ret_slot)
{
    if (info->si_code <= 0 || info->si_code > POLL_HUP || info->si_fd < 0 ||
        info->si_fd >= COUNTED_FDS)
        return FOREIGN;
    uint32_t index = atomic_load_explicit(&c->slot_of_fd[info->si_fd], memory_order_acquire);
    if (index == 0)
        return FOREIGN;
    if (index == COUNTED_WAS || !atomic_load(&is_open))
        return SWALLOW;
    *ret_slot = &c->slots[index - 1];
    return OURS;
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
    int saved = errno;
    struct counted_slot *slot = NULL;

    /* The handler is counted before it reads `is_open`. If `inside` is 0 after counted_close(), no
     * handler uses a slot any more. */
    atomic_fetch_add(&inside, 1);
    enum whose whose = whose_is(known, info, &slot);
    if (whose == OURS)
        answer(known, slot, ucontext);
    atomic_fetch_sub(&inside, 1);
    if (whose == FOREIGN)
        next_handler_call(&application[signal], signal, info, ucontext);
    errno = saved;
}

int counted_install(struct counted *c, int signal)
{
    if (signal <= 0 || signal >= SIGNALS)
        return -EINVAL;
    known = c;
    int error = next_handler_take(signal, on_signal, &application[signal]);
    if (error < 0)
        return error;
    atomic_store(&installed, signal);
    atomic_store(&is_open, true);
    return 0;
}

bool counted_has_signal(void)
{
    struct sigaction now;
    int signal = atomic_load(&installed);
    return !signal || sigaction(signal, NULL, &now) != 0 || next_handler_is(&now, on_signal);
}

bool counted_holds(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && next_handler_is(&now, on_signal);
}

void counted_close(void)
{
    atomic_store(&is_open, false);
}

bool counted_is_quiet(void)
{
    return atomic_load(&inside) == 0;
}
