/*
 * ttsp_watchpoint.c - see ttsp.h.
 *
 * A debug register of the processor watches one word while the VM Thread runs, and the kernel wakes
 * the waiting thread when the VM Thread has written the word. Nothing else costs anything: no page
 * is protected, no code is changed. Where the kernel, a container or a debugger that needs the
 * register refuses, the caller looks again and again instead.
 * Source: perf_event_open(2), PERF_TYPE_BREAKPOINT; HotSpot vmThread.cpp (the thread's name).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/timer/fd_room.h"
#include "agent/ttsp/ttsp.h"
#include "base/os_thread.h"

enum { RING_PAGES = 2 };

static size_t ring_bytes(void)
{
    return RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

/* The kernel's number of the VM Thread; 0: not found. */
static pid_t vm_thread(void)
{
    size_t count = 0;
    int32_t *list = os_thread_list(&count);
    pid_t found = 0;
    for (size_t i = 0; list && i < count && !found; i++) {
        char name[OS_THREAD_NAME_BYTES];
        os_thread_name(list[i], name);
        if (strcmp(name, "VM Thread") == 0)
            found = list[i];
    }
    free(list);
    return found;
}

static int open_event(uint64_t word, pid_t tid)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_BREAKPOINT;
    attr.bp_type = HW_BREAKPOINT_W;
    attr.bp_addr = word;
    attr.bp_len = HW_BREAKPOINT_LEN_4; /* the lower half of a counter changes each time */
    attr.sample_period = 1;
    attr.wakeup_events = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool ttsp_watchpoint_open(struct ttsp_watchpoint *w, uint64_t word)
{
    pid_t tid = word && fd_room_grants(0) ? vm_thread() : 0;
    int fd = tid ? open_event(word, tid) : -1;
    void *ring =
        fd >= 0 ? mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    w->is_open = ring != MAP_FAILED;
    if (fd >= 0 && !w->is_open)
        close(fd);
    w->fd = fd;
    w->ring = ring;
    return w->is_open;
}

void ttsp_watchpoint_close(struct ttsp_watchpoint *w)
{
    if (!w->is_open)
        return;
    munmap(w->ring, ring_bytes());
    close(w->fd);
    w->is_open = false;
}

bool ttsp_watchpoint_wait(struct ttsp_watchpoint *w, uint32_t ms)
{
    struct pollfd waited = {.fd = w->fd, .events = POLLIN};
    struct perf_event_mmap_page *head = w->ring;
    int count = poll(&waited, 1, (int)ms);
    if (count > 0 && (waited.revents & ~POLLIN)) {
        ttsp_watchpoint_close(w); /* the VM Thread has ended, or the kernel has taken it away */
        return false;
    }
    __atomic_store_n(&head->data_tail, __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    return count > 0;
}
