/*
 * asgst_thread.h - which JavaThread the calling thread is, without JNI and without being told.
 *
 * Every HotSpot stores the Thread* of a thread under a pthread key. pthread_getspecific() may not
 * be asked for it in a handler: glibc writes NULL into a slot whose sequence number is not that of
 * the key, and pthread_setspecific() stores the value before that number, so the question would
 * take its Thread* from a thread that is just starting. The slot is read as memory instead. Which
 * slot is found once, outside of handlers, by a look at the slots of the threads in the VM's list.
 * GC and other threads of the VM have a value there, too, so a value counts for a thread when the
 * list has it, and is remembered. Before the slot is known, and where the C library keeps its keys
 * another way (musl), the list is searched for the system's thread id. Source: HotSpot
 * threadLocalStorage_posix.cpp, threadSMR.hpp, thread.hpp (Threads::_thread_list); glibc
 * nptl/pthread_getspecific.c. Context of everything here but asgst_thread_find_slot(): signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

/** Call `visit` for each JavaThread of the VM until it returns non-zero, and return that. The list
 * may change meanwhile: a thread that starts or ends now may be there or not. */
uint64_t asgst_thread_each(struct mem_view *v, const struct hs_layout *l,
                           uint64_t (*visit)(struct mem_view *v, const struct hs_layout *l,
                                             uint64_t thread, void *arg),
                           void *arg);

/**
 * Find where threads keep their Thread*, for asgst_thread_current(). False: no thread of the VM
 * shows it yet, or this C library keeps it elsewhere. Context: any, not signal; one thread at a
 * time.
 */
bool asgst_thread_find_slot(struct mem *m, const struct hs_layout *l);

/** The JavaThread of the calling thread; 0 where that is no thread of Java. */
uint64_t asgst_thread_current(struct mem *m, const struct hs_layout *l);

/** The JavaThread with a system thread id, or 0. */
uint64_t asgst_thread_of_tid(struct mem_view *v, const struct hs_layout *l, int32_t tid);

/** Whether `sp` lies on the stack of this JavaThread; the JavaThread on whose stack it lies, or 0.
 */
bool asgst_thread_has_stack(struct mem_view *v, const struct hs_layout *l, uint64_t thread,
                            uint64_t sp);
uint64_t asgst_thread_of_stack(struct mem_view *v, const struct hs_layout *l, uint64_t sp);

/** The JavaThread whose JNIEnv this is, or 0: a JNIEnv is a field of its JavaThread. */
uint64_t asgst_thread_of_env(struct mem_view *v, const struct hs_layout *l, uint64_t env);

/** How many JavaThreads have a Thread object, at most `max`. A VM that is just starting may have
 * threads without one: main, and from JDK 26 on AOTThread. */
uint32_t asgst_thread_count(struct mem_view *v, const struct hs_layout *l, uint32_t max);
