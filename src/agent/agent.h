/*
 * agent.h - what the parts of libhprof.so share: one struct, one lock.
 *
 * `lock` guards the model, the recordings and the thread list; every callback of the VM that
 * touches them takes it, and no callback is taken while it is held that takes it again. Whoever has
 * it waits for no file and no peer, but at the end (agent_enter()). Nothing that runs in a signal
 * handler or a heap callback touches this struct. The order of all locks is base/lock_rank.def.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <jvmti.h>
#include <stdint.h>
#include "base/lock.h"
#include "options/options.h"
#include "profile/profile.h"
#include "vm/vm.h"

struct names;
struct recording;
struct threads;

enum { AGENT_THREADS_MAX = 16, AGENT_RECORDINGS = 8 };

/** The line "Dumping ... done.": its end is not said before the last part is written. */
enum agent_dump_line {
    AGENT_DUMP_SAID,
    AGENT_DUMP_BEGUN,   /* the engines' dump() is at work */
    AGENT_DUMP_PENDING, /* they have returned, but not all is written: agent_dump_written() */
};

struct agent_dump_state {
    enum agent_dump_line line;
    uint32_t errors; /* log_errors() when it began */
    struct recording *recording;
};

struct agent_locks {
    struct lock agent;        /* the agent's lock, for agent_lock() and its like */
    _Atomic uintptr_t owner;  /* agent_lock_is_mine() */
    _Atomic uint64_t late_ns; /* agent_enter_in_time(): when it was last not taken */
    struct lock dumps;        /* one dump or request at a time; held while one waits for a file */
};

/** Threads of our own that are attached to the VM. */
struct agent_threads {
    jthread refs[AGENT_THREADS_MAX]; /* global references */
    int count;
    jthread lasting; /* the same, of one that stays when the last recording has ended; NULL */
};

/** Each an engine_set. */
struct agent_engines {
    uint32_t at_work;
    uint32_t failed; /* have not started, and are to be released before they are tried again */
    uint32_t stuck;  /* could not be released: they run no more in this VM */
};

struct agent {
    struct vm vm;
    struct options options; /* of all that runs */
    struct agent_locks locks;
    struct profile *profile;
    struct names *names;
    struct threads *threads;
    struct recording *recordings[AGENT_RECORDINGS]; /* those that run; NULL: a free place */
    const struct recording *coming; /* one that is about to: its options count already */
    uint32_t next_object;           /* ids of objects in files, from 1 */
    int in_use;                     /* from a load or a start to the end of release */
    int attached;                   /* begun in a running VM */
    int started;                    /* VM_INIT has been handled */
    _Atomic int dying;              /* VM_DEATH has begun: nothing new is taken up */
    _Atomic int closed;             /* the last recording has ended */
    _Atomic int vm_ends;            /* VM_DEATH is being handled: nothing need be given back */
    bool is_leaving;                /* told to stop: the VM goes on without us */
    struct agent_threads own_threads;
    struct agent_dump_state last_dump;
    struct agent_engines engines;
};

void agent_lock(struct agent *a);
/**
 * For the program's threads: take the lock, unless measuring ends and somebody has it, who may then
 * wait for a file. Returns whether it was taken.
 */
int agent_enter(struct agent *a);
/**
 * The same where the VM may hold up whoever has the lock until this thread goes on: another agent
 * has it walk the heap (vm/vm_heap.h). Then the lock is not taken after some tenths of a second,
 * and for a while after that not waited for.
 */
int agent_enter_in_time(struct agent *a);
/** Take the lock if it is free. Returns whether it was. */
int agent_try_lock(struct agent *a);
void agent_unlock(struct agent *a);
/** Whether the calling thread holds the lock: an event caused by our own calls. Context: any. */
bool agent_lock_is_mine(const struct agent *a);
/** Whether it was started by agent_run_thread(). */
int agent_owns_thread(const struct agent *a, JNIEnv *env, jthread thread);
/** The next free object id for files. Needs the lock. */
uint32_t agent_new_object(struct agent *a);
/**
 * Start a thread of the agent (AGENT_THREADS_MAX at most): a daemon in the system thread group,
 * never sampled. Errors: 0, or -1 with a pending exception cleared. Context: java.
 */
int agent_run_thread(struct agent *a, JNIEnv *env, const char *name, jvmtiStartFunction function,
                     void *argument);
/** The same of the one thread that works on between two recordings. */
int agent_run_lasting_thread(struct agent *a, JNIEnv *env, const char *name,
                             jvmtiStartFunction function, void *argument);
/** The agent's other threads have ended, or are about to: forget them. Context: java. */
void agent_forget_threads(struct agent *a, JNIEnv *env);
