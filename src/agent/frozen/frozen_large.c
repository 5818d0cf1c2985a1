/*
 * frozen_large.c - see frozen_large.h: moves the VM's tags onto large pages before a pause with
 * sites.
 *
 * The pause lasts as long as the fork, and a fork copies an entry of 8 bytes for each page of 4 KB.
 * The tags of allocations lie in malloc()'s memory, and they may take more memory than the objects.
 * The kernel collapses the used part of this memory into large pages (MADV_COLLAPSE, Linux 6.1), 2
 * MB at a time, while the program runs. The content stays at its address, and no flag of a mapping
 * changes. The Java heap is left alone, because the VM has an option for its large pages. A dump is
 * right also without all this.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_large.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/headroom.h"
#include "safe/clock.h"

/* The headers may be older than this constant. Its number is the same on all CPUs. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum {
    LARGE = 2 << 20,
    PAGE = 4096,
    PAGES = LARGE / PAGE,
    MISSING_MAX = PAGES / 16, /* pages without memory; a large page gives memory to them, too */
    MAPS_LINE = 512,
    AT_ONCE = 16,   /* large pages in one call */
    ERRORS_MAX = 8, /* after so many errors the machine has no large pages left */
};

static const char *const enabled_path = "/sys/kernel/mm/transparent_hugepage/enabled";

/* Whether large pages may be used: not if the machine's settings forbid them, or if the kernel has
 * none of this size. */
static bool may_use(void)
{
    char text[64] = "";
    int fd = open(enabled_path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    return n > 0 && !strstr(text, "[never]") && sysconf(_SC_PAGESIZE) == PAGE;
}

/* Reads a line of maps: "low-high mode offset device inode name". Returns 1 if it is memory of the
 * kind that malloc() uses: private, anonymous, readable, writable, no stack. */
static int parse(const char *line, uint64_t *ret_low, uint64_t *ret_high)
{
    static const char mode[] = " rw-p ", none[] = " 00:00 0"; /* device, inode */
    char *at;
    const char *name;
    *ret_low = strtoull(line, &at, 16);
    *ret_high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    if (strncmp(at, mode, sizeof(mode) - 1) != 0)
        return 0;
    name = strstr(at, none);
    if (!name)
        return 0;
    name += sizeof(none) - 1;
    name += strspn(name, " \n");
    return !name[0] || strncmp(name, "[heap]", 6) == 0 || strncmp(name, "[anon:", 6) == 0;
}

/* Whether nearly all pages of the 2 MB from `at` on are in use. */
static bool is_dense(uint64_t at)
{
    unsigned char is_there[PAGES];
    int missing = 0;
    if (mincore((void *)(uintptr_t)at, LARGE, is_there) != 0)
        return false;
    for (int i = 0; i < PAGES; i++)
        missing += !(is_there[i] & 1);
    return missing <= MISSING_MAX;
}

/* Collapses a piece. Returns 0 if no further piece should be tried. */
static int collapse(struct headroom *room, uint64_t from, uint64_t to, int *errors)
{
    if (from == to)
        return 1;
    headroom_look(room, clock_monotonic_ns());
    if (headroom_lacks(room, (uint64_t)AT_ONCE * LARGE, 0))
        return 0;
    *errors += madvise((void *)(uintptr_t)from, to - from, MADV_COLLAPSE) != 0;
    return *errors < ERRORS_MAX;
}

/* Collapses the dense parts of a mapping. If malloc() frees memory meanwhile, this memory is still
 * mapped, or the calls fail without harm. */
static int collapse_mapping(struct headroom *room, uint64_t low, uint64_t high, int *errors)
{
    uint64_t at = (low + LARGE - 1) & ~(uint64_t)(LARGE - 1), from = at;
    int goes_on = 1;
    for (; at + LARGE <= high && goes_on; at += LARGE) {
        int dense = is_dense(at);
        if (!dense || at - from == (uint64_t)AT_ONCE * LARGE) {
            goes_on = collapse(room, from, at, errors);
            from = dense ? at : at + LARGE;
        }
    }
    return goes_on && collapse(room, from, at, errors);
}

void frozen_large_pages(struct headroom *room, uint64_t heap_low, uint64_t heap_high)
{
    FILE *maps = may_use() ? fopen("/proc/self/maps", "re") : NULL;
    char line[MAPS_LINE];
    uint64_t low, high;
    int errors = 0, goes_on = 1;
    while (maps && goes_on && fgets(line, sizeof(line), maps)) {
        if (parse(line, &low, &high) && (low >= heap_high || high <= heap_low))
            goes_on = collapse_mapping(room, low, high, &errors);
    }
    if (maps)
        fclose(maps);
}

void frozen_large_join(uint64_t low, uint64_t high, uint64_t until_ns)
{
    for (uint64_t at = low; at < high && clock_monotonic_ns() < until_ns; at += LARGE)
        (void)madvise((void *)(uintptr_t)at, LARGE, MADV_COLLAPSE);
}
