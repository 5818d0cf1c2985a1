/*
 * metric_vm.h - what the memory of a running VM tells: the heap at this moment, metaspace, threads,
 * allocations, buffers.
 *
 * The memory is read with process_vm_readv while the JVM runs; nothing is stopped. Therefore each
 * value is one that the VM had during the read, and a value that makes no sense is left out.
 * Source: HotSpot metaspace/runningCounters.hpp, metaspace/metaspaceContext.hpp,
 * metaspace/commitLimiter.hpp (symbols of JDK 17 and later), threadService.hpp
 * (_exited_allocated_bytes), heap.hpp (CodeHeap); java.nio.Bits, sun.nio.ch.FileChannelImpl.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap.h"
#include "hotspot/java_threads.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "hotspot/vm_stop.h"
#include "mem/mem_live.h"

struct metric_set;

enum metric_space { METRIC_EDEN, METRIC_SURVIVOR, METRIC_OLD, METRIC_SPACES };

/** What a VM's memory says of memory, in bytes; NAN: not known. */
struct metric_level {
    bool is_serial, is_parallel;   /* the collector has the spaces below */
    double spaces[METRIC_SPACES];  /* bytes in use */
    double heap, heap_committed;   /* bytes of the whole heap in use, and committed */
    double metaspace, class_space; /* bytes in use; `metaspace` includes the class space */
    double metaspace_committed, metaspace_limit;
    double code_committed, code_limit;
};

/** How many bytes a thread had allocated when it was seen last. */
struct metric_allocated {
    uint64_t thread; /* address of the JavaThread */
    int64_t id;      /* Thread.getId(): an address may be used again */
    uint64_t bytes;
};

/** Addresses of variables of the VM; 0: not known. */
struct metric_places {
    uint64_t exited; /* bytes that threads have allocated that have ended */
    uint64_t used_class, used_other, class_context, other_context, limiter; /* of metaspace */
};

struct metric_vm {
    struct mem_live live;
    struct target target;
    struct oops oops;
    bool has_oops;
    struct heap heap;
    bool has_heap;
    struct java_threads_allocated allocated;
    struct vm_stop stop;
    struct metric_places at;
    struct metric_allocated *seen; /* sorted */
    uint32_t seen_count;
    uint64_t ended_bytes, total_bytes; /* of threads that were seen and have ended; the last sum */
    uint64_t bits, unmapper;           /* classes; 0: not found yet */
    uint64_t looked_ns;                /* when they were looked for */
};

/** Opens the VM of process `pid`. Errors: 0; as mem_live_open() and target_open(). Owner:
 * metric_vm_close(), also after an error. */
int metric_vm_open(pid_t pid, struct metric_vm *ret_vm);
void metric_vm_close(struct metric_vm *vm);
/** Begins a new reading: what was read before is old. Reads the levels of memory. */
void metric_vm_look(struct metric_vm *vm, struct metric_level *ret_level);
/** The number of -XX:ActiveProcessorCount; 0: it is not set. */
unsigned metric_vm_processors(const struct metric_vm *vm);
/** Adds the samples of buffers, and of a stop that goes on. `stops` is the number of stops that the
 * counters have. */
void metric_vm_read(struct metric_vm *vm, struct metric_set *s, uint64_t stops);
