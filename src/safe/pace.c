/*
 * pace.c - see pace.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/pace.h"
#include <stdbool.h>

enum {
    STEP = 4,       /* a signal that found the same registers weighs as much as 4 that did not */
    STUCK = 16,     /* at this sum the timer waits longer */
    CALM = 256,     /* after this many signals in a row that found other registers, it waits less */
    DOUBLINGS = 20, /* limit of doublings; an interval is at least one nanosecond */
    QUICK_PART = 4 * PACE_SLOW_PART, /* a handler below this part of the period is quick */
    QUICK = 32, /* after 32 quick handlers in a row half the period is enough: it waits less */
    SLOW_DOUBLINGS = 10
};

static uint64_t sum_of(const struct regs *regs)
{
    uint64_t sum = regs->pc;
    for (unsigned i = 0; i < sizeof(regs->r) / sizeof(*regs->r); i++)
        sum = sum * 31 + regs->r[i];
    return sum * 31 + regs->sp;
}

uint64_t pace_period(const struct pace *p, uint64_t interval_ns)
{
    uint64_t period = interval_ns << p->doublings;
    if (interval_ns >= PACE_LONGEST_NS)
        return period;
    return period < PACE_LONGEST_NS ? period : PACE_LONGEST_NS;
}

int pace_took(struct pace *p, uint64_t interval_ns, uint64_t took_ns)
{
    uint64_t period = pace_period(p, interval_ns);
    if (took_ns > period / PACE_SLOW_PART) {
        p->calm = 0;
        p->doublings += p->doublings < SLOW_DOUBLINGS;
        return pace_period(p, interval_ns) != period;
    }
    p->calm = took_ns <= period / QUICK_PART ? (uint16_t)(p->calm + 1) : 0;
    if (p->doublings == 0 || p->calm < QUICK) {
        p->calm = p->doublings == 0 ? 0 : p->calm;
        return 0;
    }
    p->calm = 0;
    p->doublings--;
    return 1;
}

int pace_found(struct pace *p, uint64_t interval_ns, const struct regs *regs)
{
    uint64_t registers = sum_of(regs);
    bool is_same = registers == p->registers;
    p->registers = registers;
    if (is_same) {
        p->calm = 0;
        p->stuck = (uint16_t)(p->stuck < STUCK ? p->stuck + STEP : STUCK);
        if (p->stuck < STUCK || p->doublings == DOUBLINGS ||
            pace_period(p, interval_ns) >= PACE_LONGEST_NS)
            return 0;
        p->stuck = 0;
        p->doublings++;
        return 1;
    }
    if (p->stuck > 0)
        p->stuck--;
    if (p->doublings == 0 || ++p->calm < CALM)
        return 0;
    p->calm = 0;
    p->doublings--;
    return 1;
}
