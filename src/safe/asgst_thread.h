/*
 * asgst_thread.h - which JavaThread the calling thread is, found without JNI.
 *
 * Every HotSpot stores the Thread* of a thread under a pthread key. A handler must not call
 * pthread_getspecific() to get that value: glibc writes NULL into a slot whose sequence number is
 * not that of the key, and pthread_setspecific() stores the value before that number. The call
 * would therefore erase the Thread* of a thread that is just starting. The code reads the slot as
 * memory instead.
 *
 * Which slot it is, is found once, outside of handlers, by a look at the slots of the threads in
 * the VM's list. GC threads and other threads of the VM have a value in that slot, too. A value is
 * therefore taken as a JavaThread only if the list has it; the answer is then remembered. Until the
 * slot is known, and with a C library that keeps its keys another way (musl), the list is searched
 * for the system's thread id.
 * Source: HotSpot threadLocalStorage_posix.cpp, threadSMR.hpp, thread.hpp (Threads::_thread_list);
 * glibc nptl/pthread_getspecific.c.
 * Context of everything here but asgst_thread_find_slot(): signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

/** Call `visit` for each JavaThread of the VM until `visit` returns non-zero, and return that
 * value. The list may change meanwhile: a thread that starts or ends during the call may be visited
 * or not. */
uint64_t asgst_thread_each(struct mem_view *v, const struct hs_layout *l,
                           uint64_t (*visit)(struct mem_view *v, const struct hs_layout *l,
                                             uint64_t thread, void *arg),
                           void *arg);

/**
 * Find the slot in which threads keep their Thread*, for asgst_thread_current(). False: no thread
 * of the VM shows the slot yet, or this C library keeps the value elsewhere.
 * Context: any, not signal; one thread at a time.
 */
bool asgst_thread_find_slot(struct mem *m, const struct hs_layout *l);

/** The JavaThread of the calling thread; 0: the calling thread is not a Java thread. */
uint64_t asgst_thread_current(struct mem *m, const struct hs_layout *l);

/** The JavaThread with the system thread id `tid`, or 0. */
uint64_t asgst_thread_of_tid(struct mem_view *v, const struct hs_layout *l, int32_t tid);

/** Whether `sp` lies on the stack of the JavaThread `thread`. asgst_thread_of_stack() returns the
 * JavaThread on whose stack `sp` lies, or 0. */
bool asgst_thread_has_stack(struct mem_view *v, const struct hs_layout *l, uint64_t thread,
                            uint64_t sp);
uint64_t asgst_thread_of_stack(struct mem_view *v, const struct hs_layout *l, uint64_t sp);

/** The JavaThread that `env` belongs to, or 0. A JNIEnv is a field of its JavaThread. */
uint64_t asgst_thread_of_env(struct mem_view *v, const struct hs_layout *l, uint64_t env);

/** How many JavaThreads have a Thread object; the count stops at `max`. A VM that is just starting
 * may have threads without a Thread object: main, and from JDK 26 on AOTThread. */
uint32_t asgst_thread_count(struct mem_view *v, const struct hs_layout *l, uint32_t max);
