/*
 * wall_look.h - what one thread does at this moment, and where, without disturbing it.
 *
 * A thread that does not run Java has left an anchor, from where its Java frames can be read while
 * it waits, sleeps, or works in native code: they stay what they are until it comes back to Java. A
 * second look tells whether it has. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/stack_source/callstack.h"
#include "agent/threads.h"

enum wall_state {
    WALL_RUNNING, /* or wants to: runs Java, the VM's code, or native code that takes CPU time */
    WALL_NATIVE,  /* waits in native code: reads, polls, waits for a process */
    WALL_SLEEPING,
    WALL_WAITING, /* Object.wait, and what waits likewise */
    WALL_PARKED,  /* LockSupport.park */
    WALL_BLOCKED, /* wants a monitor; with JDK 8 it may wait for the VM, too */
    WALL_IN_VM,   /* waits for the VM, as for the end of a pause */
    WALL_STATES,
};

/** As files have them: "running", "sleeping". */
extern const char *const wall_look_words[WALL_STATES];

/** Where a thread is, as far as it can be known from outside. */
struct wall_place {
    uint32_t state;    /* enum hs_thread_state */
    uint32_t os_state; /* ThreadState of the VM; JDK 8 does not say where it is */
    uint64_t sp, pc;   /* of its anchor */
    uint64_t cpu_ns;   /* its CPU time; 0 unknown */
};

enum wall_look {
    WALL_LOOK_TAKEN, /* *ret_state, *ret_place and `stack` hold */
    WALL_LOOK_ASK,   /* it has to be asked itself: it runs Java, or what it has left there is not
                      * to be read from outside */
    WALL_LOOK_NONE,  /* it has no Java frame */
    WALL_LOOK_FAILED,
};

/** The states that wall_look_at() may find the thread in, a bit for each: what costs no look. Needs
 * the agent's lock. Context: java. */
unsigned wall_look_may_be(const struct vm_thread *thread);
/** The same of a state that wall_look_name() may say better. Context: any. */
unsigned wall_look_may_mean(enum wall_state state);
/**
 * Look at a live thread of the platform that is not the calling one. `depth`: as
 * callstack_take_other(). The stack is to be left in any case but WALL_LOOK_ASK. Needs the agent's
 * lock, and callstack_can_walk(). Context: java.
 */
enum wall_look wall_look_at(const struct vm_thread *thread, int depth, enum wall_state *ret_state,
                            struct wall_place *ret_place, struct callstack *stack);
/** Whether the thread has not run since it was at `place`, so that its stack is what it was. Costs
 * one system call. Needs the agent's lock. Context: java. */
bool wall_look_has_rested(const struct vm_thread *thread, const struct wall_place *place);
/**
 * The same state, said better by the innermost of these methods that tells it, of a thread that
 * neither runs nor is in native code: a platform thread's first one does, a virtual thread has some
 * of its unmounting above. Needs the agent's lock. Context: any.
 */
enum wall_state wall_look_name(struct profile *p, const frame_id *frames, uint32_t count,
                               enum wall_state state);
