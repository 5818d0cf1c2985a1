/*
 * standing.h - a thread of the program stands still until the heap has been frozen for it.
 *
 * What a thread has run out of memory with is gone a moment after its exception is thrown: so the
 * thread that fires waits where it is, and whoever freezes the heap on its behalf lets it go.
 * Tickets count up; what is asked for is done in that order.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** The calling thread works for the thread with that ticket. Context: any, not signal. */
void standing_serve(uint32_t ticket);
/** The calling thread has all locks that it needs: who is held is so until it lets go. Context: as
 * above. */
void standing_begin(void);
/** The heap is frozen, or will not be: the thread that is served goes on, if the caller serves one.
 * Context: any, not signal. */
void standing_let_go(void);
/** Wait until the ticket's work is done, `ms` at most unless it has begun. Returns whether it is
 * done. Context: java. */
bool standing_wait(uint32_t ticket, uint32_t ms);
/** Whether the calling thread serves: it must not wait for itself. Context: any. */
bool standing_serves(void);
