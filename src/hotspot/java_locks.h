/*
 * java_locks.h - who holds and who waits for which lock, and who waits in a circle.
 *
 * Monitors held are found where the VM keeps them: in the frames (interpreted: the frame's monitor
 * block; compiled: the debug data of the call site), on the threads' lock stacks, and in the list
 * of inflated monitors. Locks of java.util.concurrent are seen when a thread is parked for one. A
 * lock held by a compiled method at the very top of a running thread is known without its frame,
 * or, where it is not inflated, not at all (JDK 8 to 21).
 * Source: HotSpot vframe.cpp (print_lock_info_on), objectMonitor.hpp, synchronizer.hpp,
 * lockStack.hpp, debugInfo.cpp, location.hpp, basicLock.hpp; java.util.concurrent.locks. Context of
 * everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
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
    JAVA_LOCK_RELOCK,   /* held when Object.wait() was called, to be held again after it */
    JAVA_LOCK_ENTERING, /* blocked: synchronized */
    JAVA_LOCK_WAITING,  /* in Object.wait() */
    JAVA_LOCK_PARKED,   /* LockSupport.park() with a blocker */
};

struct java_lock {
    uint64_t object;
    uint32_t thread; /* row of struct java_threads: who holds it or waits */
    int32_t frame;   /* index in the thread's frames, -1 not known */
    uint8_t kind;    /* enum java_lock_kind */
    int32_t holder;  /* of what is waited for: row of struct java_threads, -1 none or not known */
    int32_t next;    /* the next row of the same thread, -1 none */
    char *class_name;
};

/** A circle: each thread waits for a lock of the next, the last for one of the first. */
struct java_deadlock {
    uint32_t *locks; /* rows of `rows` */
    uint32_t count;
};

struct java_locks {
    struct oops *oops;
    const struct java_threads *threads;
    struct java_lock *rows;
    uint32_t count;
    int32_t *first, *last;           /* by thread: its rows, -1 none; NULL for want of memory */
    struct java_locks_slot *stacked; /* what is on lock stacks, by object */
    uint32_t stacked_slots, stacked_count;
    struct java_deadlock *deadlocks;
    uint32_t deadlock_count;
    bool out_of_memory;             /* some are missing */
    uint64_t bare[JAVA_LOCKS_BARE]; /* call sites of compiled code that hold no monitor, by hash */
};

void java_locks_init(struct java_locks *l, struct oops *o, const struct java_threads *threads);
void java_locks_done(struct java_locks *l);

/** What thread `thread` waits for. Call it for all threads, then java_locks_frames() for all. */
void java_locks_thread(struct java_locks *l, uint32_t thread);

/** What the frames of thread `thread` hold. */
void java_locks_frames(struct java_locks *l, uint32_t thread, const struct stopped_frame *frames,
                       uint32_t count);

/** The first row of a thread, -1 none; the others follow by `next`. */
int32_t java_locks_first(const struct java_locks *l, uint32_t thread);

/** After all threads: adds monitors that are held and that no frame showed. java_deadlocks_find()
 * comes behind. */
void java_locks_finish(struct java_locks *l);
