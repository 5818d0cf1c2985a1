/*
 * probe_ring.h - uprobes through perf_event_open(): a descriptor for each site and processor, all
 * of one processor into one ring that the kernel shares with us.
 *
 * The kernel puts a breakpoint at the site in every process that maps the file, so hits of other
 * processes come, too. A hit costs the process that meets it some microseconds as long as the
 * descriptors are open.
 *
 * To close a descriptor of a uprobe takes the kernel tens of milliseconds. probe_ring_close()
 * leaves this to a child that lives on when this process has ended.
 * Source: perf_event_open(2); linux/perf_event.h; kernel/events/core.c: perf_uprobe.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "safe/regs.h"

enum {
    PROBE_RING_STACK = 1024, /* bytes of the stack that are copied at a hit for arguments alone */
    /* what is copied at most: a record has 64 KB, and its other fields need room */
    PROBE_RING_STACK_MOST = 65000,
    PROBE_RING_REGISTERS = 64,
};

/** What the kernel has copied at one hit. */
struct probe_ring_hit {
    uint32_t site; /* the number that probe_ring_add() was given */
    pid_t pid, tid;
    uint64_t time_ns;                         /* CLOCK_MONOTONIC */
    uint64_t registers[PROBE_RING_REGISTERS]; /* by the numbers of asm/perf_regs.h */
    uint64_t known;                           /* bit N: register N was copied */
    const unsigned char *stack;               /* from the stack pointer on */
    uint64_t stack_bytes;
};

struct probe_ring {
    int type;             /* of the kernel's unit for uprobes */
    int counter_shift;    /* where the counter's offset stands in the attribute; -1: unknown */
    uint64_t registers;   /* that are copied */
    uint32_t stack_bytes; /* that are copied at a hit, a multiple of 8; 0: none */
    int processors;
    struct probe_ring_of { /* of one processor */
        int fd;            /* whose memory is shared; -1: none yet */
        struct perf_event_mmap_page *page;
    } * of;
    struct probe_ring_event { /* one descriptor */
        int fd;
        uint32_t site;
        uint64_t id;
    } * events;
    uint32_t count, room;
    size_t bytes;          /* of a ring's records, a power of two */
    uint64_t lost;         /* hits that found a ring full */
    unsigned char *record; /* room for a record that goes round the end */
};

/** The registers that lead from a hit to its caller: pc, stack pointer, frame pointer, link. */
uint64_t probe_ring_walk_registers(void);
/** The registers of a hit, if probe_ring_walk_registers() were copied. */
bool probe_ring_regs(const struct probe_ring_hit *hit, struct regs *ret);
/** What perf_event_open() is asked for. `path` is borrowed. */
struct perf_event_attr probe_ring_attr(const struct probe_ring *r, const char *path,
                                       uint64_t offset, uint64_t semaphore);

/** Whether this kernel has uprobes, and what it calls them. `registers` and `stack_bytes`: what is
 * copied at each hit. Errors: 0; -ENOENT: it has none; -ENOMEM. Owner: probe_ring_close(). */
int probe_ring_open(struct probe_ring *r, uint64_t registers, uint32_t stack_bytes);
/** Put a probe at `offset` in the file at `path`; `semaphore` is the counter's offset, or 0. Not
 * yet running. Errors: 0; -errno. */
int probe_ring_add(struct probe_ring *r, const char *path, uint64_t offset, uint64_t semaphore,
                   uint32_t site);
/** Let all probes run. */
void probe_ring_start(struct probe_ring *r);
/** Wait for hits, at most `ms`. Returns whether there are any; a signal ends the wait. */
bool probe_ring_wait(struct probe_ring *r, int ms);
/** Give each hit that waits in the rings to `take`, one processor after the other. */
void probe_ring_read(struct probe_ring *r, void (*take)(void *with, const struct probe_ring_hit *),
                     void *with);
void probe_ring_close(struct probe_ring *r);

/**
 * Parse a record of the ring, without its header. Errors: 0; E_FORMAT. The hit points into it; `id`
 * is that of the event.
 */
int probe_ring_parse(const unsigned char *bytes, size_t len, uint64_t registers, bool has_stack,
                     struct probe_ring_hit *ret, uint64_t *ret_id);
