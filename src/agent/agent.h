/*
 * agent.h - what the parts of libhprof.so share: one struct, one lock.
 *
 * `lock` guards the model, the recordings and the thread list. Every callback of the VM that
 * touches them takes the lock. While the lock is held, no call is made that leads to a callback
 * which takes the lock again. The thread that holds the lock waits for no file and no peer, except
 * at the end of measuring (agent_enter()). Code that runs in a signal handler or a heap callback
 * does not touch this struct. The order of all locks is base/lock_rank.def.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/log.h"
#include "base/lock.h"
#include "options/options.h"
#include "profile/profile.h"
#include "vm/vm.h"

struct names;
struct recording;
struct threads;

enum { AGENT_THREADS_MAX = 16, AGENT_RECORDINGS = 8 };

/** State of the line "Dumping ... done.". Its end is printed after the last part is written. */
enum agent_dump_line {
    AGENT_DUMP_SAID,
    AGENT_DUMP_BEGUN, /* the engines' dump() is at work */
    /* dump() of the engines has returned, but not all is written: crew_dump_written() */
    AGENT_DUMP_PENDING,
};

struct agent_dump_state {
    enum agent_dump_line line;
    uint32_t errors; /* log_errors() at the beginning of the dump */
    struct recording *recording;
};

struct agent_locks {
    /* lets one begin, end or change of measuring happen at a time: agent_life_lock() */
    struct lock life;
    struct lock agent;        /* the agent's lock, for agent_lock() and its like */
    _Atomic uintptr_t owner;  /* for agent_lock_is_mine() */
    _Atomic uint64_t late_ns; /* the time when agent_enter_in_time() last failed to take the lock */
    /* allows one dump or request at a time; held also during a wait for a file */
    struct lock dumps;
};

/** The agent's own threads that are attached to the VM. */
struct agent_threads {
    jthread refs[AGENT_THREADS_MAX]; /* global references */
    int count;
    /* global reference to the thread that stays after the last recording; or NULL */
    jthread lasting;
};

/** Each field is an engine_set. */
struct agent_engines {
    uint32_t at_work;
    uint32_t failed; /* engines that did not start; they are released before they are tried again */
    uint32_t stuck;  /* engines that could not be released: they run no more in this VM */
};

struct agent {
    struct vm vm;
    struct options options; /* of all recordings that run */
    struct agent_locks locks;
    struct profile *profile;
    struct names *names;
    struct threads *threads;
    /* the recordings that run; NULL: a free place */
    struct recording *recordings[AGENT_RECORDINGS];
    /* a recording that is about to run: its options count already */
    const struct recording *coming;
    uint32_t next_object; /* ids of objects in files, from 1 */
    int in_use;           /* from a load or a start to the end of the release */
    int attached;         /* engines that start now start in a running VM */
    int started;          /* VM_INIT has been handled */
    _Atomic int dying;    /* VM_DEATH has begun: nothing new is started */
    _Atomic int closed;   /* the last recording has ended */
    _Atomic int vm_ends;  /* VM_DEATH is being handled: nothing has to be given back */
    bool is_leaving;      /* the agent was told to stop; the VM goes on without it */
    struct agent_threads own_threads;
    struct agent_dump_state last_dump;
    struct agent_engines engines;
};

/**
 * Take the lock of life. It lets one begin, end or change of measuring happen at a time, no matter
 * whether a load, a command, a duration, a peer or the VM causes it. The beginning of a recording
 * reads the options of all running recordings without the agent's lock, so no other thread may
 * change them meanwhile. Context of these three functions: java, no lock held, because this lock is
 * taken before all others.
 */
void agent_life_lock(struct agent *a);
/** Take the lock of life if it is free. For a thread that the holder of the lock may wait for. */
bool agent_life_try_lock(struct agent *a);
void agent_life_unlock(struct agent *a);

void agent_lock(struct agent *a);
/**
 * Take the lock, for threads of the program. If measuring ends and another thread has the lock, do
 * not wait, because that thread may wait for a file. Returns whether the lock was taken.
 */
int agent_enter(struct agent *a);
/**
 * Like agent_enter(), for callbacks during which the VM may stop the holder of the lock until this
 * thread goes on. Example: another agent makes the VM walk the heap (vm/vm_heap.h). This function
 * gives up after 0.5 s, and for 2 s after that it does not wait at all.
 */
int agent_enter_in_time(struct agent *a);
/** Take the lock if it is free. Returns whether it was. */
int agent_try_lock(struct agent *a);
void agent_unlock(struct agent *a);
/**
 * Whether the calling thread holds the lock, so that an event was caused by the agent's own calls.
 * Context: any.
 */
bool agent_lock_is_mine(const struct agent *a);
/** Whether `thread` was started by agent_run_thread(). */
int agent_owns_thread(const struct agent *a, JNIEnv *env, jthread thread);
/** The next free object id for files. Needs the lock. */
uint32_t agent_new_object(struct agent *a);
/**
 * Start a thread of the agent (AGENT_THREADS_MAX at most): a daemon in the system thread group,
 * never sampled. The function may not use its jvmtiEnv (vm_threads.h).
 * Errors: 0, or -1 with a pending exception cleared. Context: java.
 */
int agent_run_thread(struct agent *a, JNIEnv *env, const char *name, jvmtiStartFunction function,
                     void *argument);
/** Like agent_run_thread(), for the one thread that stays between two recordings. */
int agent_run_lasting_thread(struct agent *a, JNIEnv *env, const char *name,
                             jvmtiStartFunction function, void *argument);
/** How to say that something could not be made because of `error`: as an error, but as a note if it
 * was asked for just before the VM's end (vm/vm_pause.h), since the end makes it once more. */
log_function *agent_missed(const struct agent *a, int error);
/**
 * Forget the agent's threads, except the lasting one: they have ended, or are about to end.
 * Context: java.
 */
void agent_forget_threads(struct agent *a, JNIEnv *env);

/**
 * Threads that are never sampled: native threads of the agent, and threads that work for all
 * engines. The calling thread becomes one before it does its work. Context: any.
 */
void agent_exempt_begin(void);
/** End the exemption before the calling thread ends: the kernel may reuse its number. */
void agent_exempt_end(void);
/** Whether the thread with this number is exempt. Context: any. */
bool agent_exempt_has(int32_t tid);
