/*
 * frozen_track.h - which pages of a shared heap the program has written.
 *
 * The kernel protects the pages against writing. The first write to a page takes the protection
 * away and goes on, without a signal and without waiting for anybody: about a microsecond more for
 * that page (userfaultfd in asynchronous mode). The page map says which pages are still protected.
 * A page that was mapped anew since has no protection, so it counts as written. Nothing of the
 * memory changes, and the mappings are neither cut nor joined while they are watched as a whole.
 * Needs Linux 6.7, and a kernel and a filter of system calls that allow userfaultfd.
 * Source: userfaultfd(2), ioctl_userfaultfd(2), PAGEMAP_SCAN(2const), linux/fs.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_region;

struct frozen_track {
    int faults_fd, pages_fd;     /* -1: not open */
    struct page_region *regions; /* memory for answers of the kernel */
};

/** Called with addresses of whole pages that may have been written. */
typedef void frozen_track_seen(void *arg, uint64_t low, uint64_t high);

/** Begin. Returns NULL, or a static text that says why pages cannot be watched here. On a page of
 * its own it tries first whether the kernel tells what it should. Owner: frozen_track_close().
 * Context: the program runs. */
const char *frozen_track_open(struct frozen_track *t);
static inline bool frozen_track_is_open(const struct frozen_track *t)
{
    return t->regions != NULL;
}

/** Watch all that is mapped now in [low, high), also what is watched already. Returns 0, -errno. */
int frozen_track_watch(const struct frozen_track *t, uint64_t low, uint64_t high);
/** From now on a page in [low, high) counts as not written. Returns 0, -errno: it may go on
 * counting as written. */
int frozen_track_clear(const struct frozen_track *t, uint64_t low, uint64_t high);
/** Call `seen` for all pages in [low, high) that may have been written, or that are not watched.
 * Context: any thread; the program may stand. */
void frozen_track_written(const struct frozen_track *t, uint64_t low, uint64_t high,
                          frozen_track_seen *seen, void *arg);
/** No longer watch [low, high). It is done by pieces, because the program's threads cannot map
 * memory meanwhile. */
void frozen_track_leave(const struct frozen_track *t, uint64_t low, uint64_t high);
void frozen_track_close(struct frozen_track *t);
