/*
 * pair.h - work that two threads share, in a forked child that has one.
 *
 * The child of a fork must not make threads as its libc does, whose locks may be taken for ever. So
 * the second thread is the kernel's alone: it shares all memory, the first one's thread-local
 * storage too, and lives for one piece of work. Context of everything here: such a child, or a
 * process that has no other thread. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>

/** Called as member 0 and as member 1. No malloc(), no stdio; of errno only its owner's word. */
typedef void pair_work(void *arg, int member);

/**
 * Do `work` as both members at once, or, where there is one CPU or no second thread, as one after
 * the other: so no member waits for the other. Returns when both are done.
 */
void pair_run(pair_work *work, void *arg);

/** For what must not happen twice at once. Zeroed: free. */
struct pair_lock {
    atomic_int is_taken;
};

/** Nobody takes it twice. NULL: there is nobody to wait for. */
void pair_take(struct pair_lock *l);
void pair_give(struct pair_lock *l);
