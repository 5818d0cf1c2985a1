/*
 * method_open.h - the calls of watched methods that have not ended.
 *
 * A call has a slot that is found by its thread and its method, so that a call within a call of the
 * same method is known as a part of the outer one. The slot follows a virtual thread from carrier
 * to carrier. Only the thread itself uses its slots, so nothing waits; the search looks at a few
 * slots, and a call that finds none is timed without one. The memory is never freed, because a
 * method that was changed back may still be running, and will end here.
 *
 * A call whose end was not seen (the stack overflowed in the tracker, a debugger popped the frame)
 * leaves its slot. A later call of a platform thread finds the slot; the address of its stack tells
 * that the older call is over.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { METHOD_OPEN_NUMBER_BITS = 12 }; /* of the number of a method */

/** A call that has ended. */
struct method_open_call {
    uint32_t at;       /* the number of the method */
    uint64_t start_ns; /* CLOCK_MONOTONIC */
    uint64_t off_ns;   /* so long its virtual thread had no carrier */
};

/** Take memory, at most `bytes`; once in the life of the VM. Errors: 0, -ENOMEM. Context: any. */
int method_open_prepare(uint64_t bytes);
/**
 * A call begins; `tid` as in method_tracker.h. Returns what method_open_end() gets; 0: it is a call
 * within another one of the same method. Context: any thread of the program, no lock.
 */
int64_t method_open_begin(int64_t tid, uint32_t at, uintptr_t stack);
/** A call ends. Returns false for a call within another one. Context: as method_open_begin(). */
bool method_open_end(int64_t kept, struct method_open_call *ret);
/** A virtual thread leaves its carrier, or is on one again. Context: the VM's events. */
void method_open_unmount(int64_t tid);
void method_open_mount(int64_t tid);
/** How many calls found no slot. */
uint64_t method_open_unplaced(void);
