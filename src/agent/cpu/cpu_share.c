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

/* The place of the thread in `turned`; turned_count if it is not there. */
static uint32_t find_turned(const struct cpu_share *s, uint32_t serial)
{
    uint32_t i = 0;
    while (i < s->turned_count && s->turned[i] != serial)
        i++;
    return i;
}

bool cpu_share_is_on(const struct cpu_share *s, uint32_t serial)
{
    return s->is_off == (find_turned(s, serial) < s->turned_count);
}

bool cpu_share_turn(struct cpu_share *s, uint32_t serial, bool is_on)
{
    uint32_t at = find_turned(s, serial);
    if (!serial) {
        s->is_off = !is_on;
        s->turned_count = 0;
        return true;
    }
    if (cpu_share_is_on(s, serial) == is_on)
        return true;
    if (at < s->turned_count)
        s->turned[at] = s->turned[--s->turned_count];
    else if (s->turned_count < CPU_SHARE_TURNED)
        s->turned[s->turned_count++] = serial;
    else
        return false;
    return true;
}
