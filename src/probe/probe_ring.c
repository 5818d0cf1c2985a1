/*
 * probe_ring.c - see probe_ring.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_ring.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "probe/probe_bpf.h"

enum {
    RING_PAGES = 128,            /* of each processor, a power of two */
    WAKE_PAGES = RING_PAGES / 4, /* with so many pages of records whoever waits is woken */
    RINGS_BYTES = 64 << 20, /* of all processors if stacks are copied, and the kernel allows it */
    PROCESSORS_MOST = 1024,
    RECORD_MOST = 1 << 16,
    EVENTS_A_STEP = 64,
    SPARE_FDS = 64, /* descriptors that this process needs for other things */
};

/* The number in a file of the kernel's unit, behind `before`. -1: there is no such file. */
static int unit_number(const char *name, const char *before)
{
    char path[96], text[64] = "";
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/uprobe/%s", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    return len > 0 && strncmp(text, before, strlen(before)) == 0
               ? (int)strtol(text + strlen(before), NULL, 10)
               : -1;
}

/* The numbers of asm/perf_regs.h, of the CPU for which this is compiled. */
enum {
#if defined(__aarch64__)
    REG_FP = 29,
    REG_LR = 30,
    REG_SP = 31,
    REG_PC = 32,
#else
    REG_FP = 6,
    REG_SP = 7,
    REG_PC = 8,
    REG_LR = REG_PC, /* there is none */
#endif
};

uint64_t probe_ring_walk_registers(void)
{
    return UINT64_C(1) << REG_FP | UINT64_C(1) << REG_SP | UINT64_C(1) << REG_PC |
           UINT64_C(1) << REG_LR;
}

bool probe_ring_regs(const struct probe_ring_hit *hit, struct regs *ret)
{
    *ret = (struct regs){.pc = hit->registers[REG_PC],
                         .sp = hit->registers[REG_SP],
                         .fp = hit->registers[REG_FP],
                         .lr = REG_LR == REG_PC ? 0 : hit->registers[REG_LR]};
    return (hit->known & probe_ring_walk_registers()) == probe_ring_walk_registers();
}

uint64_t probe_ring_stack_register(void)
{
    return UINT64_C(1) << REG_SP;
}

uint64_t probe_ring_call(const struct probe_ring_hit *hit, bool is_return)
{
    if (!(hit->known & probe_ring_stack_register()))
        return 0;
    return hit->registers[REG_SP] - (is_return && REG_LR == REG_PC ? sizeof(uint64_t) : 0);
}

uint64_t probe_ring_return_address(const struct probe_ring_hit *hit)
{
    uint64_t address = 0;
    if (REG_LR != REG_PC)
        return hit->known & UINT64_C(1) << REG_LR ? hit->registers[REG_LR] : 0;
    if (hit->stack && hit->stack_bytes >= sizeof(address))
        memcpy(&address, hit->stack, sizeof(address));
    return address;
}

int probe_ring_open(struct probe_ring *r, uint64_t registers, uint32_t stack_bytes)
{
    const size_t least = (size_t)RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    *r = (struct probe_ring){.type = unit_number("type", ""),
                             .counter_shift = unit_number("format/ref_ctr_offset", "config:"),
                             .return_bit = unit_number("format/retprobe", "config:"),
                             .registers = registers,
                             .stack_bytes = stack_bytes,
                             .processors = (int)sysconf(_SC_NPROCESSORS_CONF),
                             .bytes = least};
    while (stack_bytes > PROBE_RING_STACK && r->bytes * 2 * (size_t)r->processors <= RINGS_BYTES)
        r->bytes *= 2;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    r->of = calloc((size_t)r->processors, sizeof(*r->of));
    r->record = malloc(RECORD_MOST);
    if (!r->of || !r->record)
        return -ENOMEM;
    for (int cpu = 0; cpu < r->processors; cpu++)
        r->of[cpu].fd = -1;
    return r->type < 0 ? -ENOENT : 0;
}

