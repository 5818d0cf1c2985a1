/*
 * vm_shared.h - what a JVM has once, for all libraries of ours in it.
 *
 * Libraries that use this folder (libhprof.so and another one) have hidden symbols and do not know
 * each other; yet the JVM has one allocation sampler and one set of flags. Each library brings a
 * control block, and a note in its ELF file ("hprof", type VM_SHARED_NOTE) says where that block
 * lies. All libraries use the block of the library that was loaded first, in the order of
 * dl_iterate_phdr(). This block is the same for all of them, because libraries of ours are never
 * unloaded (-z nodelete). A block of another version is skipped, so libraries of two versions share
 * nothing.
 *
 * Signals are not in the block, because the kernel's own table says which handler a signal has. A
 * library takes a signal that has no handler (agent/timer/rival.h), and handlers of SIGSEGV pass on
 * faults that are not their own (safe/mem_self.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    VM_SHARED_VERSION = 2,
    /* the note's description is the distance from itself to the block */
    VM_SHARED_NOTE = 0x687001,
    VM_SHARED_LIBRARIES = 4,     /* how many libraries can use one block */
    VM_SHARED_FLAGS = 8,         /* how many flags can be lowered at once */
    VM_SHARED_FLAG_NAME = 40,    /* length of the longest name, with its final 0 */
    VM_SHARED_SAMPLER_USERS = 4, /* users of all libraries together */
};

/** A number among the VM's flags that a library has lowered. See vm_flag.h. */
struct vm_shared_flag {
    char name[VM_SHARED_FLAG_NAME]; /* "": the row is free */
    uint64_t before;                /* the flag before the first library lowered it */
    uint64_t asked[VM_SHARED_LIBRARIES];
    uint32_t users; /* a bit for each library that has asked */
};

/** A user of sampled allocations. See vm_sampler.h. */
struct vm_shared_sampled {
    int is_taken;
    uint64_t interval; /* mean bytes between samples; 0: every object */
    void *arg;
    void (*_Atomic seen)(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg);
};

struct vm_shared_sampler {
    jvmtiEnv *jvmti;           /* the environment with the capability; NULL: there is no user */
    _Atomic uint64_t interval; /* the interval that the VM has now */
    _Atomic uint64_t random;   /* the state of the random numbers for draws */
    struct vm_shared_sampled users[VM_SHARED_SAMPLER_USERS];
};

struct vm_shared {
    /* VM_SHARED_VERSION and the size; a block with other values is not used */
    uint32_t version, bytes;
    pthread_mutex_t lock; /* guards the fields below that are not atomic */
    uint32_t libraries;   /* how many numbers of libraries were given */
    struct vm_shared_flag flags[VM_SHARED_FLAGS];
    struct vm_shared_sampler sampler;
    /* incremented when a weaving of loaded classes begins and when it ends: see injector.h */
    _Atomic uint32_t weavings;
};

/** The block that all libraries use. It lives as long as the process. Context: any, not signal. */
struct vm_shared *vm_shared_block(void);
/**
 * The number of the calling library, below VM_SHARED_LIBRARIES; each library has another number.
 * Errors:  E_LIMIT: there are more libraries than numbers.
 * Context: any, not signal; the caller does not hold the lock.
 */
int vm_shared_library(void);
