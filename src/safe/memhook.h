/*
 * memhook.h - from a call of malloc() to a sample in the ring, and from free() to the end of a
 * sampled block; the same of mmap() and munmap(), each call of them.
 *
 * The hooks of the allocation functions (agent/nativemem) call the functions below on any thread of
 * the process: Java threads in any state, threads of the VM that hold its locks, threads that the
 * VM does not know, signal handlers of the program, and the child of a fork(). Therefore nothing
 * here allocates, takes a lock, waits, or asks the VM.
 *
 * Sampling. Each thread counts bytes down to its next sample. The distances are exponential with
 * the mean `interval`, so a block of b bytes is a sample with the probability 1 - exp(-b /
 * interval). With an interval of 1 each block is a sample.
 *
 * Re-entry. An allocator may call functions that are hooked, too: calloc() calls malloc(), operator
 * new calls malloc(). Only the outermost call counts. A thread notes the address of the frame of
 * the hook that it is in; a hook with a frame below that address (the stack grows down) is an inner
 * one. If a call never returned, because an exception or longjmp() left it, the note is of a frame
 * that is gone, and the next hook with a higher frame replaces it.
 *
 * What is read: the counters of the thread in thread-local storage that never allocates
 * (base/own_tls.h); the ring and the table of blocks, which are never freed; and what hookwalk.h
 * reads. What is written: those counters, the ring, the tables.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "safe/blockset.h"
#include "safe/hookring.h"

enum memhook_what {
    MEMHOOK_BLOCK,    /* a block was allocated */
    MEMHOOK_FREED,    /* the end of a block: the time, the address and the slot are valid */
    MEMHOOK_MAPPED,   /* a range of pages was mapped; whatever was there before is gone */
    MEMHOOK_UNMAPPED, /* a range of pages holds nothing any more; it has no stack */
};

/** One record of the ring. */
struct memhook_sample {
    enum memhook_what what;
    int32_t slot; /* in the table of blocks; BLOCKSET_NONE: its end will not be seen */
    /* CLOCK_MONOTONIC; of ranges the time after the call for MAPPED, before it for UNMAPPED: a
     * range that was mapped later than another thread's call began is not what that call ended */
    uint64_t time_ns;
    uint64_t address, bytes;
    struct hookring_stack stack;
    struct walk_frame frames[];
};

/** Everything that hooks need; set up once, kept for ever. */
struct memhook {
    struct hookring base;
    _Atomic uint64_t interval; /* mean bytes between samples */
    struct blockset held;
    uint64_t own_low, own_high; /* calls from there do not count: they are the agent's */
    _Atomic uint64_t lost;      /* samples that found the ring full */
};

extern struct memhook memhook;

/** What a thread keeps. */
struct memhook_own {
    int64_t left;     /* bytes until the next sample */
    uintptr_t inside; /* frame of the hook that the thread is in; 0: none */
    uint64_t random;  /* 0: the thread has not drawn yet */
};

extern __thread struct memhook_own memhook_own;

/** How many bytes the longest sample has. Context: any. */
size_t memhook_sample_bytes(uint32_t depth);

/** A hook begins. NULL: the call does not count. */
HOOKWALK_CODE struct memhook_own *memhook_enter(void)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct memhook_own *own;
    if (!hookring_is_on(&memhook.base))
        return NULL;
    own = &memhook_own;
    __asm__("" : "+r"(own)); /* the compiler would ask for the address again */
    if (own->inside && frame < own->inside)
        return NULL;
    own->inside = frame;
    return own;
}

/** This block is a sample, perhaps: if so, take it. Keeps errno. */
void memhook_draw(struct memhook_own *own, const void *block, size_t bytes,
                  const struct hookwalk_caller *caller);

/** A hook ends that memhook_enter() has let in; the allocator has returned `block`. */
HOOKWALK_CODE void memhook_leave(struct memhook_own *own, const void *block, size_t bytes)
{
    if (block && bytes && (own->left -= (int64_t)bytes) < 0) {
        const struct hookwalk_caller caller = hookwalk_caller_here();
        memhook_draw(own, block, bytes, &caller);
    }
    own->inside = 0;
}

/** The allocator is about to get the block. Returns its slot, for memhook_given() or
 * memhook_kept(); BLOCKSET_NONE: it is no sample. */
static inline int32_t memhook_take(const void *block)
{
    if (!block || !hookring_is_on(&memhook.base) ||
        !blockset_may_have(&memhook.held, (uint64_t)(uintptr_t)block))
        return BLOCKSET_NONE;
    return blockset_take(&memhook.held, (uint64_t)(uintptr_t)block);
}

/** The time of memhook_given(); to be taken before the allocator gets the block. */
uint64_t memhook_now(void);
/**
 * The block is gone since `now_ns`. The ring gets a record, and the slot is free; a loop that gets
 * the same address again and again does not fill the bucket of that address. If the ring is full,
 * the reader finds the end in the table, so no end is lost.
 */
void memhook_given(int32_t slot, uint64_t now_ns);
/** The allocator did not take it. */
void memhook_kept(int32_t slot);

/* ---- ranges of pages */

/** The time before a call for a range of pages. 0: hooks pass through. Keeps errno. */
static inline uint64_t memhook_range_begins(void)
{
    return hookring_is_on(&memhook.base) ? memhook_now() : 0;
}
/** The call that memhook_enter() has let in has mapped this range. Keeps errno. */
void memhook_mapped(const void *address, size_t bytes, const struct hookwalk_caller *caller);
/** A call that began at `began_ns` has left nothing in this range. Keeps errno. */
void memhook_unmapped(const void *address, size_t bytes, uint64_t began_ns);

/** The calling thread's calls do not count from now on. */
void memhook_exempt(void);
