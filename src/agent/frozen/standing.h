/*
 * standing.h - makes a thread of the program wait until the heap has been frozen for it.
 *
 * After an OutOfMemoryError is thrown, the objects that filled the memory are soon gone. So the
 * thread whose trigger fires waits where it is, and the thread that freezes the heap for it lets it
 * go. Tickets count up, and requests are carried out in the order of their tickets.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** The calling thread works for the thread with this ticket. Context: any, not signal. */
void standing_serve(uint32_t ticket);
/**
 * The calling thread has all locks that it needs. From now on the waiting thread waits without a
 * limit, until standing_let_go(). Context: any, not signal.
 */
void standing_begin(void);
/**
 * The heap is frozen, or will not be. If the calling thread serves a waiting thread, that thread
 * goes on. Context: any, not signal.
 */
void standing_let_go(void);
/**
 * There will be no work for tickets up to this one: the threads that wait for it go on. Context:
 * any, not signal.
 */
void standing_give_up(uint32_t ticket);
/**
 * Wait until the work for the ticket is done; at most `ms` if the work has not begun by then.
 * Returns whether it is done. Context: java.
 */
bool standing_wait(uint32_t ticket, uint32_t ms);
/**
 * Whether the calling thread serves others; such a thread must not wait for itself. Context: any.
 */
bool standing_serves(void);
