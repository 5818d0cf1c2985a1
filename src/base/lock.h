/*
 * lock.h - a mutex with a rank: a thread that holds a lock may take only locks of higher ranks.
 *
 * The ranks are the rows of lock_rank.def, so the order of all locks stands in one place. A build
 * with -Dlock_check=true remembers the ranks that each thread holds. It reports every lock that is
 * taken out of order, at the place where it is taken, whether or not the threads deadlock. In other
 * builds a lock is a mutex and nothing else.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum lock_rank {
#define RANK(name, what) LOCK_##name,
#include "base/lock_rank.def"
#undef RANK
    LOCK_RANKS,
};

struct lock {
    /* for pthread_cond_wait(); everything else uses the functions below */
    pthread_mutex_t mutex;
#ifdef LOCK_CHECKED
    enum lock_rank rank;
#endif
};

#ifdef LOCK_CHECKED
#define LOCK_INIT(name)                                                                            \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .rank = LOCK_##name                                    \
    }

/** Called when a thread that holds a lock of rank `held` takes one of rank `taken`. The default
 * writes a line to stderr. */
extern void (*lock_report)(enum lock_rank held, enum lock_rank taken);
/** The name of a rank, for example "AGENT". */
const char *lock_word(enum lock_rank rank);
void lock_note_taken(enum lock_rank rank, bool may_wait);
void lock_note_given(enum lock_rank rank);
#else
#define LOCK_INIT(name)                                                                            \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }
#endif

static inline void lock_init(struct lock *l, enum lock_rank rank)
{
    pthread_mutex_init(&l->mutex, NULL);
#ifdef LOCK_CHECKED
    l->rank = rank;
#else
    (void)rank;
#endif
}

static inline void lock_done(struct lock *l)
{
    pthread_mutex_destroy(&l->mutex);
}

static inline void lock_take(struct lock *l)
{
#ifdef LOCK_CHECKED
    lock_note_taken(l->rank, true);
#endif
    pthread_mutex_lock(&l->mutex);
}

/** Take the lock, but give up after `ns`. Returns whether the lock was taken. */
bool lock_take_within(struct lock *l, uint64_t ns);

/** Take the lock if it is free. A thread that does not wait may take locks in any order. Returns
 * whether the lock was taken. */
static inline bool lock_try(struct lock *l)
{
    if (pthread_mutex_trylock(&l->mutex) != 0)
        return false;
#ifdef LOCK_CHECKED
    lock_note_taken(l->rank, false);
#endif
    return true;
}

static inline void lock_give(struct lock *l)
{
#ifdef LOCK_CHECKED
    lock_note_given(l->rank);
#endif
    pthread_mutex_unlock(&l->mutex);
}
