/*
 * load_look.c - see load_look.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/load/load_look.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "hotspot/perf_counter.h"
#include "safe/clock.h"
#include "safe/mem.h"

enum {
    BYTES_PER_KB = 1024,
    FILE_BYTES = 4096, /* read from the beginning of a file */
    MOMENT_TRIES = 4,
    MOMENT_NS = NS_PER_MS, /* values that were read within this time belong to one moment */
};

/* Read the beginning of a file as a text; "": the file cannot be read. */
static void read_text(const char *path, char ret[FILE_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, ret, FILE_BYTES - 1) : 0;
    ret[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

static uint64_t ns_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * NS_PER_US;
}

/*
 * The busy time in the first line of /proc/stat: user nice system idle iowait irq softirq steal, in
 * clock ticks. Steal, time that the hypervisor gave to another machine, is left out.
 */
static uint64_t machine_ns(void)
{
    enum { USER, NICE, SYSTEM, IDLE, WAIT, IRQ, SOFT, FIELDS };
    char text[FILE_BYTES], *at = text + strlen("cpu "), *end;
    uint64_t field[FIELDS];
    long ticks = sysconf(_SC_CLK_TCK);
    read_text("/proc/stat", text);
    if (strncmp(text, "cpu ", strlen("cpu ")) != 0 || ticks <= 0)
        return 0;
    for (int i = 0; i < FIELDS; i++, at = end) {
        field[i] = strtoull(at, &end, 10);
        if (end == at)
            return 0;
    }
    return (field[USER] + field[NICE] + field[SYSTEM] + field[IRQ] + field[SOFT]) *
           (NS_PER_S / (uint64_t)ticks);
}

/*
 * All values must belong to one moment, so they are read again if the thread lost its processor in
 * between.
 */
void load_look_cpu(struct load_look_cpu *ret)
{
    struct rusage usage = {0};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t begin_ns, machine;
    for (int tries = 0; tries < MOMENT_TRIES; tries++) {
        begin_ns = clock_monotonic_ns();
        machine = machine_ns();
        (void)getrusage(RUSAGE_SELF, &usage);
        *ret = (struct load_look_cpu){.at_ns = clock_monotonic_ns(),
                                      .machine_ns = machine,
                                      .processors = processors > 0 ? (uint32_t)processors : 1,
                                      .user_ns = ns_of(usage.ru_utime),
                                      .system_ns = ns_of(usage.ru_stime)};
        if (ret->at_ns - begin_ns <= MOMENT_NS)
            return;
    }
}

/* The value of a line such as "Name:   123 kB", in bytes. */
static uint64_t kilobytes(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) * BYTES_PER_KB : 0;
}

void load_look_memory(struct load_look_memory *ret)
{
    char text[FILE_BYTES];
    read_text("/proc/self/status", text);
    ret->resident_bytes = kilobytes(text, "\nVmRSS:");
    ret->peak_bytes = kilobytes(text, "\nVmHWM:");
}

void load_look_find(struct load_look_counters *c, struct mem *mem, uint64_t start)
{
    *c = (struct load_look_counters){
        .mem = mem,
        .live = perf_counter_find(mem, start, "java.threads.live"),
        .daemon = perf_counter_find(mem, start, "java.threads.daemon"),
        .peak = perf_counter_find(mem, start, "java.threads.livePeak"),
        .started = perf_counter_find(mem, start, "java.threads.started"),
    };
}

static uint64_t value_of(const struct load_look_counters *c, uint64_t address)
{
    uint64_t value = 0;
    return address && mem_read(c->mem, address, &value, sizeof(value)) == 0 ? value : 0;
}

void load_look_threads(const struct load_look_counters *c, struct load_look_threads *ret)
{
    *ret = (struct load_look_threads){.live = value_of(c, c->live),
                                      .daemon = value_of(c, c->daemon),
                                      .peak = value_of(c, c->peak),
                                      .started = value_of(c, c->started)};
}
