/*
 * progress.c - see progress.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/progress.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "command/say.h"
#include "safe/clock.h"

enum { FIRST_NS = NS_PER_S, STEP_NS = NS_PER_S / 5 };

static uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC_COARSE);
}

struct progress progress_begin(const char *what, uint64_t whole)
{
    return (struct progress){
        .what = what, .whole = isatty(STDERR_FILENO) ? whole : 0, .began_ns = now_ns()};
}

void progress_tell(struct progress *p, uint64_t done)
{
    uint64_t now = p->whole ? now_ns() : 0;
    if (!p->whole || now - p->began_ns < FIRST_NS || now - p->told_ns < STEP_NS)
        return;
    p->told_ns = now;
    p->is_shown = true;
    fputs("\r\033[K", stderr);
    say_clean(stderr, p->what);
    fprintf(stderr, ": %.0f %%",
            100.0 * (double)(done < p->whole ? done : p->whole) / (double)p->whole);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->is_shown)
        fputs("\r\033[K", stderr);
    p->is_shown = false;
}
