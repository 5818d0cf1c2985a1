/*
 * frozen_status.h - the page that the JVM and its forked child share: how the child goes on, and
 * how it ended.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { FROZEN_STATUS_WHY = 128 };

struct frozen_status {
    volatile uint64_t progress; /* raised while the child works, by frozen_status_progress() */
    volatile uint64_t seen;     /* raised while objects are looked for, and when all are found */
    volatile uint64_t ns;       /* the child's run time */
    volatile int32_t error;
    volatile int32_t is_complete;
    volatile int32_t is_walked;   /* sites were found by a walk of JVM TI */
    volatile int32_t is_siteless; /* the table of tags could not be read after all */
    char why[FROZEN_STATUS_WHY];
};

/** In any thread of the child: the child does not stand still. */
static inline void frozen_status_progress(struct frozen_status *s, uint64_t by)
{
    __atomic_fetch_add(&s->progress, by, __ATOMIC_RELAXED);
}
