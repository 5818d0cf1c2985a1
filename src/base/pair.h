/*
 * pair.h - work that two threads share, in a forked child that has one thread.
 *
 * The child of a fork must not make threads with its libc, because locks of the libc may be taken
 * for ever. So the kernel alone knows the second thread: it shares all memory with the first
 * thread, even the thread-local storage, and lives for one piece of work. Context of everything
 * here: such a child, or a process that has no other thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>

/** The work. It is called once with `member` 0 and once with `member` 1. It must not use malloc(),
 * stdio or a mutex: the libc takes both members for one thread, and its locks are then not atomic.
 * Both members share errno, so errno may hold the other member's value. */
typedef void pair_work(void *arg, int member);

/**
 * Run `work` as both members at once. If there is only one CPU or no second thread, run member 0
 * and then member 1; so no member may wait for the other. Returns when both have returned.
 */
void pair_run(pair_work *work, void *arg);

/** A lock between the two members. Zeroed: free. */
struct pair_lock {
    atomic_int is_taken;
};

/** Waits until the lock is free. A member must not take a lock that it holds. `l` NULL: does
 * nothing. */
void pair_take(struct pair_lock *l);
void pair_give(struct pair_lock *l);
