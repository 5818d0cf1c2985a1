/*
 * asgst_rest.c - see asgst_rest.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_rest.h"
#include "base/os_thread.h"
#include "safe/clock.h"

enum {
    WORKED_NS = 1 * NS_PER_MS,
    WORKED_BLOCKED_NS = 100 * NS_PER_MS,
    ASLEEP_BLOCKED_LOOKS = 100,
};
bool asgst_rest_is_over(struct asgst_rest *r, pid_t tid, const struct asgst_mark *m, uint64_t visit)
{
    uint64_t inside = atomic_load(&m->inside_bits);
    struct os_thread_status now;
    if (os_thread_read_status(tid, &now) < 0)
        return os_thread_is_gone(tid);
    if (inside != 0 && (now.blocked & inside) != inside)
        return true;
    int sleeps = now.state == 'S';
    uint64_t cpu_ns = os_thread_cpu_ns(tid);
    if (r->visit != visit || r->looks == 0)
        *r = (struct asgst_rest){.visit = visit, .cpu_ns = cpu_ns};
    r->looks++;
    if (inside != 0)
        return cpu_ns - r->cpu_ns >= WORKED_BLOCKED_NS ||
               (sleeps && r->looks >= ASLEEP_BLOCKED_LOOKS);
    return sleeps || cpu_ns - r->cpu_ns >= WORKED_NS;
}
