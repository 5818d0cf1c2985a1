/*
 * snapshot_live.c - see snapshot_live.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "snapshot/snapshot_live.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "safe/clock.h"

/* Ranks of pages, in the order in which they are read when the process is stopped: pages for the
 * threads of the VM's list; pages of code and methods, which are few and which all virtual threads
 * need; the other pages. */
enum { RANK_OWN, RANK_CODE, RANK_LISTS };

/* A process that is stopped, or has gone on. */
struct stand {
    struct snapshot *s;
    struct mem_live *live;
    struct mem_stop stop;
    struct mem_stop_bound *bound;
    bool has_gone_on;
};

static void go_on(struct stand *stand)
{
    if (!stand->has_gone_on)
        stand->s->stopped_ns = mem_stop_end(&stand->stop);
    stand->has_gone_on = true;
}

/* The `is_over` of struct mem_live. */
static bool is_over(void *with)
{
    struct stand *stand = with;
    if (stand->has_gone_on || !mem_stop_bound_is_over(stand->bound, clock_monotonic_ns()))
        return false;
    go_on(stand);
    return true;
}

/* The process may go on before the stacks of virtual threads are walked: their memory has been
 * read, and the memory of code and methods does not change its place. This is not so if the
 * collector works while the program runs: it moves the objects of waiting threads, and notes the
 * new places in memory that changes, too. */
static void begins_part(void *with, enum snapshot_part part)
{
    struct stand *stand = with;
    if (part == SNAPSHOT_LISTS) {
        mem_live_refresh(stand->live, RANK_CODE);
        mem_live_refresh(stand->live, RANK_LISTS);
    } else if (stand->s->oops.refs.mover == HS_REFS_STOPPED) {
        go_on(stand);
    }
}

static void rank_part(void *with, enum snapshot_part part)
{
    struct mem_live *live = with;
    live->rank = part == SNAPSHOT_LISTS ? RANK_LISTS : RANK_CODE;
}

int snapshot_live_look(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max)
{
    live->rank = RANK_OWN;
    s->watch = (struct snapshot_watch){.begins = rank_part, .with = live};
    int error = snapshot_take(s, depth, frames_max);
    s->watch = (struct snapshot_watch){0};
    live->rank = RANK_OWN;
    return error;
}

static struct snapshot_left count_left(const struct snapshot *s, uint32_t known)
{
    struct snapshot_left left = {.thread_count = s->java.platform_count,
                                 .has_locks = s->has_unread_locks};
    uint32_t found = snapshot_virtual_count(s);
    for (uint32_t i = 0; i < s->java.count && i < s->thread_count; i++) {
        if (i < left.thread_count)
            left.threads += s->threads[i].is_unread;
        else
            left.virtuals += s->threads[i].is_unread;
    }
    left.virtual_count = found > known ? found : known;
    left.virtuals += left.virtual_count - found;
    return left;
}

int snapshot_live_take(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max, struct mem_stop_bound *bound,
                       struct snapshot_left *ret_left, int *ret_stop_error)
{
    struct stand stand = {.s = s, .live = live, .bound = bound};
    uint32_t known = snapshot_virtual_count(s);
    *ret_left = (struct snapshot_left){0};
    s->stopped_ns = 0;
    *ret_stop_error = mem_stop_all(live, bound, &stand.stop);
    if (*ret_stop_error < 0)
        return 0;
    live->is_over = is_over;
    live->is_over_with = &stand;
    s->watch = (struct snapshot_watch){begins_part, &stand, &live->missing};
    mem_live_age(live);
    mem_live_refresh(live, RANK_OWN);
    int error = snapshot_take(s, depth, frames_max);
    go_on(&stand);
    s->watch = (struct snapshot_watch){0};
    if (live->is_sealed)
        *ret_left = count_left(s, known);
    mem_live_unseal(live);
    return error;
}
