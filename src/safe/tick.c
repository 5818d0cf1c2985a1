/*
 * tick.c - see tick.h.
 *
 * The handler saves errno. Its only system calls are ioctl on the slot's perf event and
 * clock_gettime. The signal is blocked while the handler runs, so the handler never nests.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/tick.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "safe/clock.h"
#include "safe/kernel_ring.h"
#include "safe/next_handler.h"
#include "safe/own_class.h"
#include "safe/regs.h"

static _Atomic(struct tick *) active; /* NULL: signals are swallowed */
enum { SIGNALS = 65 };                /* signals of the kernel, and 0, which is no signal */

static struct sigaction
    application[SIGNALS];     /* action of a signal before ours; written before our handler is in */
static _Atomic int installed; /* the signal that timers raise; 0: our handler is not installed */
static _Atomic uint32_t inside; /* handlers that may be using a slot */

size_t tick_sample_bytes(uint32_t depth)
{
    return sizeof(struct tick_sample) + ((size_t)depth + 1) * sizeof(struct walk_frame);
}

struct tick_slot *tick_slot_open(struct tick *t)
{
    for (uint32_t i = 0; i < TICK_SLOTS; i++) {
        struct tick_slot *slot = &t->slots[i];
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&slot->used, &unused, 1)) {
            memset((char *)slot + sizeof(slot->used), 0, sizeof(*slot) - sizeof(slot->used));
            slot->timer.fd = -1;
            return slot;
        }
    }
    return NULL;
}

void tick_slot_close(struct tick *t, struct tick_slot *slot)
{
    (void)t;
    atomic_store(&slot->used, 0);
}

int tick_bind_fd(struct tick *t, int fd, const struct tick_slot *slot)
{
    if (fd < 0 || fd >= TICK_FDS)
        return -1;
    atomic_store(&t->slot_of_fd[fd], slot ? (uint32_t)(slot - t->slots) + 1 : TICK_WAS);
    return 0;
}

enum whose { FOREIGN, OURS, SWALLOW };

/* Decide whose signal it is. If it is ours, *ret_slot is the slot for which it was raised. */
static enum whose whose_is(struct tick *t, const siginfo_t *info, struct tick_slot **ret_slot)
{
    if (info->si_code == SI_TIMER) {
        uintptr_t at = (uintptr_t)info->si_value.sival_ptr, first = (uintptr_t)t->slots;
        if (at >= first && at < first + TICK_SLOTS * sizeof(*t->slots) &&
            (at - first) % sizeof(*t->slots) == 0) {
            *ret_slot = info->si_value.sival_ptr;
            return OURS;
        }
    } else if (info->si_code > 0 && info->si_code <= POLL_HUP && info->si_fd >= 0 &&
               info->si_fd < TICK_FDS) {
        uint32_t index = atomic_load_explicit(&t->slot_of_fd[info->si_fd], memory_order_acquire);
        if (index == TICK_WAS)
            return SWALLOW;
        if (index > 0) {
            *ret_slot = &t->slots[index - 1];
            return OURS;
        }
    }
    return FOREIGN;
}

/* How many intervals are due at `now_ns`; moves the slot on. The thread's handler and the drain
 * thread may call this function at the same time: each interval is given to one of them. */
static uint64_t take_due(struct tick_slot *slot, int64_t now_ns)
{
    int64_t due_ns = atomic_load(&slot->due_ns);
    uint64_t passed;
    do {
        if (now_ns < due_ns)
            return 0;
        passed = (uint64_t)(now_ns - due_ns) / slot->interval_ns + 1;
    } while (!atomic_compare_exchange_weak(&slot->due_ns, &due_ns,
                                           due_ns + (int64_t)(passed * slot->interval_ns)));
    return passed;
}

