/*
 * probe_times.c - see probe_times.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_times.h"
#include <math.h>
#include <stdio.h>
#include "safe/clock.h"

static unsigned power_of(uint64_t ns)
{
    return ns ? 63 - (unsigned)__builtin_clzll(ns) : 0;
}

/* The two bits below the highest one say which quarter it is. */
static unsigned bucket_of(uint64_t ns)
{
    unsigned power = power_of(ns);
    unsigned quarter =
        power >= 2 ? (unsigned)(ns >> (power - 2)) & 3 : (unsigned)(ns << (2 - power)) & 3;
    return power * PROBE_TIMES_QUARTERS + quarter;
}

/* The largest duration of a bucket. */
static uint64_t end_of(unsigned bucket)
{
    unsigned power = bucket / PROBE_TIMES_QUARTERS, quarter = bucket % PROBE_TIMES_QUARTERS;
    if (power < 2)
        return (uint64_t)1 << power | (power == 1 && quarter >= 2);
    return ((uint64_t)(PROBE_TIMES_QUARTERS + quarter) << (power - 2)) +
           (((uint64_t)1 << (power - 2)) - 1);
}

void probe_times_add(struct probe_times *t, uint64_t ns)
{
    uint32_t *bucket = &t->buckets[bucket_of(ns)];
    if (t->count == 0 || ns < t->least_ns)
        t->least_ns = ns;
    if (ns > t->most_ns)
        t->most_ns = ns;
    t->count++;
    t->sum_ns += ns;
    *bucket += *bucket < UINT32_MAX;
}

uint64_t probe_times_percentile(const struct probe_times *t, double share)
{
    uint64_t wanted = (uint64_t)ceil((double)t->count * share), seen = 0;
    for (unsigned i = 0; i < PROBE_TIMES_BUCKETS; i++) {
        seen += t->buckets[i];
        if (t->buckets[i] && seen >= wanted) {
            uint64_t end = end_of(i);
            return end < t->least_ns ? t->least_ns : end < t->most_ns ? end : t->most_ns;
        }
    }
    return t->most_ns;
}

uint64_t probe_times_of_power(const struct probe_times *t, unsigned power)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < PROBE_TIMES_QUARTERS; i++)
        count += t->buckets[power * PROBE_TIMES_QUARTERS + i];
    return count;
}

void probe_times_text(char *to, size_t room, uint64_t ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    unsigned u = 0;
    while (u < 3 && (double)ns >= units[u + 1].ns * 0.9995)
        u++;
    double number = (double)ns / units[u].ns;
    snprintf(to, room, "%.*f %s",
             u == 0 || number >= 99.95 ? 0
             : number >= 9.995         ? 1
                                       : 2,
             number, units[u].unit);
}
