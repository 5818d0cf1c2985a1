/*
 * cpu_share.c - see cpu_share.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_share.h"
#include <stdlib.h>
#include "base/splitmix.h"

struct cpu_share *cpu_share_new(uint64_t interval_ns, uint64_t seed)
{
    struct cpu_share *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->interval_ns = interval_ns;
    for (int i = 0; i < CPU_SHARE_THREADS; i++)
        s->rest[i] = splitmix_next(&seed) % interval_ns;
    return s;
}

uint32_t cpu_share_take(struct cpu_share *s, uint32_t serial, uint64_t ns)
{
    uint64_t *rest = &s->rest[serial % CPU_SHARE_THREADS], passed;

    *rest += ns;
    passed = *rest / s->interval_ns;
    *rest %= s->interval_ns;
    return (uint32_t)passed;
}
