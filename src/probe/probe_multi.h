/*
 * probe_multi.h - uprobes of one process by links of the kernel (uprobe_multi): one descriptor for
 * all places of a file, and a small program that the kernel runs at each hit (probe_bpf.h).
 *
 * The program knows by a cookie which place was met. It either writes a record with the number of
 * the site into the rings, which is read as one of perf_event_open() is (probe_ring.h), or, if only
 * counts are wanted, adds one to a number in memory that is shared with this process.
 *
 * Beside a descriptor for each place and processor, as probe_ring_add() opens them, the kernel puts
 * the breakpoints into this process alone, runs one handler at a hit and not one for each
 * processor, and takes all of them away in some milliseconds.
 *
 * This takes Linux 6.10, CAP_BPF and CAP_PERFMON. Whatever is missing, probe_multi_open() fails and
 * the other way is left.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_multi;
struct probe_ring;
struct probe_ring_place;

/** What is asked for. */
struct probe_multi_how {
    pid_t pid;
    uint32_t sites;  /* all numbers of places are below it */
    bool is_counted; /* hits are counted, and have no records */
};

/**
 * Put probes at all places, which are sorted by their files. Hits before probe_multi_start() and
 * probe_ring_start() are not seen. Errors: -errno of bpf() or perf_event_open(): nothing is put;
 * *ret is NULL. Owner: probe_multi_close(), before the ring.
 */
int probe_multi_open(const struct probe_multi_how *how, struct probe_ring *ring,
                     const struct probe_ring_place *places, uint32_t count,
                     struct probe_multi **ret);
/** Begin to count. */
void probe_multi_start(struct probe_multi *m);
/** The hits of a site, if they are counted. */
uint64_t probe_multi_hits(const struct probe_multi *m, uint32_t site);
/** Take the probes away. */
void probe_multi_close(struct probe_multi *m);
