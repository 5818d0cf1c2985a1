/*
 * held.c - see held.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/held.h"
#include <stdatomic.h>
#include <unistd.h>
#include "safe/clock.h"

enum { POLL_US = 500, NS_PER_MS = 1000000 };

static struct {
    _Atomic int32_t server;  /* the thread that serves; 0: none so far */
    _Atomic uint32_t served; /* the ticket it is at */
    _Atomic uint32_t over;   /* tickets below are done */
} held;

void held_serve(uint32_t ticket)
{
    atomic_store(&held.served, ticket);
    atomic_store(&held.server, gettid());
}

bool held_serves(void)
{
    return atomic_load(&held.server) == gettid();
}

void held_let_go(void)
{
    if (held_serves())
        atomic_store(&held.over, atomic_load(&held.served) + 1);
}

bool held_wait(uint32_t ticket, uint32_t ms)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)ms * NS_PER_MS;
    bool is_over = false;

    while (!is_over && clock_monotonic_ns() < end) {
        is_over = (int32_t)(atomic_load(&held.over) - ticket) > 0;
        if (!is_over)
            usleep(POLL_US);
    }
    return is_over;
}
