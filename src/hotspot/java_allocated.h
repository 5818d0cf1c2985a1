/*
 * java_allocated.h - how many bytes of objects each Java thread has allocated since it began.
 *
 * The number is the sum of what the thread has counted, and of the used part of the piece of the
 * heap in which the thread allocates (its TLAB). ThreadMXBean.getThreadAllocatedBytes() returns the
 * same sum. The process may run meanwhile: then a TLAB that was just replaced may be counted twice
 * or not at all.
 * Source: HotSpot thread.inline.hpp (Thread::cooked_allocated_bytes), threadLocalAllocBuffer.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

struct java_allocated {
    bool is_known;               /* the VM exports all these offsets: */
    int32_t counted, start, top; /* offsets in a JavaThread */
};

void java_allocated_init(struct java_allocated *a, const struct target *t);
/** The bytes of the JavaThread at `thread`; 0 if they cannot be read. */
uint64_t java_allocated_bytes(const struct java_allocated *a, const struct target *t,
                              uint64_t thread);
