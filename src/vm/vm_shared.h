/*
 * vm_shared.h - what a JVM has once, for all libraries of ours in it.
 *
 * Two libraries that stand on this floor (libhprof.so and another one) have hidden symbols and know
 * nothing of each other; yet the allocation sampler and the flags of the VM are there once. Each
 * library brings a control block, and a note in its ELF file ("hprof", type VM_SHARED_NOTE) says
 * where that block lies. All libraries use the block of the one that was loaded first, as
 * dl_iterate_phdr() lists them: it is the same for everybody, because libraries of ours are never
 * unloaded (-z nodelete). A block of another version is passed over, so libraries of two versions
 * share nothing.
 *
 * Signals need no place here. The kernel's own table says who has which: a library takes a signal
 * that nobody has (agent/timer/rival.h), and handlers of SIGSEGV pass on what is not theirs
 * (safe/mem_self.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    VM_SHARED_VERSION = 2,
    VM_SHARED_NOTE = 0x687001,   /* the note's description: distance of the block from itself */
    VM_SHARED_LIBRARIES = 4,     /* that can use one block */
    VM_SHARED_FLAGS = 8,         /* that can be changed at once */
    VM_SHARED_FLAG_NAME = 40,    /* longest name, with its end */
    VM_SHARED_SAMPLER_USERS = 4, /* of all libraries together */
};

/** A number among the VM's flags that somebody has lowered. See vm_flag.h. */
struct vm_shared_flag {
    char name[VM_SHARED_FLAG_NAME]; /* "": the row is free */
    uint64_t before;                /* what the flag was before the first of us lowered it */
    uint64_t asked[VM_SHARED_LIBRARIES];
    uint32_t users; /* a bit for each library that has asked */
};

/** One who hears of sampled allocations. See vm_sampler.h. */
struct vm_shared_sampled {
    int is_taken;
    uint64_t interval; /* mean bytes between samples; 0: every object */
    void *arg;
    void (*_Atomic seen)(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg);
};

struct vm_shared_sampler {
    jvmtiEnv *jvmti;           /* has the capability; NULL: nobody wants it */
    _Atomic uint64_t interval; /* that the VM has now */
    _Atomic uint64_t random;   /* the state that draws are made of */
    struct vm_shared_sampled users[VM_SHARED_SAMPLER_USERS];
};

struct vm_shared {
    uint32_t version, bytes; /* VM_SHARED_VERSION and the size: a block that differs is not ours */
    pthread_mutex_t lock;    /* of all that follows, but what is atomic */
    uint32_t libraries;      /* numbers that have been given out */
    struct vm_shared_flag flags[VM_SHARED_FLAGS];
    struct vm_shared_sampler sampler;
    _Atomic uint32_t weavings; /* of loaded classes, that began or ended: see injector.h */
};

/**
 * The block that all libraries use. Context: any, not signal. Owner: lives as long as the process.
 */
struct vm_shared *vm_shared_block(void);
/**
 * The number of the library that asks, below VM_SHARED_LIBRARIES: each has one. Errors: E_LIMIT
 * when there are more libraries than numbers. Context: any, not signal; the lock is not held.
 */
int vm_shared_library(void);
