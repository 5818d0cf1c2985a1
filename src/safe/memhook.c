/*
 * memhook.c - see memhook.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/memhook.h"
#include <errno.h>
#include <unistd.h>
#include "safe/clock.h"

enum {
    RUNS = 64,    /* the bounds of the two loops that draw a distance */
    RUN_LEN = 64, /* longer ones have a probability below 2^-64 */
};

struct memhook memhook;
__thread struct memhook_own memhook_own;

size_t memhook_sample_bytes(uint32_t depth)
{
    return sizeof(struct memhook_sample) + ((size_t)depth + 1) * sizeof(struct walk_frame);
}

/* ---- the distance to the next sample */

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/*
 * An exponential number with the mean `mean`, without a logarithm: numbers are drawn as long as
 * each is smaller than the one before. If the run has an odd length, its first number is the
 * fraction of the result; if not, the result grows by one and the next run is drawn.
 * Source: von Neumann, "Various techniques used in connection with random digits", 1951.
 */
static int64_t draw_distance(uint64_t *state, uint64_t mean)
{
    for (uint64_t whole = 0; whole < RUNS; whole++) {
        uint64_t first = next_random(state), before = first;
        for (int len = 1; len < RUN_LEN; len++) {
            uint64_t next = next_random(state);
            if (next < before) {
                before = next;
                continue;
            }
            if (len % 2 == 1)
                return (int64_t)(whole * mean + (uint64_t)((unsigned __int128)first * mean >> 64));
            break;
        }
    }
    return (int64_t)(RUNS * mean);
}

/* Set the distance to the next sample. Returns whether the block of the present call is one. */
static bool is_drawn(struct memhook_own *own)
{
    uint64_t interval = atomic_load_explicit(&memhook.interval, memory_order_relaxed);
    if (interval <= 1) {
        own->left = 0;
        return true;
    }
    if (own->random) {
        own->left = draw_distance(&own->random, interval);
        return true;
    }
    /* The thread's first call. `left` has begun at 0 and is less by the bytes of this block. */
    own->random = (clock_monotonic_ns() ^ (uint64_t)(uintptr_t)own << 16) | 1;
    own->left += draw_distance(&own->random, interval);
    if (own->left >= 0)
        return false;
    own->left = draw_distance(&own->random, interval);
    return true;
}

/* ---- a sample */

/* Publish the draft. The block must be in the table before its owner can free it, and must not stay
 * there if nobody is told of it. Returns false: there was no room. */
static bool publish(struct memhook_sample *s, struct walk_request *request)
{
    size_t frames = hookring_frames(&s->stack);
    int32_t slot = s->slot =
        s->what == MEMHOOK_BLOCK ? blockset_add(&memhook.held, s->address) : BLOCKSET_NONE;
    if (hookring_publish(&memhook.base, s, sizeof(*s) + frames * sizeof(struct walk_frame),
                         request))
        return true;
    if (slot != BLOCKSET_NONE)
        blockset_drop(&memhook.held, slot);
    return false;
}

static bool is_of_agent(const struct hookwalk_caller *caller)
{
    return caller->pc - memhook.own_low < memhook.own_high - memhook.own_low;
}

static void sample(enum memhook_what what, const void *address, size_t bytes,
                   const struct hookwalk_caller *caller)
{
    struct memhook_sample *s = ring_claim(&memhook.base.ring);
    struct walk_request request;
    if (s) {
        s->what = what;
        s->time_ns = clock_monotonic_ns();
        s->address = (uint64_t)(uintptr_t)address;
        s->bytes = bytes;
        hookring_look(&memhook.base, caller, &s->stack, s->frames, &request);
    }
    if (!s || !publish(s, &request))
        atomic_fetch_add_explicit(&memhook.lost, 1, memory_order_relaxed);
}

__attribute__((noinline)) void memhook_draw(struct memhook_own *own, const void *block,
                                            size_t bytes, const struct hookwalk_caller *caller)
{
    int saved = errno;
    if (is_of_agent(caller)) {
        own->left += (int64_t)bytes;
        return;
    }
    if (!is_drawn(own))
        return;
    if (hookring_enter(&memhook.base))
        sample(MEMHOOK_BLOCK, block, bytes, caller);
    hookring_leave(&memhook.base);
    errno = saved;
}

/* ---- the end of a block */

uint64_t memhook_now(void)
{
    return clock_monotonic_ns();
}

/* Put the end of a block into the ring. Returns whether there was room. */
static bool publish_end(int32_t slot, uint64_t now_ns)
{
    struct memhook_sample *s = ring_claim(&memhook.base.ring);
    if (!s)
        return false;
    s->what = MEMHOOK_FREED;
    s->time_ns = now_ns;
    s->address = blockset_address(&memhook.held, slot);
    s->bytes = 0;
    s->slot = slot;
    return ring_publish(&memhook.base.ring, s, sizeof(*s)) != RING_LOST;
}

void memhook_given(int32_t slot, uint64_t now_ns)
{
    if (hookring_enter(&memhook.base) && publish_end(slot, now_ns))
        blockset_release(&memhook.held, slot);
    else
        blockset_free(&memhook.held, slot, now_ns);
    hookring_leave(&memhook.base);
}

void memhook_kept(int32_t slot)
{
    blockset_put_back(&memhook.held, slot);
}

/* ---- ranges of pages */

__attribute__((noinline)) void memhook_mapped(const void *address, size_t bytes,
                                              const struct hookwalk_caller *caller)
{
    int saved = errno;
    if (is_of_agent(caller))
        return;
    if (hookring_enter(&memhook.base))
        sample(MEMHOOK_MAPPED, address, bytes, caller);
    hookring_leave(&memhook.base);
    errno = saved;
}

/* Returns whether there was room. */
static bool publish_unmapped(const void *address, size_t bytes, uint64_t began_ns)
{
    struct memhook_sample *s = ring_claim(&memhook.base.ring);
    if (!s)
        return false;
    s->what = MEMHOOK_UNMAPPED;
    s->slot = BLOCKSET_NONE;
    s->time_ns = began_ns;
    s->address = (uint64_t)(uintptr_t)address;
    s->bytes = bytes;
    return ring_publish(&memhook.base.ring, s, sizeof(*s)) != RING_LOST;
}

void memhook_unmapped(const void *address, size_t bytes, uint64_t began_ns)
{
    int saved = errno;
    if (hookring_enter(&memhook.base) && !publish_unmapped(address, bytes, began_ns))
        atomic_fetch_add_explicit(&memhook.lost, 1, memory_order_relaxed);
    hookring_leave(&memhook.base);
    errno = saved;
}

void memhook_exempt(void)
{
    memhook_own.inside = UINTPTR_MAX;
}
