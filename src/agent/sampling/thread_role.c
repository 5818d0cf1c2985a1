/*
 * thread_role.c - see thread_role.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/sampling/thread_role.h"
#include <stddef.h>
#include <string.h>

/*
 * Names that HotSpot gives to its own threads; the kernel keeps 15 characters. JDK 8 gives its
 * threads no names.
 */
static const struct {
    const char *prefix;
    enum thread_role role;
} own_threads[] = {
    {"GC Thre", THREAD_ROLE_GC},       {"G1 ", THREAD_ROLE_GC},
    {"Gang wo", THREAD_ROLE_GC},       {"ParGC", THREAD_ROLE_GC},
    {"Concurr", THREAD_ROLE_GC},       {"CMS ", THREAD_ROLE_GC},
    {"ZWorker", THREAD_ROLE_GC},       {"ZDriver", THREAD_ROLE_GC},
    {"ZDirect", THREAD_ROLE_GC},       {"ZStat", THREAD_ROLE_GC},
    {"ZUncomm", THREAD_ROLE_GC},       {"ZUnmapp", THREAD_ROLE_GC},
    {"XWorker", THREAD_ROLE_GC},       {"XDriver", THREAD_ROLE_GC},
    {"XDirect", THREAD_ROLE_GC},       {"Shenand", THREAD_ROLE_GC},
    {"Surroga", THREAD_ROLE_GC},       {"C1 Comp", THREAD_ROLE_COMPILER},
    {"C2 Comp", THREAD_ROLE_COMPILER}, {"Sweeper", THREAD_ROLE_COMPILER},
    {"VM Thre", THREAD_ROLE_VM},       {"VM Peri", THREAD_ROLE_VM},
};

static const enum quality role_counts[THREAD_ROLE_COUNT] = {
    [THREAD_ROLE_GC] = QUALITY_GC_THREADS,
    [THREAD_ROLE_COMPILER] = QUALITY_COMPILER_THREADS,
    [THREAD_ROLE_VM] = QUALITY_VM_THREADS,
    [THREAD_ROLE_NATIVE] = QUALITY_OTHER_THREADS,
};

enum quality thread_role_quality(enum thread_role role)
{
    return role_counts[role];
}

enum thread_role thread_role_of(const char *name)
{
    for (size_t i = 0; i < sizeof(own_threads) / sizeof(own_threads[0]); i++)
        if (strncmp(name, own_threads[i].prefix, strlen(own_threads[i].prefix)) == 0)
            return own_threads[i].role;
    return THREAD_ROLE_NATIVE;
}