/* What all events have. */
static struct perf_event_attr attr_of(const struct probe_ring_shape *shape, uint32_t stack_bytes)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.sample_period = 1;
    attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       (shape->is_output ? PERF_SAMPLE_CALLCHAIN : 0) |
                       (shape->is_output || shape->has_site ? PERF_SAMPLE_RAW : 0) |
                       (shape->registers ? PERF_SAMPLE_REGS_USER : 0) |
                       (shape->has_stack ? PERF_SAMPLE_STACK_USER : 0);
    attr.sample_regs_user = shape->registers;
    attr.sample_stack_user = shape->has_stack ? stack_bytes : 0;
    attr.exclude_callchain_user = shape->is_output;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.watermark = 1;
    attr.wakeup_watermark = WAKE_PAGES * (uint32_t)sysconf(_SC_PAGESIZE);
    attr.disabled = 1;
    return attr;
}

static struct probe_ring_shape shape_of(const struct probe_ring *r)
{
    return (struct probe_ring_shape){.registers = r->registers, .has_stack = r->stack_bytes > 0};
}

struct perf_event_attr probe_ring_attr(const struct probe_ring *r,
                                       const struct probe_ring_place *place)
{
    const struct probe_ring_shape shape = shape_of(r);
    struct perf_event_attr attr = attr_of(&shape, r->stack_bytes);
    attr.type = (uint32_t)r->type;
    if (place->semaphore && r->counter_shift >= 0)
        attr.config |= place->semaphore << r->counter_shift;
    if (place->is_return && r->return_bit >= 0)
        attr.config |= UINT64_C(1) << r->return_bit;
    attr.uprobe_path = (uint64_t)(uintptr_t)place->path;
    attr.probe_offset = place->offset;
    return attr;
}

static void *map_ring(const struct probe_ring *r, int fd)
{
    return mmap(NULL, r->bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
                fd, 0);
}

/* Share the memory of the first descriptor of a processor; others write into it. All rings have the
 * size that the kernel allows for the first. Errors: -errno. */
static int join_ring(struct probe_ring *r, struct probe_ring_of *of, int fd)
{
    const size_t least = (size_t)RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
    if (of->fd >= 0)
        return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, of->fd) == 0 ? 0 : -errno;
    void *page = map_ring(r, fd);
    while (page == MAP_FAILED && errno == EPERM && r->count == 0 && r->bytes > least) {
        r->bytes /= 2;
        page = map_ring(r, fd);
    }
    if (page == MAP_FAILED)
        return -errno;
    of->page = page;
    of->fd = fd;
    return 0;
}

static int keep_event(struct probe_ring *r, int fd, uint32_t site,
                      const struct probe_ring_shape *shape)
{
    if (r->count == r->room) {
        struct probe_ring_event *events =
            reallocarray(r->events, r->room + EVENTS_A_STEP, sizeof(*events));
        if (!events)
            return -ENOMEM;
        r->events = events;
        r->room += EVENTS_A_STEP;
    }
    r->events[r->count] = (struct probe_ring_event){.fd = fd, .site = site, .shape = *shape};
    if (ioctl(fd, PERF_EVENT_IOC_ID, &r->events[r->count].id) != 0)
        return -errno;
    r->count++;
    return 0;
}

/* Open an event on each processor. `map`: of the descriptors by processor; -1: there is none. */
static int add_events(struct probe_ring *r, struct perf_event_attr *attr, uint32_t site,
                      const struct probe_ring_shape *shape, int map)
{
    for (int cpu = 0; cpu < r->processors; cpu++) {
        /* one event of a processor tells of all threads that end there */
        attr->task = r->has_exits && r->of[cpu].fd < 0;
        int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0 && errno == ENODEV)
            continue; /* the processor is switched off */
        int error = fd < 0 ? -errno : join_ring(r, &r->of[cpu], fd);
        if (!error)
            error = keep_event(r, fd, site, shape);
        if (error) {
            if (fd >= 0 && r->of[cpu].fd != fd)
                close(fd);
            return error;
        }
        error = map < 0 ? 0 : probe_bpf_put(map, &cpu, &fd);
        if (error)
            return error;
    }
    return 0;
}

