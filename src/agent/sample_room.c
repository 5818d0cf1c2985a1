/*
 * sample_room.c - see sample_room.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/sample_room.h"
#include <errno.h>
#include <sys/mman.h>
#include "agent/budget.h"
#include "agent/log.h"
#include "options/options.h"
#include "base/err.h"
#include "safe/tick.h"

enum {
    RING_CELLS = 4096, /* the ring has no more than this: it is drained when half full */
};

void *sample_room_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

void sample_room_unmap(struct sample_room *room)
{
    if (room->ring)
        munmap(room->ring, room->ring_bytes);
    if (room->frames)
        munmap(room->frames, room->frames_bytes);
}

int sample_room_map(const struct options *o, uint32_t depth, struct sample_room *ret)
{
    size_t payload = tick_sample_bytes(depth);
    struct sample_room room = {.cells =
                                   ring_capacity(budget_bytes(o->mem_bytes, BUDGET_RING), payload)};

    if (room.cells > RING_CELLS)
        room.cells = RING_CELLS;
    if (room.cells == 0) {
        log_error("mem=%llu is too small for depth=%u: raise mem= or lower depth=",
                  (unsigned long long)o->mem_bytes, depth);
        return E_LIMIT;
    }
    room.ring_bytes = ring_bytes(room.cells, payload);
    room.frames_bytes = (size_t)depth * sizeof(*room.frames) + 1;
    room.ring = sample_room_pages(room.ring_bytes);
    room.frames = sample_room_pages(room.frames_bytes);
    if (!room.ring || !room.frames) {
        sample_room_unmap(&room);
        log_error("no memory for the sample ring: lower mem=");
        return -ENOMEM;
    }
    *ret = room;
    return 0;
}
