/*
 * snapshot_live.c - see snapshot_live.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "snapshot/snapshot_live.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"

int snapshot_live_take(struct snapshot *s, struct mem_live *live, enum snapshot_depth depth,
                       uint32_t frames_max, int *ret_stop_error)
{
    struct mem_stop stop = {0};

    s->stopped_ns = 0;
    *ret_stop_error = mem_stop_all(live, &stop);
    if (*ret_stop_error < 0)
        return 0;
    mem_live_refresh(live);
    int error = snapshot_take(s, depth, frames_max);
    s->stopped_ns = mem_stop_end(&stop);
    return error;
}