int probe_ring_add(struct probe_ring *r, const struct probe_ring_place *place)
{
    const struct probe_ring_shape shape = shape_of(r);
    struct perf_event_attr attr = probe_ring_attr(r, place);
    if ((place->semaphore && r->counter_shift < 0) || (place->is_return && r->return_bit < 0))
        return -EOPNOTSUPP;
    return add_events(r, &attr, place->site, &shape, -1);
}

/* Events into which a program writes, and the map by which it finds that of its processor. */
static int add_written(struct probe_ring *r, uint32_t site, const struct probe_ring_shape *shape,
                       int *ret_map)
{
    struct perf_event_attr attr = attr_of(shape, r->stack_bytes);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_BPF_OUTPUT;
    *ret_map = probe_bpf_new_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(int), sizeof(int),
                                 (uint32_t)r->processors);
    return *ret_map < 0 ? *ret_map : add_events(r, &attr, site, shape, *ret_map);
}

int probe_ring_add_output(struct probe_ring *r, uint32_t site, bool has_stack, int *ret_map)
{
    const struct probe_ring_shape shape = {.registers = has_stack ? r->registers : 0,
                                           .has_stack = has_stack && r->stack_bytes > 0,
                                           .is_output = true};
    return add_written(r, site, &shape, ret_map);
}

int probe_ring_add_sites(struct probe_ring *r, uint32_t sites, int *ret_map)
{
    struct probe_ring_shape shape = shape_of(r);
    shape.has_site = true;
    return add_written(r, sites, &shape, ret_map);
}

