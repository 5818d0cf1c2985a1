/*
 * frozen_status.h - a page that the JVM and its forked child share. It tells how the child gets on
 * and how it ended.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { FROZEN_STATUS_WHY = 128 };

struct frozen_status {
    volatile uint64_t progress; /* grows while the child works, by frozen_status_progress() */
    volatile uint64_t seen;     /* grows while objects are searched, and when all are found */
    volatile uint64_t ns;       /* how long the child has run */
    volatile int32_t error;
    volatile int32_t is_complete;
    volatile int32_t is_walked; /* the sites come from a walk of JVM TI */
    /* the table of tags could not be read, so objects have no sites */
    volatile int32_t is_siteless;
    /* errno with which seccomp was refused, so that the child could not walk for the sites */
    volatile int32_t walk_errno;
    char why[FROZEN_STATUS_WHY];
};

/** Report progress of the child. In any thread of the child. */
static inline void frozen_status_progress(struct frozen_status *s, uint64_t by)
{
    __atomic_fetch_add(&s->progress, by, __ATOMIC_RELAXED);
}
