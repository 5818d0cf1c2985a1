/*
 * perf_attr.h - events of the kernel and the processor by their names, as perf(1) spells them, and
 * perf_event_open() for them.
 *
 * A name is one of:
 *   cycles, cache-misses, ...         counters of the processor
 *   L1-dcache-load-misses, ...        counters of its caches
 *   rNNN                              a counter by its number, in hexadecimal digits
 *   page-faults, context-switches ... counters of the kernel
 *   mem:ADDRESS[/LENGTH][:rwx]        accesses to an address, by a register of the processor
 *   SYSTEM:NAME                       a tracepoint, by its number in tracefs
 *   kprobe:FUNCTION                   calls of a function of the kernel
 *   kretprobe:FUNCTION                its returns
 *   uprobe:LIBRARY:FUNCTION           calls of a function of a library, by a register of the
 *                                     processor, at an address that the process itself must find
 * Sources: perf_event_open(2), linux/perf_event.h; perf's util/parse-events.l and util/evsel.c for
 * the spelling and for which pairs of cache and access exist; kernel/events/core.c (perf_kprobe).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_ATTR_NAME = 96 };

/** The type of an event whose unit this kernel does not have. */
#define PERF_ATTR_NO_UNIT UINT32_MAX

struct perf_attr {
    char name[PERF_ATTR_NAME]; /* the name in files: perf's own spelling, for example page-faults */
    uint32_t type;             /* enum perf_type_id, or the number of a unit; PERF_ATTR_NO_UNIT */
    uint64_t config;
    uint64_t address; /* mem: the address, and what else the registers of the processor want */
    uint32_t length, access;
    uint32_t function; /* kprobe: where the name of the function begins in `name`; else 0 */
    /* uprobe: where the names of the library and of the symbol begin in `name`; else 0. The colon
     * between them stands right before the symbol. */
    uint32_t library, symbol;
    uint64_t interval; /* events from sample to sample if nobody says another number */
    uint64_t least;    /* with a smaller interval, signals would leave the program no time */
    bool
        is_in_kernel; /* happens in the kernel, and is seen only with the right to see the kernel */
    bool is_switch;   /* a signal that wakes a waiting thread causes another such event */
};

/**
 * The event of this name.
 * Errors: 0; E_NOT_FOUND: no event has such a name; E_SYNTAX: the part behind the colon is wrong;
 * -ENOENT: tracefs has no such tracepoint; another -errno: tracefs cannot be read.
 */
int perf_attr_named(const char *name, struct perf_attr *ret);
/** Open a file of the tracepoint SYSTEM:NAME, for example "format". Returns a descriptor.
 * Errors: as of perf_attr_named(), but E_SYNTAX. */
int perf_attr_tracepoint_file(const char *name, const char *file);
/** The name with index `i` that needs no number and no colon, in perf's spelling; NULL: no more. */
const char *perf_attr_word(unsigned i);

/**
 * Fill the kernel's struct: a sample after each `interval` events, not running. `sees_kernel`:
 * events in the kernel count, too. The kernel's struct refers to `event`.
 */
void perf_attr_fill(const struct perf_attr *event, uint64_t interval, bool sees_kernel,
                    struct perf_event_attr *ret);
/** Open the event of a thread of any process; `tid` 0: the calling thread. Errors: -errno. */
int perf_attr_open(const struct perf_event_attr *attr, int tid);
/**
 * Whether the event can be counted here, and how: 0, and *ret_sees_kernel.
 * Errors: negative, with the reason in `ret_why` in the form "there is no ...".
 */
int perf_attr_probe(const struct perf_attr *event, bool *ret_sees_kernel, char *ret_why,
                    size_t size);
