/*
 * pace.c - see pace.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/pace.h"
#include <stdbool.h>

enum {
    STEP = 4,      /* a signal that found the same registers counts as so many that did not */
    STUCK = 16,    /* from here on the timer waits longer */
    CALM = 256,    /* so many signals in a row found others: it waits less */
    DOUBLINGS = 20 /* an interval is a nanosecond at least */
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
        return interval_ns;
    return period < PACE_LONGEST_NS ? period : PACE_LONGEST_NS;
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
