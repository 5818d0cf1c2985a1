/*
 * java_locks.h - which threads hold and which wait for which lock, and which wait in a circle.
 *
 * Held monitors are found in the places where the VM keeps them: in the frames (interpreted: the
 * frame's monitor block; compiled: the debug data of the call site), on the threads' lock stacks,
 * and in the list of inflated monitors. A lock of java.util.concurrent is seen when a thread is
 * parked for it. If a compiled method at the very top of a running thread holds a lock, the frame
 * of the lock is not known; if the lock is not inflated, it is not found at all (JDK 8 to 21).
 * Source: HotSpot vframe.cpp (print_lock_info_on), objectMonitor.hpp, synchronizer.hpp,
 * lockStack.hpp, debugInfo.cpp, location.hpp, basicLock.hpp; java.util.concurrent.locks.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { JAVA_LOCKS_BARE = 1024 };

struct java_threads;
struct stopped_frame;
struct oops;

enum java_lock_kind {
    JAVA_LOCK_HELD,
    JAVA_LOCK_RELOCK,   /* held when Object.wait() was called; to be held again afterwards */
    JAVA_LOCK_ENTERING, /* blocked at the begin of a synchronized block or method */
    JAVA_LOCK_WAITING,  /* in Object.wait() */
    JAVA_LOCK_PARKED,   /* LockSupport.park() with a blocker */
};

struct java_lock {
    uint64_t object;
    uint32_t thread; /* row of struct java_threads: the thread that holds or waits */
    int32_t frame;   /* index in the thread's frames; -1: not known */
    uint8_t kind;    /* enum java_lock_kind */
    int32_t holder;  /* row of struct java_threads: holder of the awaited lock; -1: not known */
    int32_t next;    /* the next row of the same thread; -1: none */
    char *class_name;
};

/** A circle of threads: each waits for a lock of the next thread, the last for one of the first. */
struct java_deadlock {
    uint32_t *locks; /* indices in `rows` of struct java_locks */
    uint32_t count;
};

struct java_locks {
    struct oops *oops;
    const struct java_threads *threads;
    struct java_lock *rows;
    uint32_t count;
    int32_t *first, *last; /* by thread: its first and last row, -1: none; NULL: out of memory */
    struct java_locks_slot *stacked; /* objects on lock stacks, by object */
    uint32_t stacked_slots, stacked_count;
    struct java_deadlock *deadlocks;
    uint32_t deadlock_count;
    bool out_of_memory;             /* some rows are missing */
    uint64_t bare[JAVA_LOCKS_BARE]; /* hashed call sites of compiled code that hold no monitor */
};

void java_locks_init(struct java_locks *l, struct oops *o, const struct java_threads *threads);
void java_locks_done(struct java_locks *l);

/** Add what thread `thread` waits for. Call this for all threads, and then java_locks_frames() for
 * all threads. */
void java_locks_thread(struct java_locks *l, uint32_t thread);

/** Add the locks that the frames of thread `thread` hold. */
void java_locks_frames(struct java_locks *l, uint32_t thread, const struct stopped_frame *frames,
                       uint32_t count);

/** A word for enum java_lock_kind. Static. */
const char *java_locks_word(unsigned kind);
/** The first row of a thread, or -1. The field `next` leads to its other rows. */
int32_t java_locks_first(const struct java_locks *l, uint32_t thread);

/** Add the held monitors that no frame showed. Call this after all threads were read. */
void java_locks_finish(struct java_locks *l);
/** Fill `deadlocks` from the rows with a holder. Call this after java_locks_finish(). */
void java_locks_find_deadlocks(struct java_locks *l);
