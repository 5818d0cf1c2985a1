/*
 * java_allocated.h - how many bytes of objects each Java thread has allocated, since it began.
 *
 * What the thread has counted, and what is used of the piece of the heap that it allocates in; the
 * same sum as ThreadMXBean.getThreadAllocatedBytes(). The process may run meanwhile: then a piece
 * that was just exchanged may be in it twice or not at all.
 * Source: HotSpot thread.inline.hpp (Thread::cooked_allocated_bytes), threadLocalAllocBuffer.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

struct java_allocated {
    bool is_known;               /* the VM tells all of these: */
    int32_t counted, start, top; /* offsets in a JavaThread */
};

void java_allocated_init(struct java_allocated *a, const struct target *t);
/** Of the JavaThread at `thread`; 0 where it cannot be read. */
uint64_t java_allocated_bytes(const struct java_allocated *a, const struct target *t,
                              uint64_t thread);