/* Count intervals for which there is no stack. */
static void count_missed(struct tick *t, struct tick_slot *slot, uint64_t passed,
                         enum tick_miss why)
{
    if (atomic_load_explicit(&slot->is_off, memory_order_relaxed))
        return;
    if (slot->kind == TICK_OTHER)
        atomic_fetch_add_explicit(&slot->other_ticks, passed, memory_order_relaxed);
    if (slot->kind == TICK_JAVA || t->walks_all)
        atomic_fetch_add_explicit(why == TICK_SIGNAL_BLOCKED ? &t->blocked : &t->missed, passed,
                                  memory_order_relaxed);
}

/* The weight of the sample that is taken now. After lost signals the weight is 1, because nobody
 * knows where the thread spent the time before. */
static uint32_t weight_of(struct tick *t, struct tick_slot *slot, uint64_t cpu_ns)
{
    uint64_t passed = take_due(slot, (int64_t)cpu_ns);
    enum tick_miss why;
    if (passed == 0)
        return 0;
    why = (enum tick_miss)atomic_exchange(&slot->missed, TICK_NOT_MISSED);
    if (why != TICK_NOT_MISSED && passed > 1) {
        count_missed(t, slot, passed - 1, why);
        passed = 1;
    }
    return passed > UINT32_MAX ? UINT32_MAX : (uint32_t)passed;
}

void tick_miss(struct tick *t, struct tick_slot *slot, int64_t now_ns, enum tick_miss why)
{
    uint64_t passed = take_due(slot, now_ns);
    if (passed == 0)
        return;
    atomic_store(&slot->missed, (uint8_t)why);
    count_missed(t, slot, passed, why);
}

void tick_settle(struct tick *t, struct tick_slot *slot, bool is_blocked)
{
    int64_t now_ns = (int64_t)clock_thread_cpu_ns() - (int64_t)slot->leeway_ns;
    uint64_t passed;
    if (slot->kind != TICK_JAVA || atomic_load(&slot->is_off))
        return;
    passed = take_due(slot, now_ns);
    if (is_blocked || atomic_load(&slot->missed) == TICK_SIGNAL_BLOCKED)
        count_missed(t, slot, passed, TICK_SIGNAL_BLOCKED);
    else
        atomic_fetch_add_explicit(&t->ended, passed, memory_order_relaxed);
}

static void rearm(struct tick_slot *slot)
{
    void *kernel_ring = atomic_load(&slot->kernel_ring);
    int fd = atomic_load(&slot->timer.fd);
    if (fd < 0)
        return;
    if (kernel_ring)
        kernel_ring_empty(kernel_ring);
    if (!slot->period_is_set) {
        uint64_t period = pace_period(&slot->pace, slot->interval_ns);
        slot->period_is_set = true;
        ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
        if (tick_goes_on(slot))
            ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    }
    if (!tick_goes_on(slot))
        ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
}

/* Add the kernel's frames, which come first. At least one place is left for the program's. */
static uint32_t add_kernel(struct tick *t, struct tick_slot *slot, uint32_t weight, void *ucontext,
                           struct walk_frame *frames)
{
    void *kernel_ring = atomic_load(&slot->kernel_ring);
    struct regs regs;
    int count;
    if (!kernel_ring)
        return 0;
    regs_of_ucontext(ucontext, &regs);
    count = kernel_ring_read(kernel_ring, t->kernel_page, &regs, frames, t->depth);
    if (count >= 0)
        return (uint32_t)count;
    atomic_fetch_add_explicit(&t->kernel_stale, weight, memory_order_relaxed);
    return 0;
}

/* Whether the walk begins in an own class. If so, the frames above it do not belong to the program
 * either. */
static bool begins_in_own(const struct walk_frame *frames, int32_t count)
{
    for (int32_t i = 0; i < count && i < OWN_CLASS_FRAMES; i++)
        if (frames[i].flags & WALK_FRAME_OWN)
            return true;
    return false;
}

static void leave(const struct tick *t, struct walk_request *request)
{
    if (t->walker->leave)
        t->walker->leave(request);
}

static int32_t walk_below(struct tick *t, struct walk_request *request, struct walk_frame *frames,
                          bool *ret_truncated)
{
    return t->walker->walk(request, frames + request->above, t->depth + 1 - request->above,
                           ret_truncated);
}

