/*
 * headroom.h - how much memory is left before the kernel kills a process.
 *
 * A heap dump is written by a forked child. When memory runs out the kernel kills this child first,
 * because the child asks for that. But the memory of a dying child is counted for a moment longer,
 * and then the kernel kills the program too. So the child must never get that far: it looks here
 * while it works, and ends in time. What counts are the limits of the memory cgroups (version 1 and
 * 2), from the process's own group up to the mount, and the memory of the machine. The page cache
 * counts as free; swap does not.
 * Source: Linux Documentation/admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst, proc(5).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { HEADROOM_MAX = 24, HEADROOM_TEXT = 128 };

/** One thing that may run out: the memory of a cgroup, or of the machine. */
struct headroom_limit {
    int limit, usage, stat; /* open files; the machine has only `stat`, which is meminfo */
    int version;            /* version of the cgroup, 1 or 2; 0: the machine */
    uint64_t left;          /* free bytes at the last look; UINT64_MAX: no limit */
    uint64_t total;         /* the limit itself */
    uint64_t reserve;       /* bytes that must stay free */
    uint64_t rate;          /* bytes per millisecond by which `left` shrank lately */
    uint64_t expected;      /* bytes that do not count in `rate` when they are taken */
    /* bytes of `left` that are dirty pages: pages of files that are not on the disk yet */
    uint64_t unwritten;
};

struct headroom {
    struct headroom_limit limits[HEADROOM_MAX];
    int count;
    uint64_t looked_ns; /* time of the last look */
    char lack[HEADROOM_TEXT];
};

/** How full a group is. */
struct headroom_level {
    uint64_t used;  /* bytes in use, without the page cache that was not used lately */
    uint64_t limit; /* bytes */
};

/** Find the limits of this process, and look for the first time. `proc` is "/proc". Context: not
 * signal, not gc. */
void headroom_open(struct headroom *r, const char *proc);
/** Close the files. Does nothing for a zeroed struct. */
void headroom_close(struct headroom *r);
/**
 * Look again; costs about 10 microseconds. `now_ns` is later than at the last call. Context: any.
 */
void headroom_look(struct headroom *r, uint64_t now_ns);
/**
 * The caller has made sure that there is room for `bytes`, and begins to take them: they say
 * nothing about the rate at which others take memory. Context: any.
 */
void headroom_expect(struct headroom *r, uint64_t bytes);
/**
 * Whether memory lacks for three things: `bytes`, what other work takes in `ns` at the rate seen
 * lately, and the reserve (a 16th of the limit, 64 MB at most).
 *
 * Returns NULL if there is room; otherwise a text that says what is left and what is needed: "the
 * memory cgroup has 32 MB of 56 MB left, and 41 MB are needed (3 MB of them stay free)". The text
 * lies in `r` until the next such question.
 * Context: any.
 */
const char *headroom_lacks(struct headroom *r, uint64_t bytes, uint64_t ns);
/**
 * Like headroom_lacks(), for a caller who knows how much it takes and stops at once: a quarter of
 * the reserve is enough. Dirty pages do not count as room here: when a file system asks for memory,
 * the kernel kills a process rather than wait for the disk.
 */
const char *headroom_ends(struct headroom *r, uint64_t bytes);
/** The least that the machine or any group leaves. Context: any. */
uint64_t headroom_left(const struct headroom *r);
/** The least that any group leaves; UINT64_MAX: no group has a limit. Context: any. */
uint64_t headroom_group_left(const struct headroom *r);
/** Like headroom_lacks(), but looks at the groups alone, because the machine's memory belongs to
 * other programs too. */
const char *headroom_group_lacks(struct headroom *r, uint64_t bytes);
/**
 * Find the group that is fullest, as a share of its limit, among the process's own group and those
 * above it that can be seen. What is in use is counted as Kubernetes counts a container's working
 * set: the group's usage less inactive_file. The files are read anew. Returns false if no group has
 * a limit.
 * Source: Kubernetes, "Node-pressure Eviction"; cAdvisor, container/libcontainer/handler.go.
 * Context: any, one thread at a time for each `r`.
 */
bool headroom_fullest(const struct headroom *r, struct headroom_level *ret);
/** Whether a memory cgroup of this process can be seen, with a limit or without. Context: any. */
bool headroom_has_group(const struct headroom *r);
/** The smallest reserve of all limits: a share of memory that the caller may take without harm.
 * Context: any. */
uint64_t headroom_share(const struct headroom *r);
