/*
 * headroom.h - how much memory there is, before the kernel ends a process to get some.
 *
 * The kernel would end the child of a heap dump first, as it is asked to; but while that child goes
 * its memory is still counted for a moment, and then the program goes as well. So nobody may get as
 * far: who makes a dump looks here, and ends in time. What counts are the limits of the memory
 * cgroups, version 1 and 2, from the process's own up to the mount, and what the machine has. The
 * page cache is room; swap is not.
 * Source: Linux Documentation/admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst, proc(5).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { HEADROOM_MAX = 24, HEADROOM_TEXT = 128 };

/** One thing that may run out: a cgroup's memory, or the machine's. */
struct headroom_limit {
    int limit, usage, stat; /* open files; of the machine only `stat`, which is meminfo */
    int version;            /* of the cgroup, 1 or 2; 0 the machine */
    uint64_t left;          /* bytes at the last look; UINT64_MAX: no limit */
    uint64_t total;         /* the limit itself */
    uint64_t reserve;       /* what has to stay free */
    uint64_t rate;          /* bytes a millisecond that were taken lately */
    uint64_t unwritten;     /* bytes of `left` that are pages of files that wait for the disk */
};

struct headroom {
    struct headroom_limit limits[HEADROOM_MAX];
    int count;
    uint64_t looked_ns; /* when that was */
    char lack[HEADROOM_TEXT];
};

/** Find what limits this process, and look. `proc` is "/proc". Context: not signal, not gc. */
void headroom_open(struct headroom *r, const char *proc);
/** Of one that was never opened: nothing. */
void headroom_close(struct headroom *r);
/** Look again: some 10 microseconds. `now_ns` is later than the last time. Context: any. */
void headroom_look(struct headroom *r, uint64_t now_ns);
/**
 * NULL if there is room for `bytes`, for what is taken in `ns` as it was lately, and the reserve:
 * 64 MB or a 16th of the limit; else a text of what is left and what is needed: "the memory
 * cgroup has 32 MB of 56 MB left, and 41 MB are needed (3 MB of them stay free)". It lies in `r`,
 * up to the next such question. Context: any.
 */
const char *headroom_lacks(struct headroom *r, uint64_t bytes, uint64_t ns);
/**
 * As above, for who knows what it takes and stops at once: a quarter of the reserve will do. Pages
 * of files that have yet to be written are no room here: the kernel ends a process rather than wait
 * for the disk where a file system asks for memory.
 */
const char *headroom_ends(struct headroom *r, uint64_t bytes);
/** What machine and groups leave, the least of them. Context: any. */
uint64_t headroom_left(const struct headroom *r);
/** What the groups leave, the least of them; UINT64_MAX: none has a limit. Context: any. */
uint64_t headroom_group_left(const struct headroom *r);
/** As headroom_lacks(), but asks the groups alone: the machine's memory belongs to other programs
 * too. */
const char *headroom_group_lacks(struct headroom *r, uint64_t bytes);
/** The least reserve of all limits: a share of memory that does no harm. Context: any. */
uint64_t headroom_share(const struct headroom *r);