/* Write the kernel's frames and those of the walk to `frames`. Returns the same as walker.walk. */
static int32_t walk_both(struct tick *t, struct walk_request *request, struct walk_frame *frames,
                         bool *ret_truncated)
{
    int32_t count = walk_below(t, request, frames, ret_truncated);
    if (request->above > 0 && begins_in_own(frames + request->above, count)) {
        leave(t, request);
        request->above = 0;
        count = walk_below(t, request, frames, ret_truncated);
    }
    return count < 0 ? count : count + (int32_t)request->above;
}

static void lose(struct tick *t, struct tick_slot *slot, uint32_t weight)
{
    atomic_fetch_add_explicit(&slot->lost, weight, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->lost, weight, memory_order_release);
}

/* Publish a sample, as long as its frames need. If the ring fills, wake the drain thread. */
static void publish(struct tick *t, struct tick_slot *slot, struct tick_sample *s)
{
    uint32_t weight = s->weight;
    size_t frames = s->result > 0 ? (size_t)s->result : 0;
    enum ring_result result =
        ring_publish(&t->ring, s, sizeof(*s) + frames * sizeof(struct walk_frame));
    if (result == RING_LOST)
        lose(t, slot, weight);
    else if (result == RING_PUBLISHED_QUARTER || t->walker->is_later)
        t->wake();
}

static void sample(struct tick *t, struct tick_slot *slot, uint32_t weight, uint64_t now_ns,
                   void *ucontext)
{
    struct walk_request request = {
        .ucontext = ucontext, .jni_env = slot->jni_env, .java_thread = slot->java_thread};
    struct tick_sample *s;
    bool truncated = false;
    if (atomic_load_explicit(&slot->is_off, memory_order_relaxed))
        return;
    if (slot->kind == TICK_OTHER) {
        atomic_fetch_add_explicit(&slot->other_ticks, weight, memory_order_relaxed);
        if (!t->walks_all)
            return;
    }
    s = ring_claim(&t->ring);
    if (!s) {
        lose(t, slot, weight);
        return;
    }
    s->time_ns = now_ns;
    s->serial = slot->serial;
    s->weight = weight;
    scope_read(&s->scopes);
    request.above = add_kernel(t, slot, weight, ucontext, s->frames);
    s->result = walk_both(t, &request, s->frames, &truncated);
    if (s->result > (int32_t)t->depth) {
        s->result = (int32_t)t->depth;
        truncated = true;
    }
    s->truncated = truncated;
    publish(t, slot, s);
    leave(t, &request);
}

/* Whether the timer must change its period. The handler began at `begin_ns`, and at `cpu_ns` of the
 * thread's clock. The thread's clock costs more to read, so it is read again only if needed. */
static bool is_out_of_pace(struct tick_slot *slot, uint64_t begin_ns, uint64_t cpu_ns,
                           const void *ucontext)
{
    struct regs regs;
    if (tick_goes_on(slot)) {
        uint64_t took_ns = clock_monotonic_ns() - begin_ns;
        if (took_ns > slot->interval_ns / PACE_SLOW_PART)
            took_ns = clock_thread_cpu_ns() - cpu_ns;
        return pace_took(&slot->pace, slot->interval_ns, took_ns);
    }
    regs_of_ucontext(ucontext, &regs);
    return pace_found(&slot->pace, slot->interval_ns, &regs);
}

