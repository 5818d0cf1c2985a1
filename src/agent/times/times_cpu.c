/*
 * times_cpu.c - see times_cpu.h.
 *
 * Asking the kernel for a thread's CPU time is a system call. Between two such calls the
 * processor's counter shows how much time has been added, as long as the thread has not left its
 * processor. A page that a perf event of the thread shares with it tells whether it has: the kernel
 * changes the word `lock` of the page each time that the thread comes back
 * (perf_event_update_userpage() when a software event is scheduled in). The time fields of the page
 * cannot be used, because guests of a hypervisor lack cap_user_time.
 *
 * An event lives as long as its page is mapped, so no descriptor is kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_cpu.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "agent/times/times_counter.h"
#include "base/os_thread.h"
#include "safe/clock.h"

enum {
    CALLS_FIRST = 500,    /* system calls that a thread makes before it gets a page */
    PAGES_MAX = 1024,     /* pages count as locked memory, of which a user may have little */
    TRUST_NS = NS_PER_MS, /* the counter is trusted for so long, as a host may stop the processor */
    TUNING_NS = 2000000,  /* how long the counter's rate is measured */
    RATE_SHIFT = 32,
};

/* The clock of an OS thread. */
struct os_clock {
    const volatile struct perf_event_mmap_page *page; /* NULL: none */
    uint32_t lock;             /* the page's word when the kernel was last asked */
    uint32_t calls;            /* system calls left before the thread may get a page */
    int64_t counter, ns;       /* both values at that time */
    int64_t highest;           /* the last value that the clock has given */
    struct times_cpu *current; /* the Java thread whose clock follows this one; NULL: unknown */
    int32_t tid;
};

static struct {
    pthread_key_t key;
    bool has_key, has_pages;
    uint64_t rate; /* ns per unit of the counter, << RATE_SHIFT */
    uint64_t trusted_units;
    _Atomic int pages;
} state;

static __thread struct os_clock *mine;

