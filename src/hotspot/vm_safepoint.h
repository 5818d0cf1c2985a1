/*
 * vm_safepoint.h - what a running VM tells about the beginnings of its safepoints: how many there
 * were, how long the VM waited until all threads had come, and which thread it waits for now.
 *
 * No VM tells the moment at which it begins to wait, so the caller looks again and again. Four
 * sources can be looked at, here from the best to the poorest:
 *
 * - jstat's counters. The VM adds 1 to sun.rt.safepoints when a safepoint begins, and the time that
 *   it waited to sun.rt.safepointSyncTime when the last thread has come. So no safepoint is missed,
 *   and each length is the VM's own, if the looks are nearer to each other than the safepoints.
 * - two times of the VM (JDK 13 and later), which only .symtab names: the length of the last one.
 * - the VM's state, which only .symtab names: lengths are as exact as the looks are near.
 * - on JDK 8 the page that running threads poll, and the states of the threads: the same.
 *
 * The memory of other threads is read by guarded loads (safe/mem_self.h): a JavaThread that ends
 * meanwhile gives a wrong state and no fault. While the VM waits it holds Threads_lock, so its list
 * of threads does not change.
 * Source: HotSpot safepoint.cpp (SafepointSynchronize, SafepointTracing), runtimeService.cpp,
 * vmOperations.hpp.
 * Context of everything here: any, not signal; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "hotspot/target.h"

enum vm_safepoint_source {
    VM_SAFEPOINT_COUNTERS,
    VM_SAFEPOINT_CLOCKS,
    VM_SAFEPOINT_STATE,
    VM_SAFEPOINT_PAGE,
};

struct vm_safepoint_class;

/** Where the VM keeps what is looked at; an address is 0 if the VM does not tell it. */
struct vm_safepoint {
    struct target target;
    enum vm_safepoint_source source;
    uint64_t count_at, waited_at;  /* the counters */
    uint64_t begin_at, reached_at; /* the two times, in ns of CLOCK_MONOTONIC */
    uint64_t state_at;
    uint64_t polling_page;
    uint64_t names_at, type_at, operation_at; /* for vm_safepoint_operation() */
    uint32_t name_count;
    struct vm_safepoint_class *classes; /* JDK 11 and 12: the classes of operations */
    uint32_t class_count;
    /* What the counters would have, if the VM has none. */
    uint64_t begun, waited_ns;
    uint64_t begin_ns; /* of the safepoint that was seen last */
    bool is_counted;   /* `waited_ns` has its length */
};

/** Whether the VM waits for threads at this moment. */
enum vm_safepoint_waits {
    VM_SAFEPOINT_WAITS_NOT,
    VM_SAFEPOINT_WAITS,
    VM_SAFEPOINT_WAITS_UNTOLD, /* the VM does not tell; on JDK 8: a stop lasts */
};

/** What one look has found. */
struct vm_safepoint_look {
    uint64_t at_ns;      /* CLOCK_MONOTONIC */
    uint64_t begun;      /* how many safepoints have begun */
    uint64_t waited_ns;  /* for how long the VM has waited in those that were reached, together */
    uint64_t begin_ns;   /* when the last one began, by the VM's clock; 0: not known */
    uint64_t reached_ns; /* when its threads had come; 0: not known, or they have not */
    enum vm_safepoint_waits waits;
};

/** A Java thread for which the VM waits. */
struct vm_safepoint_late {
    uint64_t java_thread;
    int32_t tid;    /* the kernel's number */
    uint32_t state; /* enum hs_thread_state */
};

/**
 * Find what the VM of this process tells.
 *
 * Errors:  0; E_FACT_MISSING, and *ret_missing says what is missing (static text); -ENOMEM; errors
 *          of target_open_self().
 * Owner:   vm_safepoint_close(), after 0 only.
 */
int vm_safepoint_open(struct vm_safepoint *ret, const char **ret_missing);
void vm_safepoint_close(struct vm_safepoint *v);
/** The address of a word of 4 bytes or more that the VM writes when it begins a safepoint, and
 * perhaps at other times; 0: not known. */
uint64_t vm_safepoint_word(const struct vm_safepoint *v);
/** Look. Takes less than 100 ns with counters. */
void vm_safepoint_look(struct vm_safepoint *v, struct vm_safepoint_look *ret);
/** The Java threads that have not come yet. Returns how many there are; *ret has `most` of them at
 * most. Only while the VM waits is the answer about a safepoint. */
uint32_t vm_safepoint_late(const struct vm_safepoint *v, struct vm_safepoint_late *ret,
                           uint32_t most);
/** The name of the operation for which the VM stops, or stopped last, for example
 * "G1CollectForAllocation" (as in jdk.ExecuteVMOperation); NULL: not known. The text is the VM's.
 */
const char *vm_safepoint_operation(const struct vm_safepoint *v);
