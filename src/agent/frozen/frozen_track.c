/*
 * frozen_track.c - see frozen_track.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_track.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/pages.h"

/* Names that headers before Linux 6.7 lack. */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
enum {
    REGIONS = 512,
    PIECE = 64 << 20, /* bytes that are left in one go */
    IS_WPALLOWED = 1 << 0,
    IS_WRITTEN = 1 << 1,
    IS_PRESENT = 1 << 3,
    IS_SWAPPED = 1 << 4, /* in swap, or a mark of the protection where no page is */
};

static const size_t page_bytes = 4096;
static const uint64_t wanted_features =
    (uint64_t)1 << 12 /* shared memory */ | (uint64_t)1 << 15 /* asynchronous */;

struct page_region {
    uint64_t start, end, categories;
};

struct scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN _IOWR('f', 16, struct scan)

int frozen_track_watch(const struct frozen_track *t, uint64_t low, uint64_t high)
{
    struct uffdio_register r = {.range = {low, high - low}, .mode = UFFDIO_REGISTER_MODE_WP};
    return ioctl(t->faults_fd, UFFDIO_REGISTER, &r) < 0 ? -errno : 0;
}

int frozen_track_clear(const struct frozen_track *t, uint64_t low, uint64_t high)
{
    struct uffdio_writeprotect w = {.range = {low, high - low},
                                    .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    return ioctl(t->faults_fd, UFFDIO_WRITEPROTECT, &w) < 0 ? -errno : 0;
}

/* Asks for the pages that are surely not written: the others may be. A page without an entry in the
 * page table is among the others, since it may have been written and then put out of memory. */
void frozen_track_written(const struct frozen_track *t, uint64_t low, uint64_t high,
                          frozen_track_seen *seen, void *arg)
{
    uint64_t at = low;
    struct scan s = {.size = sizeof(s),
                     .start = low,
                     .end = high,
                     .vec = (uint64_t)(uintptr_t)t->regions,
                     .vec_len = REGIONS,
                     .category_inverted = IS_WRITTEN,
                     .category_mask = IS_WPALLOWED | IS_WRITTEN,
                     .category_anyof_mask = IS_PRESENT | IS_SWAPPED,
                     .return_mask = IS_WPALLOWED};
    while (s.start < high) {
        int count = ioctl(t->pages_fd, SCAN, &s);
        if (count < 0)
            break;
        for (int i = 0; i < count; i++) {
            if (t->regions[i].start > at)
                seen(arg, at, t->regions[i].start);
            at = t->regions[i].end;
        }
        if (count < REGIONS || s.walk_end <= s.start)
            break;
        s.start = s.walk_end;
    }
    if (at < high)
        seen(arg, at, high);
}

void frozen_track_leave(const struct frozen_track *t, uint64_t low, uint64_t high)
{
    for (uint64_t at = low; at < high; at += PIECE) {
        struct uffdio_range r = {at, high - at < PIECE ? high - at : PIECE};
        (void)ioctl(t->faults_fd, UFFDIO_UNREGISTER, &r);
    }
}

static void add_bytes(void *arg, uint64_t low, uint64_t high)
{
    *(uint64_t *)arg += high - low;
}

/* Three pages: one is not written after the beginning, one is, one is mapped anew. */
static bool tells_the_truth(const struct frozen_track *t, unsigned char *pages)
{
    uint64_t low = (uint64_t)(uintptr_t)pages, written[3] = {0};
    for (size_t i = 0; i < 3; i++)
        pages[i * page_bytes] = 1;
    if (frozen_track_watch(t, low, low + 3 * page_bytes) != 0 ||
        frozen_track_clear(t, low, low + 3 * page_bytes) != 0)
        return false;
    *(volatile unsigned char *)(pages + page_bytes) = 2;
    if (mmap(pages + 2 * page_bytes, page_bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    for (uint64_t i = 0; i < 3; i++)
        frozen_track_written(t, low + i * page_bytes, low + (i + 1) * page_bytes, add_bytes,
                             &written[i]);
    return written[0] == 0 && written[1] == page_bytes && written[2] == page_bytes;
}

static const char *try_out(const struct frozen_track *t)
{
    unsigned char *pages =
        mmap(NULL, 3 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return "no memory";
    bool is_true = tells_the_truth(t, pages);
    munmap(pages, 3 * page_bytes);
    return is_true ? NULL : "the kernel does not tell which pages are written (Linux 6.7 does)";
}

/* Whether the process may have as many mappings again. A page that the program maps while it is
 * watched is not joined with its neighbours. */
static bool has_few_mappings(void)
{
    char text[32];
    long most = 0, count = 0;
    FILE *limit = fopen("/proc/sys/vm/max_map_count", "re");
    if (limit && fgets(text, sizeof(text), limit))
        most = strtol(text, NULL, 10);
    FILE *maps = fopen("/proc/self/maps", "re");
    for (int c = 0; maps && (c = getc_unlocked(maps)) != EOF;)
        count += c == '\n';
    if (limit)
        fclose(limit);
    if (maps)
        fclose(maps);
    return maps && count < most / 2;
}

static const char *open_files(struct frozen_track *t)
{
    struct uffdio_api api = {.api = UFFD_API, .features = wanted_features};
    if (sysconf(_SC_PAGESIZE) != page_bytes)
        return "pages are larger than 4 KB";
    if (!has_few_mappings())
        return "the process has too many mappings";
    t->faults_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (t->faults_fd < 0)
        return errno == ENOSYS ? "this kernel has no userfaultfd" : "userfaultfd is not allowed";
    if (ioctl(t->faults_fd, UFFDIO_API, &api) < 0)
        return "this kernel's userfaultfd does not watch writes (Linux 6.7 does)";
    t->pages_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (t->pages_fd < 0)
        return "/proc/self/pagemap cannot be read";
    t->regions = pages_map(REGIONS * sizeof(*t->regions));
    return t->regions ? try_out(t) : "no memory";
}

const char *frozen_track_open(struct frozen_track *t)
{
    *t = (struct frozen_track){-1, -1, NULL};
    const char *why = open_files(t);
    if (why)
        frozen_track_close(t);
    return why;
}

void frozen_track_close(struct frozen_track *t)
{
    if (t->faults_fd >= 0)
        close(t->faults_fd);
    if (t->pages_fd >= 0)
        close(t->pages_fd);
    if (t->regions)
        pages_unmap(t->regions, REGIONS * sizeof(*t->regions));
    *t = (struct frozen_track){-1, -1, NULL};
}