/* ---- clocks of OS threads */

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Map a page of the calling thread; NULL with errno set. */
static void *map_page(void)
{
    struct perf_event_attr attr;
    void *page;
    int fd, error;
    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.exclude_kernel = 1; /* otherwise an unprivileged process may not open the event */
    attr.exclude_hv = 1;
    fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return NULL;
    page = mmap(NULL, page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
    error = errno;
    close(fd);
    errno = error;
    return page == MAP_FAILED ? NULL : page;
}

static void give_page(struct os_clock *os)
{
    if (atomic_fetch_add(&state.pages, 1) < PAGES_MAX)
        os->page = map_page();
    if (!os->page)
        atomic_fetch_sub(&state.pages, 1);
}

/* The OS thread ends: free its clock. */
static void end(void *clock)
{
    struct os_clock *os = clock;
    mine = NULL;
    if (os->page) {
        munmap((void *)os->page, page_bytes());
        atomic_fetch_sub(&state.pages, 1);
    }
    free(os);
}

static struct os_clock *begin(void)
{
    struct os_clock *os = calloc(1, sizeof(*os));
    if (!os || !state.has_key || pthread_setspecific(state.key, os) != 0) {
        free(os);
        return NULL;
    }
    os->tid = (int32_t)gettid();
    return mine = os;
}

static int64_t show(struct os_clock *os, int64_t ns)
{
    if (ns > os->highest)
        os->highest = ns;
    return os->highest;
}

static int64_t ask_kernel(struct os_clock *os)
{
    int64_t before = times_counter_read();
    if (state.has_pages && !os->page && os->calls++ == CALLS_FIRST)
        give_page(os);
    if (os->page)
        os->lock = os->page->lock;
    os->ns = (int64_t)clock_thread_cpu_ns();
    os->counter = before + (times_counter_read() - before) / 2;
    return show(os, os->ns);
}

/*
 * The CPU time of the calling OS thread. If the page's `lock` is the same before and after reading
 * the counter, the thread has been on its processor since the kernel was asked.
 */
static int64_t read_os(struct os_clock *os)
{
    if (os->page && os->page->lock == os->lock) {
        uint64_t units = (uint64_t)(times_counter_read() - os->counter);
        if (os->page->lock == os->lock && units < state.trusted_units)
            return show(os, os->ns + (int64_t)(units * state.rate >> RATE_SHIFT));
    }
    return ask_kernel(os);
}

/* ---- clocks of Java threads */

/* Stop the clock `c`, if it follows `os`. */
static void halt(struct times_cpu *c, const struct os_clock *os, int64_t ns)
{
    if (c->os_thread != os->tid)
        return;
    c->last = ns + c->offset;
    __atomic_store_n(&c->os_thread, 0, __ATOMIC_RELEASE);
}

/* Make the clock `c` follow the clock of the OS thread `os` from now on. */
static void run_with(struct times_cpu *c, struct os_clock *os, int64_t ns)
{
    struct times_cpu *old = os->current;
    if (old && old != c && old->os_thread == os->tid)
        __atomic_store_n(&old->os_thread, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&c->os_thread, 0, __ATOMIC_RELEASE);
    if (c->last == 0)
        c->last = 1;
    __atomic_store_n(&c->offset, c->last - ns, __ATOMIC_RELEASE);
    __atomic_store_n(&c->os_thread, os->tid, __ATOMIC_RELEASE);
    os->current = c;
}

int64_t times_cpu_now(struct times_cpu *c)
{
    struct os_clock *os = mine ? mine : begin();
    int64_t ns;
    if (!os)
        return c->last;
    ns = read_os(os);
    if (os->current != c || c->os_thread != os->tid)
        run_with(c, os, ns);
    c->last = ns + c->offset;
    return c->last;
}

void times_cpu_mount(struct times_cpu *c)
{
    struct os_clock *os = mine ? mine : begin();
    int64_t ns;
    if (!os)
        return;
    ns = read_os(os);
    if (os->current && os->current != c)
        halt(os->current, os, ns);
    os->current = NULL;
    if (c)
        run_with(c, os, ns);
}

void times_cpu_unmount(struct times_cpu *c)
{
    struct os_clock *os = mine;
    if (!os || os->current != c)
        return;
    halt(c, os, read_os(os));
    os->current = NULL;
}

int64_t times_cpu_now_of(const struct times_cpu *c)
{
    int32_t tid = __atomic_load_n(&c->os_thread, __ATOMIC_ACQUIRE);
    int64_t offset = __atomic_load_n(&c->offset, __ATOMIC_ACQUIRE), ns = 0;
    struct timespec t;
    if (tid != 0 && clock_gettime(os_thread_clock(tid), &t) == 0)
        ns = (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec + offset;
    /* The values belong to one moment if the thread still follows the same OS thread. */
    if (__atomic_load_n(&c->os_thread, __ATOMIC_ACQUIRE) != tid ||
        __atomic_load_n(&c->offset, __ATOMIC_ACQUIRE) != offset)
        ns = 0;
    int64_t last = __atomic_load_n(&c->last, __ATOMIC_RELAXED);
    return ns > last ? ns : last;
}

/* ---- start */

static void tune(void)
{
    int64_t counter = times_counter_read(), units;
    uint64_t began = clock_monotonic_ns(), ns;
    while ((ns = clock_monotonic_ns() - began) < TUNING_NS)
        ;
    units = times_counter_read() - counter;
    state.rate = units > 0 ? (ns << RATE_SHIFT) / (uint64_t)units : 0;
    state.trusted_units = (uint64_t)units * TRUST_NS / ns;
}

int times_cpu_start(void)
{
    void *page;
    if (!state.has_key && pthread_key_create(&state.key, end) == 0)
        state.has_key = true;
    if (!times_counter_is_safe())
        return -ENOTSUP;
    page = map_page();
    if (!page)
        return -errno;
    munmap(page, page_bytes());
    tune();
    state.has_pages = state.rate > 0;
    return 0;
}
