/*
 * java_allocated.c - see java_allocated.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_allocated.h"
#include "hotspot/target.h"

void java_allocated_init(struct java_allocated *a, const struct target *t)
{
    int32_t counted = target_field(t, "Thread", "_allocated_bytes", -1);
    int32_t buffer = target_field(t, "Thread", "_tlab", -1);
    int32_t start = target_field(t, "ThreadLocalAllocBuffer", "_start", -1);
    int32_t top = target_field(t, "ThreadLocalAllocBuffer", "_top", -1);
    *a = (struct java_allocated){
        .is_known = counted >= 0 && buffer >= 0 && start >= 0 && top >= 0,
        .counted = counted,
        .start = buffer + start,
        .top = buffer + top,
    };
}

uint64_t java_allocated_bytes(const struct java_allocated *a, const struct target *t,
                              uint64_t thread)
{
    if (!a->is_known)
        return 0;
    uint64_t start = target_u8(t, thread + (uint64_t)a->start);
    uint64_t top = target_u8(t, thread + (uint64_t)a->top);

    return target_u8(t, thread + (uint64_t)a->counted) + (top > start ? top - start : 0);
}
