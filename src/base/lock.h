/*
 * lock.h - a mutex with a rank: whoever holds one may take only locks of higher ranks.
 *
 * The ranks are the rows of lock_rank.def, so the order of all locks stands in one place. A build
 * with -Dlock_check=true keeps the ranks that each thread holds and reports a lock taken out of
 * order, where it is taken, whether or not it deadlocks. In other builds a lock is a mutex and
 * nothing else. Context of everything here: any, not signal.
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
    pthread_mutex_t mutex; /* for conditions to wait on; else by the functions below alone */
#ifdef LOCK_CHECKED
    enum lock_rank rank;
#endif
};

#ifdef LOCK_CHECKED
#define LOCK_INIT(name)                                                                            \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .rank = LOCK_##name                                    \
    }

/** Called for a lock of rank `taken` by a thread that holds one of rank `held`; says it on stderr.
 */
extern void (*lock_report)(enum lock_rank held, enum lock_rank taken);
/** The word of a rank. */
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

/** Take it, unless it is not free for so long. Returns whether it was taken. */
bool lock_take_within(struct lock *l, uint64_t ns);

/** Take it if it is free. Who does not wait may do so in any order. Returns whether it was. */
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
