/*
 * perf_attr.c - see perf_attr.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/perf_attr.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/err.h"

enum {
    OFTEN = 1000000, /* intervals: of events that come with nearly each cycle, */
    SELDOM = 1000,   /* of those that come some million times a second, */
    EACH = 1,        /* and of those that are worth a sample each */
    LEAST_OF_PROCESSOR = 1000,
    DIGITS = 20,
    HEX = 16,
    TRACEPOINTS_PATH = PERF_ATTR_NAME + 64,
};

/* A name and its other spelling, or NULL. */
struct named {
    const char *name, *other;
    uint32_t config, interval;
};

static const struct named of_processor[] = {
    {"cycles", "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES, OFTEN},
    {"instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS, OFTEN},
    {"cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES, OFTEN},
    {"cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES, SELDOM},
    {"branches", "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, OFTEN},
    {"branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES, SELDOM},
    {"bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES, OFTEN},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     OFTEN},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, OFTEN},
    {"ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES, OFTEN},
    {0},
};

static const struct named of_kernel[] = {
    {"page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS, EACH},
    {"minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN, EACH},
    {"major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ, EACH},
    {"context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES, EACH},
    {"cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS, EACH},
    {"alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS, EACH},
    {"emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS, EACH},
    {0},
};

/* The events of caches, as "CACHE-ACCESS": the number is cache | access << 8 | result << 16. */
enum { READS = 1, WRITES = 2, PREFETCHES = 4, ACCESS_SHIFT = 8, RESULT_SHIFT = 16 };

static const struct {
    const char *name;
    uint32_t cache, accesses;
} caches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D, READS | WRITES | PREFETCHES},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I, READS | PREFETCHES},
    {"LLC", PERF_COUNT_HW_CACHE_LL, READS | WRITES | PREFETCHES},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB, READS | WRITES | PREFETCHES},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB, READS},
    {"branch", PERF_COUNT_HW_CACHE_BPU, READS},
    {"node", PERF_COUNT_HW_CACHE_NODE, READS | WRITES | PREFETCHES},
};

static const struct {
    const char *name;
    uint32_t access, op, result, interval;
} accesses[] = {
    {"loads", READS, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS, OFTEN},
    {"load-misses", READS, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS, SELDOM},
    {"stores", WRITES, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS, OFTEN},
    {"store-misses", WRITES, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS, SELDOM},
    {"prefetches", PREFETCHES, PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS,
     OFTEN},
    {"prefetch-misses", PREFETCHES, PERF_COUNT_HW_CACHE_OP_PREFETCH,
     PERF_COUNT_HW_CACHE_RESULT_MISS, SELDOM},
};

const char *perf_attr_word(unsigned i)
{
    const unsigned processor = sizeof(of_processor) / sizeof(*of_processor) - 1;
    const unsigned kernel = sizeof(of_kernel) / sizeof(*of_kernel) - 1;
    return i < processor            ? of_processor[i].name
           : i < processor + kernel ? of_kernel[i - processor].name
                                    : NULL;
}

static const struct named *find(const struct named *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0 || (rows->other && strcmp(rows->other, name) == 0))
            return rows;
    return NULL;
}

static void take_name(struct perf_attr *ret, const char *name)
{
    snprintf(ret->name, sizeof(ret->name), "%s", name);
}

static int take_row(const struct named *row, uint32_t type, struct perf_attr *ret)
{
    take_name(ret, row->name);
    ret->type = type;
    ret->config = row->config;
    ret->interval = row->interval;
    ret->least = type == PERF_TYPE_HARDWARE ? LEAST_OF_PROCESSOR : 1;
    if (type == PERF_TYPE_SOFTWARE) {
        ret->is_switch = row->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
        ret->is_in_kernel = ret->is_switch || row->config == PERF_COUNT_SW_CPU_MIGRATIONS;
    }
    return 0;
}

static int take_cache(const char *name, struct perf_attr *ret)
{
    for (size_t c = 0; c < sizeof(caches) / sizeof(*caches); c++) {
        size_t len = strlen(caches[c].name);
        if (strncmp(name, caches[c].name, len) != 0 || name[len] != '-')
            continue;
        for (size_t a = 0; a < sizeof(accesses) / sizeof(*accesses); a++) {
            if (strcmp(name + len + 1, accesses[a].name) != 0 ||
                !(caches[c].accesses & accesses[a].access))
                continue;
            take_name(ret, name);
            ret->type = PERF_TYPE_HW_CACHE;
            ret->config = caches[c].cache | accesses[a].op << ACCESS_SHIFT |
                          accesses[a].result << RESULT_SHIFT;
            ret->interval = accesses[a].interval;
            ret->least = LEAST_OF_PROCESSOR;
            return 0;
        }
    }
    return E_NOT_FOUND;
}

/* rNNN: at most 16 hexadecimal digits. */
static int take_raw(const char *name, struct perf_attr *ret)
{
    size_t digits = strspn(name + (*name != '\0'), "0123456789abcdefABCDEF");
    if (name[0] != 'r' || digits == 0 || digits > HEX || name[1 + digits])
        return E_NOT_FOUND;
    take_name(ret, name);
    ret->type = PERF_TYPE_RAW;
    ret->config = strtoull(name + 1, NULL, HEX);
    ret->interval = SELDOM;
    ret->least = LEAST_OF_PROCESSOR;
    return 0;
}

static uint32_t access_of(const char *letters)
{
    uint32_t access = 0;
    for (; *letters; letters++) {
        uint32_t bit = *letters == 'r'   ? HW_BREAKPOINT_R
                       : *letters == 'w' ? HW_BREAKPOINT_W
                       : *letters == 'x' ? HW_BREAKPOINT_X
                                         : 0;
        if (!bit)
            return 0;
        access |= bit;
    }
    return access;
}

/* mem:ADDRESS[/LENGTH][:rwx], as perf writes it. Without letters loads and stores count. */
static int take_breakpoint(const char *name, struct perf_attr *ret)
{
    static const char prefix[] = "mem:";
    char *end;
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
        return E_NOT_FOUND;
    if (!isdigit((unsigned char)name[sizeof(prefix) - 1]))
        return E_SYNTAX;
    errno = 0;
    ret->address = strtoull(name + sizeof(prefix) - 1, &end, 0);
    ret->length = HW_BREAKPOINT_LEN_4;
    ret->access = HW_BREAKPOINT_RW;
    bool has_length = *end == '/';
    if (has_length)
        ret->length = (uint32_t)strtoul(end + 1, &end, 10);
    if (*end == ':') {
        ret->access = access_of(end + 1);
        end += strlen(end);
    }
    if (ret->access == HW_BREAKPOINT_X && !has_length)
        ret->length = sizeof(long);
    if (*end || errno || !ret->access || !ret->length || ret->length > HW_BREAKPOINT_LEN_8 ||
        (ret->length & (ret->length - 1)))
        return E_SYNTAX;
    take_name(ret, name);
    ret->type = PERF_TYPE_BREAKPOINT;
    ret->interval = EACH;
    ret->least = 1;
    return 0;
}

/* uprobe:LIBRARY:FUNCTION. */
static int take_uprobe(const char *name, struct perf_attr *ret)
{
    static const char prefix[] = "uprobe:";
    const size_t library = sizeof(prefix) - 1;
    if (strncmp(name, prefix, library) != 0)
        return E_NOT_FOUND;
    size_t len = strcspn(name + library, ":");
    const char *symbol = name + library + len + 1;
    if (len == 0 || name[library + len] == '\0' || *symbol == '\0' || strchr(symbol, ':'))
        return E_SYNTAX;
    take_name(ret, name);
    ret->type = PERF_TYPE_BREAKPOINT;
    ret->library = (uint32_t)library;
    ret->symbol = (uint32_t)(symbol - name);
    ret->length = sizeof(long);
    ret->access = HW_BREAKPOINT_X;
    ret->interval = EACH;
    ret->least = 1;
    return 0;
}

static int open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* The number in a file, which is closed; `fd` may be an error. */
static int take_number(int fd, uint64_t *ret)
{
    char text[DIGITS + 2] = "";
    if (fd < 0)
        return fd;
    ssize_t len = read(fd, text, sizeof(text) - 1);
    int error = len < 0 ? -errno : 0;
    close(fd);
    if (!error && !isdigit((unsigned char)text[0]))
        error = -EINVAL;
    if (!error)
        *ret = strtoull(text, NULL, 10);
    return error;
}

/* The number that the kernel has given to a unit. */
static uint32_t unit_of(const char *name)
{
    char path[TRACEPOINTS_PATH];
    uint64_t number = 0;
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
    return take_number(open_file(path), &number) == 0 ? (uint32_t)number : PERF_ATTR_NO_UNIT;
}

/* kprobe:FUNCTION and kretprobe:FUNCTION. Bit 0 of the number asks for the returns; the file
 * format/retprobe of the unit says so. */
static int take_kprobe(const char *name, struct perf_attr *ret)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    static const char *const prefixes[] = {"kprobe:", "kretprobe:"};
    for (unsigned is_return = 0; is_return < 2; is_return++) {
        size_t len = strlen(prefixes[is_return]);
        if (strncmp(name, prefixes[is_return], len) != 0)
            continue;
        if (name[len] == '\0' || name[len + strspn(name + len, letters)] != '\0')
            return E_SYNTAX;
        take_name(ret, name);
        ret->type = unit_of("kprobe");
        ret->config = is_return;
        ret->function = (uint32_t)len;
        ret->interval = EACH;
        ret->least = 1;
        ret->is_in_kernel = true;
        return 0;
    }
    return E_NOT_FOUND;
}

int perf_attr_tracepoint_file(const char *name, const char *file)
{
    static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t system = strspn(name, letters), event = 0;
    int error = -ENOENT;
    if (system > 0 && name[system] == ':')
        event = strspn(name + system + 1, letters);
    if (event == 0 || name[system + 1 + event])
        return E_NOT_FOUND;
    for (int i = 0; i < 2; i++) {
        char path[TRACEPOINTS_PATH];
        snprintf(path, sizeof(path), "%s/events/%.*s/%s/%s", folders[i], (int)system, name,
                 name + system + 1, file);
        int fd = open_file(path);
        if (fd >= 0)
            return fd;
        if (error == -ENOENT)
            error = fd;
    }
    return error;
}

static int take_tracepoint(const char *name, struct perf_attr *ret)
{
    int fd = perf_attr_tracepoint_file(name, "id");
    if (fd == E_NOT_FOUND)
        return fd;
    int error = take_number(fd, &ret->config);
    take_name(ret, name);
    ret->type = PERF_TYPE_TRACEPOINT;
    ret->interval = EACH;
    ret->least = 1;
    ret->is_in_kernel = true;
    /* the thread is about to leave its processor, as for context-switches */
    ret->is_switch = strcmp(name, "sched:sched_switch") == 0;
    return error;
}

int perf_attr_named(const char *name, struct perf_attr *ret)
{
    const struct named *row;
    memset(ret, 0, sizeof(*ret));
    if (strlen(name) >= sizeof(ret->name))
        return E_NOT_FOUND;
    if ((row = find(of_processor, name)) != NULL)
        return take_row(row, PERF_TYPE_HARDWARE, ret);
    if ((row = find(of_kernel, name)) != NULL)
        return take_row(row, PERF_TYPE_SOFTWARE, ret);
    int error = take_cache(name, ret);
    if (error == E_NOT_FOUND)
        error = take_raw(name, ret);
    if (error == E_NOT_FOUND)
        error = take_breakpoint(name, ret);
    if (error == E_NOT_FOUND)
        error = take_kprobe(name, ret);
    if (error == E_NOT_FOUND)
        error = take_uprobe(name, ret);
    return error == E_NOT_FOUND ? take_tracepoint(name, ret) : error;
}

void perf_attr_fill(const struct perf_attr *event, uint64_t interval, bool sees_kernel,
                    struct perf_event_attr *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->size = sizeof(*ret);
    ret->type = event->type;
    ret->config = event->config;
    ret->sample_period = interval;
    ret->sample_type = PERF_SAMPLE_IP;
    ret->wakeup_events = 1;
    ret->disabled = 1;
    ret->exclude_hv = 1;
    ret->exclude_kernel = !sees_kernel;
    if (event->type == PERF_TYPE_BREAKPOINT) {
        ret->bp_addr = event->address;
        ret->bp_len = event->length;
        ret->bp_type = event->access;
    }
    if (event->function)
        ret->kprobe_func = (uint64_t)(uintptr_t)(event->name + event->function);
}

int perf_attr_open(const struct perf_event_attr *attr, int tid)
{
    long fd = syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

/* ---- why an event cannot be had */

static bool is_refused(int error)
{
    return error == -EACCES || error == -EPERM;
}

static void say_missing(const struct perf_attr *event, char *ret_why, size_t size)
{
    bool is_of_processor = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
                           event->type == PERF_TYPE_RAW;
    if (is_of_processor)
        snprintf(ret_why, size,
                 "this machine has no such counter of the processor, as most virtual machines; "
                 "what runs everywhere is cpu for time, and page-faults or context-switches");
    else
        snprintf(ret_why, size, "this kernel has no such event");
}

int perf_attr_probe(const struct perf_attr *event, bool *ret_sees_kernel, char *ret_why,
                    size_t size)
{
    struct perf_event_attr attr;
    *ret_sees_kernel = true;
    if (event->type == PERF_ATTR_NO_UNIT) {
        snprintf(ret_why, size, "this kernel has no such probes (CONFIG_KPROBE_EVENTS)");
        return -ENOENT;
    }
    perf_attr_fill(event, event->interval, true, &attr);
    int fd = perf_attr_open(&attr, 0);
    if (is_refused(fd) && !event->is_in_kernel) {
        *ret_sees_kernel = false;
        attr.exclude_kernel = 1;
        fd = perf_attr_open(&attr, 0);
    }
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    if (event->function && (fd == -ENOENT || fd == -EINVAL || fd == -EADDRNOTAVAIL))
        snprintf(ret_why, size, "this kernel has no function of that name that may be probed");
    else if (is_refused(fd))
        snprintf(ret_why, size,
                 "perf_event_open is refused: it takes CAP_PERFMON%s, and seccomp rules that allow "
                 "it in a container",
                 event->is_in_kernel ? ", or kernel.perf_event_paranoid at 1 or below" : "");
    else if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV || fd == -EINVAL)
        say_missing(event, ret_why, size);
    else
        snprintf(ret_why, size, "perf_event_open does not work here (%s)", err_text(fd));
    return fd;
}
