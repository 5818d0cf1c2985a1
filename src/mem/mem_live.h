/*
 * mem_live.h - the memory of another process, read with process_vm_readv through a cache of pages.
 *
 * A page that was read stays as it was: what is read is one moment only as long as the process is
 * stopped (mem_stop.h). So a reader can find out which pages it needs while the process runs, and
 * stop it for the copy alone: mem_live_age() makes all known pages old ones, which are read again
 * when they are asked for, and mem_live_refresh() reads those of one rank in few system calls,
 * those that were needed first before the others. Whoever may have to let the process go before all
 * is read watches the reads (`is_over`): from then on the cache is sealed, and reads of pages that
 * are old or not known fail and are counted.
 * Where process_vm_readv is refused (seccomp) /proc/PID/mem is read instead.
 * Source: process_vm_readv(2), proc_pid_mem(5), proc_pid_maps(5), proc_pid_map_files(5).
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "mem/image.h"

struct mem_live_page;

enum { MEM_LIVE_SEEN = 256 };

struct mem_live {
    struct mem mem;
    struct image image;
    pid_t pid;
    pid_t reader; /* its thread whose memory is read: the first, or one that outlived that */
    int mem_fd;   /* /proc/PID/mem where it has to be used, else -1 */
    struct mem_live_page *pages;
    uint32_t page_count, capacity;
    struct mem_live_seen { /* pages that are there, by the low bits of their numbers */
        uint64_t number;
        const unsigned char *bytes;
    } seen[MEM_LIVE_SEEN];
    uint64_t *order; /* numbers of the pages, in the order in which they were needed first */
    unsigned rank;   /* what a page that is needed for the first time gets */
    uint64_t calls;  /* system calls made for reading */
    /* Asked now and then while there are reads; once it says true the cache is sealed. NULL: never.
     */
    bool (*is_over)(void *with);
    void *is_over_with;
    unsigned reads;   /* since it was asked */
    bool is_sealed;   /* no page is read any more, until mem_live_unseal() */
    uint64_t missing; /* reads since mem_live_age() that failed for it */
};

/**
 * Look at process `pid`: its maps and its threads (without registers). Reads no memory yet. The
 * first thread may have ended before the others: then they are the process.
 *
 * Errors: 0; -ESRCH no such process, or all its threads have ended (a zombie); -EACCES, -EPERM we
 * may not look at it; -ENOMEM. Owner:  mem_live_close(), also after an error.
 */
int mem_live_open(pid_t pid, struct mem_live *ret_live);
void mem_live_close(struct mem_live *live);

/** How long ago the process began, in seconds; -1 it cannot be read. */
double mem_live_age_s(pid_t pid);

/** Whether thread `tid` of the process is a zombie or gone. */
bool mem_live_has_ended(pid_t pid, pid_t tid);

/** Read the list of maps, or of threads, again. Errors: as mem_live_open(). */
int mem_live_read_maps(struct mem_live *live);
int mem_live_read_threads(struct mem_live *live);

/** The list of threads becomes `tids`, in this order; only threads that were not in the list are
 * looked at. */
int mem_live_update_threads(struct mem_live *live, const pid_t *tids, uint32_t count);

/** Read a range into the cache at once; what cannot be read is left out. */
void mem_live_prefetch(struct mem_live *live, uint64_t addr, size_t len);

/** Read what is there now, past the cache. Errors: 0; -EFAULT. */
int mem_live_read_now(struct mem_live *live, uint64_t addr, void *dst, size_t len);

/** All pages of the cache are old from now on. */
void mem_live_age(struct mem_live *live);

/** Read the old pages of `rank` again, until is_over() says that it is enough; reads of a page that
 * is gone fail from now on. */
void mem_live_refresh(struct mem_live *live, unsigned rank);

/** What is old or not known is read when it is asked for, and is_over() is asked no more. */
void mem_live_unseal(struct mem_live *live);

/** Forget all pages. */
void mem_live_forget(struct mem_live *live);