/* Keep the pace, so that signals never take all of the thread's time. */
static void keep_pace(struct tick_slot *slot, uint64_t begin_ns, uint64_t cpu_ns,
                      const void *ucontext)
{
    if (is_out_of_pace(slot, begin_ns, cpu_ns, ucontext))
        slot->period_is_set = false;
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
    int saved = errno;
    struct tick_slot *slot = NULL;
    enum whose whose = FOREIGN;
    struct tick *t;

    /* The handler is counted before it reads `active`. If `inside` is 0 after tick_stop(), no
     * handler uses a slot any more. */
    atomic_fetch_add(&inside, 1);
    t = atomic_load(&active);
    if (t)
        whose = whose_is(t, info, &slot);
    if (whose == OURS) {
        uint64_t begin_ns = clock_monotonic_ns(), cpu_ns = clock_thread_cpu_ns();
        uint32_t weight = weight_of(t, slot, cpu_ns);
        atomic_fetch_add_explicit(&t->signals, 1, memory_order_relaxed);
        if (weight > 0)
            sample(t, slot, weight, begin_ns, ucontext);
        else
            atomic_fetch_add_explicit(&t->early, 1, memory_order_relaxed);
        keep_pace(slot, begin_ns, cpu_ns, ucontext);
        rearm(slot);
    }
    atomic_fetch_sub(&inside, 1);
    if (whose == FOREIGN) {
        if (t)
            atomic_fetch_add_explicit(&t->foreign, 1, memory_order_relaxed);
        /* When sampling has ended, a timer of ours that fired just before it was deleted looks
         * foreign. Therefore, without `t`, only signals from a process or from ITIMER_PROF are
         * passed on. */
        if (t || info->si_code == SI_KERNEL || (info->si_code <= 0 && info->si_code != SI_TIMER))
            next_handler_call(&application[signal], signal, info, ucontext);
    }
    errno = saved;
}

/* Put our handler in. The application's handler is stored before ours can run. */
static int take_signal(int signal)
{
    struct sigaction ours, before;
    if (signal <= 0 || signal >= SIGNALS)
        return -EINVAL;
    if (sigaction(signal, NULL, &before) != 0)
        return -errno;
    if (!next_handler_is(&before, on_signal))
        application[signal] = before;
    memset(&ours, 0, sizeof(ours));
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    /* Block the signals of profilers: if such a signal interrupted our handler, the profiler's walk
     * would end in our handler. */
    sigemptyset(&ours.sa_mask);
    sigaddset(&ours.sa_mask, SIGPROF);
    sigaddset(&ours.sa_mask, SIGVTALRM);
    return sigaction(signal, &ours, NULL) == 0 ? 0 : -errno;
}

int tick_install(struct tick *t)
{
    int error;
    atomic_store(&active, t);
    error = take_signal(t->signal);
    atomic_store(&installed, error == 0 ? t->signal : 0);
    return error;
}

bool tick_has_signal(void)
{
    struct sigaction now;
    int signal = atomic_load(&installed);
    return !signal || sigaction(signal, NULL, &now) != 0 || next_handler_is(&now, on_signal);
}

bool tick_holds(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && next_handler_is(&now, on_signal);
}

int tick_reinstall(void)
{
    return !tick_has_signal() && take_signal(atomic_load(&installed)) == 0;
}

int tick_take(struct tick *t, int signal)
{
    int error = take_signal(signal);
    if (error)
        return error;
    t->signal = signal;
    atomic_store(&installed, signal);
    return 0;
}

void tick_stop(void)
{
    atomic_store(&active, NULL);
}

void tick_go_on(struct tick *t)
{
    atomic_store(&active, t);
}

bool tick_is_quiet(void)
{
    return atomic_load(&inside) == 0;
}

void tick_uninstall(void)
{
    /* If the application has no handler, ours stays and swallows signals that are still on their
     * way: the default action of these signals would end the process. */
    for (int signal = 1; signal < SIGNALS; signal++) {
        const struct sigaction *before = &application[signal];
        struct sigaction now;
        bool has_handler = (before->sa_flags & SA_SIGINFO) ||
                           (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
        if (has_handler && sigaction(signal, NULL, &now) == 0 && next_handler_is(&now, on_signal))
            sigaction(signal, before, NULL);
    }
}

struct tick_counts tick_counts(const struct tick *t)
{
    return (struct tick_counts){
        .signals = atomic_load(&t->signals),
        .early = atomic_load(&t->early),
        .foreign = atomic_load(&t->foreign),
        .lost = atomic_load(&t->lost),
        .ended = atomic_load(&t->ended),
        .blocked = atomic_load(&t->blocked),
        .missed = atomic_load(&t->missed),
        .kernel_stale = atomic_load(&t->kernel_stale),
    };
}
