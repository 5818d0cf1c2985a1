/*
 * lockhook.h - from a call that waits for a lock of native code to an event in the ring.
 *
 * The hooks of pthread_mutex_lock() and its like (agent/nativelock) call the functions below on any
 * thread of the process, as hookwalk.h says; nothing here allocates, takes a lock, waits, or asks
 * the VM. A hook first tries to take the lock. Only if that fails, or for a condition, which always
 * waits, the call is measured. A wait that reaches the threshold puts a sample into the ring when
 * it has ended; a shorter one is only counted.
 *
 * Re-entry. A library that stands in front of libc calls the function of the same name. Only the
 * outermost wait counts: a thread notes the frame of the hook that it waits in; a hook with a frame
 * below that address (the stack grows down) is an inner one. If a call never returned, because the
 * thread was cancelled or longjmp() left it, the next hook with a higher frame replaces the note.
 *
 * What is read: the note in thread-local storage that never allocates (base/own_tls.h); the owner's
 * number in the lock, which the caller keeps mapped while it waits for the lock, and only if libc
 * is the glibc whose lock has it there; the ring, which is not unmapped while a thread is counted
 * in `inside`; and what hookwalk.h reads. What is written: the note, the ring, the counts.
 * Source: glibc sysdeps/nptl/bits/struct_mutex.h, struct_rwlock.h.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "safe/hookring.h"

enum lockhook_what {
    LOCKHOOK_MUTEX,
    LOCKHOOK_READ,  /* a lock for readers and a writer, to read */
    LOCKHOOK_WRITE, /* the same, to write */
    LOCKHOOK_CONDITION,
    LOCKHOOK_SEMAPHORE,
};

/** One record of the ring: a wait. */
struct lockhook_sample {
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
    uint64_t address;          /* of the lock */
    uint32_t owner;            /* the serial of the thread that had the lock; 0: not known */
    uint8_t what;              /* enum lockhook_what */
    bool has_timed_out;
    bool is_idle; /* a library of `spared` waits for a condition or a semaphore */
    struct hookring_stack stack;
    struct walk_frame frames[];
};

/** Addresses of a library. */
struct lockhook_range {
    uint64_t low, high;
};

enum { LOCKHOOK_SPARED = 2 };

/** Everything that hooks need; set up once, kept for ever. */
struct lockhook {
    struct hookring base;
    _Atomic bool with_vm;          /* also waits for conditions and semaphores of `spared` */
    _Atomic uint64_t threshold_ns; /* shorter waits are only counted */
    struct lockhook_range spared[LOCKHOOK_SPARED]; /* the VM, and the JDK's own library */
    bool has_owners;                               /* locks are glibc's */
    _Atomic uint64_t shorter, shorter_ns, lost, lost_ns;
};

extern struct lockhook lockhook;

/** A wait that goes on. */
struct lockhook_wait {
    uint64_t start_ns;
    const void *lock;
    uint32_t owner; /* as in the sample */
    enum lockhook_what what;
    bool is_idle;
};

/** How many bytes the longest sample has. Context: any. */
size_t lockhook_sample_bytes(uint32_t depth);

/** A wait begins, in the hook with this frame, called from `pc`. Returns false: it does not count.
 */
bool lockhook_begin(struct lockhook_wait *w, const void *lock, enum lockhook_what what,
                    uintptr_t frame, uint64_t pc);
/** The wait has ended. Keeps errno. */
void lockhook_end(const struct lockhook_wait *w, bool has_timed_out,
                  const struct hookwalk_caller *caller);

/** The calling thread's waits do not count from now on. */
void lockhook_exempt(void);
