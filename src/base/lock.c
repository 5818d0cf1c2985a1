/*
 * lock.c - see lock.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/lock.h"
#include <time.h>
#include "safe/clock.h"

bool lock_take_within(struct lock *l, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until); /* POSIX: a timed mutex uses this clock */
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / NS_PER_S);
    until.tv_nsec = (long)(ns % NS_PER_S);
    if (pthread_mutex_timedlock(&l->mutex, &until) != 0)
        return false;
#ifdef LOCK_CHECKED
    lock_note_taken(l->rank, true);
#endif
    return true;
}

#ifdef LOCK_CHECKED
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

_Static_assert(LOCK_RANKS <= 64, "a thread's ranks are the bits of a word");

static __thread uint64_t held; /* a bit for each rank that this thread holds */

const char *lock_word(enum lock_rank rank)
{
    static const char *const words[] = {
#define RANK(name, what) #name,
#include "base/lock_rank.def"
#undef RANK
    };
    return words[rank];
}

static void say(enum lock_rank before, enum lock_rank taken)
{
    dprintf(STDERR_FILENO, "lock order: %s is taken by a thread that holds %s\n", lock_word(taken),
            lock_word(before));
}

void (*lock_report)(enum lock_rank held, enum lock_rank taken) = say;

void lock_note_taken(enum lock_rank rank, bool may_wait)
{
    uint64_t not_below = held >> rank;
    if (may_wait && not_below)
        lock_report(rank + (enum lock_rank)__builtin_ctzll(not_below), rank);
    held |= UINT64_C(1) << rank;
}

void lock_note_given(enum lock_rank rank)
{
    held &= ~(UINT64_C(1) << rank);
}
#endif
