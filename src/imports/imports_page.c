/*
 * imports_page.c - see imports_page.h.
 *
 * /proc/self/maps is read through a buffer on the stack: nothing here calls a function that is
 * being replaced.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports_page.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reads "low-high rwxp ..." line by line, and keeps only what stands in front of the third blank.
 */
struct line {
    uint64_t low, high;
    int protection;
    int part; /* 0: low, 1: high, 2: protection, 3: the rest */
};

/* Takes a character. Returns whether the line has ended. */
static bool take(struct line *l, char c)
{
    if (c == '\n')
        return true;
    uint64_t *number = l->part == 0 ? &l->low : &l->high;
    if (l->part < 2 && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
        *number = *number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    else if (l->part == 2 && c == 'r')
        l->protection |= PROT_READ;
    else if (l->part == 2 && c == 'w')
        l->protection |= PROT_WRITE;
    else if (l->part == 2 && c == 'x')
        l->protection |= PROT_EXEC;
    else if (l->part < 3 && (c == '-' || c == ' ') && !(l->part == 2 && c == '-'))
        l->part++;
    return false;
}

/* The protection of the page; -1: not known. */
static int protection_of(uint64_t page)
{
    char bytes[4096];
    struct line line = {0};
    int found = -1, fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t len;
    if (fd < 0)
        return -1;
    while (found < 0 && (len = read(fd, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < len && found < 0; i++) {
            if (!take(&line, bytes[i]))
                continue;
            if (page >= line.low && page < line.high)
                found = line.protection;
            line = (struct line){0};
        }
    }
    close(fd);
    return found;
}

int imports_page_replace(uint64_t *at, uint64_t from, uint64_t to)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t page = (uint64_t)(uintptr_t)at & ~(uint64_t)(size - 1);
    int protection = protection_of(page);
    if (protection < 0 || !(protection & PROT_READ))
        return -EACCES;
    bool is_protected = !(protection & PROT_WRITE);
    if (is_protected && mprotect((void *)(uintptr_t)page, size, protection | PROT_WRITE) != 0)
        return -EACCES;
    int replaced =
        __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (is_protected)
        (void)mprotect((void *)(uintptr_t)page, size, protection);
    return replaced;
}
