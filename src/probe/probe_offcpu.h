/*
 * probe_offcpu.h - the name `offcpu` of `hprof probe`: each time that a thread of the process was
 * away from the processors for long, with the frames that waited, and who woke it.
 *
 * Three programs in the kernel (probe_bpf.h) look at tracepoints of all processors:
 *
 *   sched:sched_switch    a thread of the process leaves its processor: when, and in which state.
 *                         A thread comes back: how long it was away. What was shorter than asked
 *                         for is forgotten here, and costs nothing else.
 *   sched:sched_waking    the thread that runs now wakes one that has been away for long enough.
 *   raw_syscalls:sys_exit a thread that has slept for long enough leaves its system call: its
 *                         registers and its stack are those of the call that waited.
 *
 * A thread in the state "uninterruptible" may wait for a page of memory, outside of any system
 * call: its stack is copied when it leaves the processor. A thread that was preempted has no stack.
 * If no stacks are wanted, the third program is not there, and no stack is copied.
 * A second has a bound of copied stacks: what is above it is counted.
 *
 * Source: Linux, its tracepoints sched and raw_syscalls; bpf_trace.c.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "probe/probe_frames.h"
#include "probe/probe_hit.h"

struct copied_stack_result;
struct probe_ring;
struct probe_ring_hit;

enum { PROBE_OFFCPU_WHY = 112, PROBE_OFFCPU_FIELDS = 4 };

/** Whether a name is `offcpu`, or begins with `offcpu:`. */
bool probe_offcpu_is(const char *name);
/** Whether such a name is right, as `offcpu:>TIME`. *ret_least_ns is the time, 1 ms if there is
 * none. False: *ret_why says what is wanted. */
bool probe_offcpu_check(const char *name, uint64_t *ret_least_ns, const char **ret_why);
/** The fields of its rows: "state", "queued_ns", "waker", and with stacks "waker_frames". */
void probe_offcpu_form(struct probe_hit_form *ret, bool has_stacks);

struct probe_offcpu;

/** What is asked for. */
struct probe_offcpu_how {
    pid_t pid;
    uint64_t least_ns;
    bool has_stacks;
    uint32_t rate; /* stacks a second */
    uint32_t site; /* the number that its hits have */
};

/**
 * Put the programs. Their records come through `ring`, which is borrowed and has room for stacks if
 * they are wanted. Errors: 0; -ENOENT: no such tracepoints; -EPERM, -EACCES; E_UNSUPPORTED: this
 * process counts processes from another one than the kernel; -errno. `why` is what a reader needs
 * beside the error, or "". Owner: probe_offcpu_close(), also after an error, before the ring.
 */
int probe_offcpu_open(const struct probe_offcpu_how *how, struct probe_ring *ring,
                      struct probe_offcpu **ret, char why[PROBE_OFFCPU_WHY]);
void probe_offcpu_close(struct probe_offcpu *o);

/** What a hit is. */
enum probe_offcpu_hit {
    PROBE_OFFCPU_NONE,    /* nothing to do */
    PROBE_OFFCPU_LEAVES,  /* a thread leaves its processor: probe_offcpu_keep() its frames */
    PROBE_OFFCPU_WAKES,   /* the thread of the hit wakes another: probe_offcpu_waker() */
    PROBE_OFFCPU_IS_OVER, /* a wait: its stack is that of the hit */
    PROBE_OFFCPU_IS_BACK, /* a wait: its stack was kept */
};

/** A wait that is over. */
struct probe_offcpu_wait {
    pid_t tid;
    uint64_t begin_ns, ns; /* with several waits within one system call: of the first; the sum */
    struct probe_hit_value values[PROBE_OFFCPU_FIELDS];
    struct probe_frames frames; /* PROBE_OFFCPU_IS_BACK: the caller's, if has_frames */
    bool has_frames;
    bool is_bare; /* it has no stack, because the rate had no room for it */
};

/** Look at a hit. *ret is set if a wait is over. */
enum probe_offcpu_hit probe_offcpu_look(struct probe_offcpu *o, const struct probe_ring_hit *hit,
                                        struct probe_offcpu_wait *ret);
/** The thread of the hit leaves its processor: takes its frames over. */
void probe_offcpu_keep(struct probe_offcpu *o, pid_t tid, struct probe_frames *frames);
/** Note who wakes. `stack` is that of the hit's thread; NULL: none. */
void probe_offcpu_waker(struct probe_offcpu *o, const struct probe_ring_hit *hit,
                        const struct copied_stack_result *stack);
/** A thread has ended. */
void probe_offcpu_exit(struct probe_offcpu *o, pid_t tid);
/** Hits were lost: what is known of threads that wait now may be wrong. */
void probe_offcpu_forget(struct probe_offcpu *o);