void probe_ring_start(struct probe_ring *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        ioctl(r->events[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

bool probe_ring_wait(struct probe_ring *r, int ms)
{
    struct pollfd fds[PROCESSORS_MOST];
    nfds_t count = 0;
    for (int cpu = 0; cpu < r->processors && count < PROCESSORS_MOST; cpu++)
        if (r->of[cpu].fd >= 0)
            fds[count++] = (struct pollfd){.fd = r->of[cpu].fd, .events = POLLIN};
    return poll(fds, count, ms) > 0;
}

/* ---- records */

/* Words of 8 bytes of a record, from `at` on. */
struct words {
    const unsigned char *bytes;
    size_t len, at;
};

static bool take_word(struct words *w, uint64_t *ret)
{
    if (w->len - w->at < sizeof(*ret))
        return false;
    memcpy(ret, w->bytes + w->at, sizeof(*ret));
    w->at += sizeof(*ret);
    return true;
}

static bool take_registers(struct words *w, uint64_t registers, struct probe_ring_hit *hit)
{
    uint64_t abi;
    if (!registers)
        return true;
    if (!take_word(w, &abi))
        return false;
    for (int i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < PROBE_RING_REGISTERS; i++)
        if ((registers >> i & 1) && !take_word(w, &hit->registers[i]))
            return false;
    hit->known = abi == PERF_SAMPLE_REGS_ABI_64 ? registers : 0;
    return true;
}

static bool take_stack(struct words *w, struct probe_ring_hit *hit)
{
    uint64_t size, used;
    if (!take_word(w, &size))
        return false;
    if (size == 0)
        return true;
    if (size > w->len - w->at)
        return false;
    hit->stack = w->bytes + w->at;
    w->at += size;
    if (!take_word(w, &used) || used > size)
        return false;
    hit->stack_bytes = used;
    return true;
}

/* The addresses in the kernel, between which marks stand that say whose they are. */
static bool take_chain(struct words *w, struct probe_ring_hit *hit)
{
    uint64_t count;
    if (!take_word(w, &count) || count > (w->len - w->at) / sizeof(uint64_t))
        return false;
    hit->chain = w->bytes + w->at;
    hit->chain_count = count;
    w->at += count * sizeof(uint64_t);
    return true;
}

/* A number of 4 bytes, and so many bytes that end where a word ends. */
static bool take_raw(struct words *w, struct probe_ring_hit *hit)
{
    uint32_t size;
    if (w->len - w->at < sizeof(size))
        return false;
    memcpy(&size, w->bytes + w->at, sizeof(size));
    if (size > w->len - w->at - sizeof(size))
        return false;
    hit->raw = w->bytes + w->at + sizeof(size);
    hit->raw_bytes = size;
    w->at += sizeof(size) + size;
    return true;
}

uint64_t probe_ring_id(const unsigned char *bytes, size_t len)
{
    struct words w = {bytes, len, 0};
    uint64_t id;
    return take_word(&w, &id) ? id : 0;
}

/* What a program at uprobes wrote. */
static bool take_site(struct words *w, struct probe_ring_hit *hit)
{
    if (!take_raw(w, hit) || hit->raw_bytes < sizeof(hit->site))
        return false;
    memcpy(&hit->site, hit->raw, sizeof(hit->site));
    return true;
}

int probe_ring_parse(const unsigned char *bytes, size_t len, const struct probe_ring_shape *shape,
                     struct probe_ring_hit *ret)
{
    struct words w = {bytes, len, 0};
    uint64_t id, ids;
    *ret = (struct probe_ring_hit){0};
    if (!take_word(&w, &id) || !take_word(&w, &ids) || !take_word(&w, &ret->time_ns) ||
        (shape->is_output && (!take_chain(&w, ret) || !take_raw(&w, ret))) ||
        (shape->has_site && !take_site(&w, ret)) || !take_registers(&w, shape->registers, ret) ||
        (shape->has_stack && !take_stack(&w, ret)))
        return E_FORMAT;
    ret->pid = (pid_t)(uint32_t)ids;
    ret->tid = (pid_t)(uint32_t)(ids >> 32);
    return 0;
}

/* Ids grow with the descriptors, so they are sorted. */
static const struct probe_ring_event *event_of(const struct probe_ring *r, uint64_t id)
{
    uint32_t low = 0, high = r->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->events[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && r->events[low].id == id ? &r->events[low] : NULL;
}

/* Copy `len` bytes of the ring from `at` on, which may go round its end. */
static void copy(const struct probe_ring *r, const struct probe_ring_of *of, uint64_t at, void *to,
                 size_t len)
{
    const unsigned char *ring = (const unsigned char *)of->page + sysconf(_SC_PAGESIZE);
    size_t from = (size_t)(at % r->bytes), first = r->bytes - from < len ? r->bytes - from : len;
    memcpy(to, ring + from, first);
    memcpy((unsigned char *)to + first, ring, len - first);
}

/* The numbers of PERF_RECORD_EXIT. Source: linux/perf_event.h. */
struct ended {
    uint32_t pid, parent_pid, tid, parent_tid;
    uint64_t time_ns;
};

static void take_sample(struct probe_ring *r, size_t len, const struct probe_ring_taker *taker)
{
    struct probe_ring_hit hit;
    const struct probe_ring_event *event = event_of(r, probe_ring_id(r->record, len));
    if (!event || probe_ring_parse(r->record, len, &event->shape, &hit) != 0)
        return;
    if (event->shape.has_site && hit.site >= event->site)
        return;
    if (!event->shape.has_site)
        hit.site = event->site;
    taker->hit(taker->with, &hit);
}

static void take_record(struct probe_ring *r, const struct perf_event_header *head,
                        const struct probe_ring_taker *taker)
{
    uint64_t lost[2];
    struct ended ended;
    size_t len = head->size - sizeof(*head);
    if (head->type == PERF_RECORD_LOST && len >= sizeof(lost)) {
        memcpy(lost, r->record, sizeof(lost));
        r->lost += lost[1];
        if (taker->lost)
            taker->lost(taker->with, lost[1]);
    }
    if (head->type == PERF_RECORD_EXIT && len >= sizeof(ended) && taker->exit) {
        memcpy(&ended, r->record, sizeof(ended));
        taker->exit(taker->with, (pid_t)ended.pid, (pid_t)ended.tid);
    }
    if (head->type == PERF_RECORD_SAMPLE)
        take_sample(r, len, taker);
}

/* Look at the first record that is left in a ring. Records without a time are as old as can be. */
static void look_ahead(const struct probe_ring *r, struct probe_ring_of *of)
{
    /* behind the header stand id and thread of a hit, or the four numbers of `ended` */
    const size_t before_time = sizeof(struct perf_event_header) + 2 * sizeof(uint64_t);
    struct perf_event_header record;
    of->is_read = true;
    if (of->head - of->tail < sizeof(record))
        return;
    copy(r, of, of->tail, &record, sizeof(record));
    if (record.size < sizeof(record) || record.size > of->head - of->tail)
        return;
    of->is_read = false;
    of->next_ns = 0;
    if ((record.type == PERF_RECORD_SAMPLE || record.type == PERF_RECORD_EXIT) &&
        record.size >= before_time + sizeof(of->next_ns))
        copy(r, of, of->tail + before_time, &of->next_ns, sizeof(of->next_ns));
}

/* Take the first record of a ring. */
static void take_first(struct probe_ring *r, struct probe_ring_of *of,
                       const struct probe_ring_taker *taker)
{
    struct perf_event_header record;
    copy(r, of, of->tail, &record, sizeof(record));
    copy(r, of, of->tail + sizeof(record), r->record, record.size - sizeof(record));
    take_record(r, &record, taker);
    of->tail += record.size;
    __atomic_store_n(&of->page->data_tail, of->tail, __ATOMIC_RELEASE);
    look_ahead(r, of);
}

bool probe_ring_read(struct probe_ring *r, uint64_t until_ns, const struct probe_ring_taker *taker)
{
    for (int cpu = 0; cpu < r->processors; cpu++) {
        struct probe_ring_of *of = &r->of[cpu];
        of->is_read = true;
        if (!of->page)
            continue;
        of->head = __atomic_load_n(&of->page->data_head, __ATOMIC_ACQUIRE);
        of->tail = of->page->data_tail;
        look_ahead(r, of);
    }
    for (;;) {
        struct probe_ring_of *oldest = NULL;
        for (int cpu = 0; cpu < r->processors; cpu++) {
            struct probe_ring_of *of = &r->of[cpu];
            if (!of->is_read && (!oldest || of->next_ns < oldest->next_ns))
                oldest = of;
        }
        if (!oldest || oldest->next_ns > until_ns)
            return oldest != NULL;
        take_first(r, oldest, taker);
    }
}

bool probe_ring_is_filling(const struct probe_ring *r)
{
    for (int cpu = 0; cpu < r->processors; cpu++) {
        const struct perf_event_mmap_page *page = r->of[cpu].page;
        if (page &&
            __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) - page->data_tail > r->bytes / 4)
            return true;
    }
    return false;
}

/* The child holds the descriptors until this process has ended and its own end of the pipe is
 * closed. It keeps nothing else that somebody could wait for. */
static void leave_to_child(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child != 0) {
        close(ends[0]); /* the other end is closed when this process ends */
        return;
    }
    char byte;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    close(ends[1]);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

void probe_ring_close(struct probe_ring *r)
{
    bool has_uprobes = false;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct probe_ring_shape *shape = &r->events[i].shape;
        ioctl(r->events[i].fd, PERF_EVENT_IOC_DISABLE, 0);
        has_uprobes |= !shape->is_output && !shape->has_site;
    }
    if (has_uprobes)
        leave_to_child();
    free(r->events);
    free(r->of);
    free(r->record);
    r->events = NULL;
    r->of = NULL;
    r->record = NULL;
    r->count = 0;
}
