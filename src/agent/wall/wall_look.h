/*
 * wall_look.h - reads what one thread does at this moment and its stack, without disturbing it.
 *
 * A thread that leaves Java leaves an anchor, from which its Java frames can be read while it
 * waits, sleeps or works in native code. The frames do not change until the thread returns to Java.
 * A second look shows whether it has returned.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/names/threads.h"
#include "agent/stack_source/callstack.h"
#include "safe/scope.h"

enum wall_state {
    /* runs or is ready to run: Java code, the VM's code, or native code that uses CPU time */
    WALL_RUNNING,
    WALL_NATIVE, /* waits in native code: reads, polls, waits for a process */
    WALL_SLEEPING,
    WALL_WAITING, /* in Object.wait or a similar wait */
    WALL_PARKED,  /* LockSupport.park */
    WALL_BLOCKED, /* waits for a monitor; with JDK 8 it may also wait for the VM */
    WALL_IN_VM,   /* waits for the VM, for example for the end of a pause */
    WALL_STATES,
};

/** The words in files, for example "running", "sleeping". */
extern const char *const wall_look_words[WALL_STATES];

/** The place of a thread, as far as it can be known from outside. */
struct wall_place {
    uint32_t state;    /* enum hs_thread_state */
    uint32_t os_state; /* ThreadState of the VM; unknown on JDK 8 */
    uint64_t sp, pc;   /* of its anchor */
    uint64_t cpu_ns;   /* its CPU time; 0 unknown */
};

/** What wall_look_at() found. */
struct wall_found {
    enum wall_state state;
    struct wall_place place;
    struct scope_values scopes; /* of the moment of the stack */
};

enum wall_look {
    WALL_LOOK_TAKEN, /* *ret and `stack` are valid */
    /* the thread must be asked itself: it runs Java, or its stack cannot be read from outside */
    WALL_LOOK_ASK,
    WALL_LOOK_NONE, /* the thread has no Java frame */
    WALL_LOOK_FAILED,
};

/**
 * The states in which wall_look_at() may find the thread, a bit for each. This is cheaper than a
 * look. Needs the agent's lock. Context: java.
 */
unsigned wall_look_may_be(const struct vm_thread *thread);
/** The states that wall_look_name() may make of `state`, a bit for each. Context: any. */
unsigned wall_look_may_mean(enum wall_state state);
/**
 * Look at a live platform thread other than the calling one. `depth` as for callstack_take_other().
 * The caller must leave the stack, except after WALL_LOOK_ASK. Needs the agent's lock, and
 * callstack_can_walk(). Context: java.
 */
enum wall_look wall_look_at(const struct vm_thread *thread, int depth, struct wall_found *ret,
                            struct callstack *stack);
/**
 * Whether the thread has not run since it was at `place`, so that its stack has not changed. Costs
 * one system call. Needs the agent's lock. Context: java.
 */
bool wall_look_has_rested(const struct vm_thread *thread, const struct wall_place *place);
/**
 * A more exact state for a thread that neither runs nor is in native code: the innermost of these
 * methods that tells a state decides. For a platform thread one method is enough. A virtual thread
 * has some methods of its unmounting further in. Needs the agent's lock. Context: any.
 */
enum wall_state wall_look_name(struct profile *p, const frame_id *frames, uint32_t count,
                               enum wall_state state);
