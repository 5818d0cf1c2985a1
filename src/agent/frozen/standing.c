/*
 * standing.c - see standing.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/standing.h"
#include <stdatomic.h>
#include <unistd.h>
#include "safe/clock.h"

enum { POLL_US = 500 };

static struct {
    _Atomic int32_t server;  /* the thread that serves; 0: none yet */
    _Atomic uint32_t served; /* the ticket that it works for */
    _Atomic uint32_t begun;  /* the work for tickets below this number has begun */
    _Atomic uint32_t over;   /* the work for tickets below this number is done */
} standing;

void standing_serve(uint32_t ticket)
{
    atomic_store(&standing.served, ticket);
    atomic_store(&standing.server, gettid());
}

bool standing_serves(void)
{
    return atomic_load(&standing.server) == gettid();
}

void standing_begin(void)
{
    if (standing_serves())
        atomic_store(&standing.begun, atomic_load(&standing.served) + 1);
}

void standing_let_go(void)
{
    if (standing_serves())
        atomic_store(&standing.over, atomic_load(&standing.served) + 1);
}

static bool has_passed(const _Atomic uint32_t *count, uint32_t ticket)
{
    return (int32_t)(atomic_load(count) - ticket) > 0;
}

void standing_give_up(uint32_t ticket)
{
    uint32_t over = atomic_load(&standing.over);
    while ((int32_t)(over - ticket) <= 0 &&
           !atomic_compare_exchange_weak(&standing.over, &over, ticket + 1))
        ;
}

bool standing_wait(uint32_t ticket, uint32_t ms)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)ms * NS_PER_MS;
    while (!has_passed(&standing.over, ticket)) {
        if (clock_monotonic_ns() >= end && !has_passed(&standing.begun, ticket))
            return false;
        usleep(POLL_US);
    }
    return true;
}
