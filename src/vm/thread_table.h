/*
 * thread_table.h - finds the record of the calling thread without a lock, by an address that only
 * this thread has: that of its JNIEnv.
 *
 * JVM TI's thread-local storage could lead to the records too, but HotSpot must not be asked for
 * the storage of another thread: it may free the state of a thread that ends while it is asked. So
 * the storage is read and written by its own thread only, and a record that another thread makes
 * lies here until its thread comes for it.
 *
 * Why a reader never sees freed memory: the slots are never moved and never freed before
 * thread_table_clear(); a smaller table stays when a larger one takes its place. A reader uses a
 * record only if the slot has its own address. A record is freed by its own thread, or when no
 * thread reads any more, and two threads that live at the same time have different addresses.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/**
 * Let the thread with this address find `record`. An entry of an earlier thread with this address
 * is replaced. Errors: 0; -ENOMEM. Context: any, one thread at a time.
 */
int thread_table_put(uintptr_t address, void *record);
/** The record of the thread with this address, which calls; NULL: there is none. Context: any, in
 * any number of threads, also during thread_table_put(). */
void *thread_table_find(uintptr_t address);
/** Remove the entry with this address, if it leads to `record`. Context: the thread with this
 * address, one thread at a time. */
void thread_table_drop(uintptr_t address, const void *record);
/** Remove all entries and give back the memory. No thread is in thread_table_find(). */
void thread_table_clear(void);
