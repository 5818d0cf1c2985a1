/*
 * mem_live.h - the memory of another process, read with process_vm_readv through a cache of pages.
 *
 * A page that was read stays in the cache unchanged. The pages are of one moment only if the
 * process is stopped (mem_stop.h). A reader can therefore find out which pages it needs while the
 * process runs, and stop the process for the copy alone. mem_live_age() makes all known pages old;
 * an old page is read again when it is asked for. mem_live_refresh() reads the old pages of one
 * rank in few system calls; pages that were needed first are read first. A caller that may have to
 * let the process go before all pages are read sets `is_over`. When `is_over` returns true, the
 * cache is sealed: from then on, reads of pages that are old or not known fail and are counted.
 * If process_vm_readv is refused (seccomp), /proc/PID/mem is read instead.
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
    pid_t reader; /* thread whose memory is read: the first, or one that outlived it */
    int mem_fd;   /* /proc/PID/mem if it must be used; else -1 */
    int refused;  /* -errno with which neither way to read was open; 0 */
    struct mem_live_page *pages;
    uint32_t page_count, capacity;
    struct mem_live_seen { /* pages in the cache, indexed by the low bits of their numbers */
        uint64_t number;
        const unsigned char *bytes;
    } seen[MEM_LIVE_SEEN];
    uint64_t *order; /* numbers of the pages, in the order in which they were first needed */
    unsigned rank;   /* the rank that a page gets when it is first needed */
    uint64_t calls;  /* system calls that were made for reads */
    /* Called now and then during reads; when it returns true the cache is sealed. NULL: never. */
    bool (*is_over)(void *with);
    void *is_over_with;
    unsigned reads;   /* reads since the last call of is_over */
    bool is_sealed;   /* no page is read any more, until mem_live_unseal() */
    uint64_t missing; /* reads since mem_live_age() that failed because of the seal */
};

/**
 * Look at process `pid`: its maps and its threads (without registers). Of the memory one byte is
 * read, to see whether that is allowed. The first thread may have ended before the other threads;
 * then the other threads are the process.
 *
 * Errors:  0; -ESRCH no such process, or all its threads have ended (a zombie); -EACCES, -EPERM we
 *          may not look at it, or not at its memory; -ENOMEM.
 * Owner:   mem_live_close(), also after an error.
 */
int mem_live_open(pid_t pid, struct mem_live *ret_live);
void mem_live_close(struct mem_live *live);
/**
 * Whether process_vm_readv is refused whatever process is asked for, as filters of system calls do.
 * Returns 0, or -errno. The question is about no process, so it needs no right.
 */
int mem_live_refused(void);

/** The age of the process in seconds; -1: it cannot be read. */
double mem_live_age_s(pid_t pid);

/** Whether thread `tid` of the process is a zombie or gone. */
bool mem_live_has_ended(pid_t pid, pid_t tid);

/** Read the list of maps, or of threads, again. Errors as mem_live_open(). */
int mem_live_read_maps(struct mem_live *live);
int mem_live_read_threads(struct mem_live *live);

/** Replace the list of threads by `tids`, in this order. Only threads that were not in the list are
 * looked at. */
int mem_live_update_threads(struct mem_live *live, const pid_t *tids, uint32_t count);

/** Read a range into the cache at once; pages that cannot be read are left out. */
void mem_live_prefetch(struct mem_live *live, uint64_t addr, size_t len);

/** Read the present memory, not from the cache. Errors: 0; -EFAULT. */
int mem_live_read_now(struct mem_live *live, uint64_t addr, void *dst, size_t len);

/** Make all pages of the cache old. */
void mem_live_age(struct mem_live *live);

/** Read the old pages of `rank` again, until is_over() returns true. If a page is gone, reads of
 * that page fail from now on. */
void mem_live_refresh(struct mem_live *live, unsigned rank);

/** Read old and unknown pages again when they are asked for; is_over() is not called any more. */
void mem_live_unseal(struct mem_live *live);

/** Forget all pages. */
void mem_live_forget(struct mem_live *live);
