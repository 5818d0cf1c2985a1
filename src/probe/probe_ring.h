/*
 * probe_ring.h - the rings that the kernel shares with us, one of each processor, with the records
 * of events of perf_event_open(): uprobes, a descriptor for each site and processor, and what
 * programs in the kernel write (probe_bpf.h), which are at the uprobes themselves where the kernel
 * can do that (probe_multi.h).
 *
 * The hits of one processor stand in its ring in the order of their times. probe_ring_read() merges
 * the rings. A hit is noted at its time and seen by us a little later, so hits that are younger
 * than a moment that the caller names stay in their rings: an older one may still come.
 *
 * For a descriptor the kernel puts a breakpoint at the site in every process that maps the file, so
 * hits of other processes come, too. A hit costs the process that meets it some microseconds as
 * long as the descriptors are open.
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
    uint32_t site; /* the number of its place */
    pid_t pid, tid;
    uint64_t time_ns;                         /* CLOCK_MONOTONIC */
    uint64_t registers[PROBE_RING_REGISTERS]; /* by the numbers of asm/perf_regs.h */
    uint64_t known;                           /* bit N: register N was copied */
    const unsigned char *stack;               /* from the stack pointer on */
    uint64_t stack_bytes;
    /* of an output of a program: what it wrote, and where it runs in the kernel, innermost first */
    const unsigned char *raw;
    uint32_t raw_bytes;
    const unsigned char *chain;
    uint64_t chain_count; /* addresses of 8 bytes */
};

/** What a record has beside its id, thread and time. */
struct probe_ring_shape {
    uint64_t registers; /* 0: none are copied */
    bool has_stack;
    bool is_output; /* of a program: `raw` and `chain` */
    bool has_site;  /* of a program at uprobes: `raw`, which is the number of the site */
};

struct probe_ring {
    int type;             /* of the kernel's unit for uprobes */
    int counter_shift;    /* where the counter's offset stands in the attribute; -1: unknown */
    int return_bit;       /* of the attribute, for returns of a function; -1: unknown */
    bool has_exits;       /* threads that end are told of, too */
    uint64_t registers;   /* that are copied */
    uint32_t stack_bytes; /* that are copied at a hit, a multiple of 8; 0: none */
    int processors;
    struct probe_ring_of { /* of one processor */
        int fd;            /* whose memory is shared; -1: none yet */
        struct perf_event_mmap_page *page;
        uint64_t head, tail; /* while the rings are read: what is left, and ... */
        uint64_t next_ns;    /* ... the time of its first record; 0: it has none */
        bool is_read;        /* nothing is left that may be taken */
    } * of;
    struct probe_ring_event { /* one descriptor */
        int fd;
        uint32_t site; /* has_site: a number above all that a record may have */
        uint64_t id;
        struct probe_ring_shape shape;
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
/** The register that tells the calls of a function apart. */
uint64_t probe_ring_stack_register(void);
/** Where the return address of a function lies, at its first instruction or, `is_return`, behind
 * its return; on a CPU that keeps it in a register, the stack pointer there. 0: unknown. */
uint64_t probe_ring_call(const struct probe_ring_hit *hit, bool is_return);
/** The return address at the first instruction of a function; 0: it was not copied. */
uint64_t probe_ring_return_address(const struct probe_ring_hit *hit);

/** A place in a file where the kernel shall look. */
struct probe_ring_place {
    const char *path;   /* borrowed */
    uint64_t offset;    /* of an instruction in the file */
    uint64_t semaphore; /* offset of the counter in the file, or 0 */
    bool is_return;     /* `offset` is a function's first instruction; look when it returns */
    uint32_t site;      /* the number that its hits have */
};

/** Whom the records of the rings are given to. */
struct probe_ring_taker {
    void *with;
    void (*hit)(void *with, const struct probe_ring_hit *hit);
    void (*exit)(void *with, pid_t pid, pid_t tid); /* a thread has ended; may be NULL */
    void (*lost)(void *with, uint64_t count);       /* hits that found a ring full; may be NULL */
};

/** What perf_event_open() is asked for. */
struct perf_event_attr probe_ring_attr(const struct probe_ring *r,
                                       const struct probe_ring_place *place);

/** Whether this kernel has uprobes, and what it calls them. `registers` and `stack_bytes`: what is
 * copied at each hit. Errors: 0; -ENOENT: it has none, and only what programs write can be added;
 * -ENOMEM. Owner: probe_ring_close(). */
int probe_ring_open(struct probe_ring *r, uint64_t registers, uint32_t stack_bytes);
/** Put a probe. Not yet running. Errors: 0; -EOPNOTSUPP: this kernel has no counters, or no
 * returns; -errno. */
int probe_ring_add(struct probe_ring *r, const struct probe_ring_place *place);
/** Make an event on each processor into which a program in the kernel writes by way of the map
 * *ret_map. Its records have the registers and the stack of the thread that runs if `has_stack`.
 * Errors: -errno. Owner: the caller closes *ret_map, also after an error; -1: there is none. */
int probe_ring_add_output(struct probe_ring *r, uint32_t site, bool has_stack, int *ret_map);
/** The same for a program at uprobes, which writes the number of the site, below `sites`, in 4
 * bytes. Its records have what those of probe_ring_add() have. */
int probe_ring_add_sites(struct probe_ring *r, uint32_t sites, int *ret_map);
/** Let all probes run. */
void probe_ring_start(struct probe_ring *r);
/** Wait until a ring has many hits, at most `ms`: to be woken at each would cost the program that
 * meets it as much as the hit. Returns whether there are many; a signal ends the wait. */
bool probe_ring_wait(struct probe_ring *r, int ms);
/** Give each record that waits in the rings and is not younger than `until_ns` to `taker`, the
 * oldest first. Returns whether younger ones are left. */
bool probe_ring_read(struct probe_ring *r, uint64_t until_ns, const struct probe_ring_taker *taker);
/** Whether a ring is so full that what waits in it should be read at once. */
bool probe_ring_is_filling(const struct probe_ring *r);
void probe_ring_close(struct probe_ring *r);

/**
 * Parse a record of the ring, without its header. Errors: 0; E_FORMAT. The hit points into it.
 */
int probe_ring_parse(const unsigned char *bytes, size_t len, const struct probe_ring_shape *shape,
                     struct probe_ring_hit *ret);
/** The id of the event of such a record; 0: it has none. */
uint64_t probe_ring_id(const unsigned char *bytes, size_t len);
