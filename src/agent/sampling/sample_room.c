/*
 * sample_room.c - see sample_room.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/sampling/sample_room.h"
#include <errno.h>
#include <sys/mman.h>
#include "agent/budget.h"
#include "agent/log.h"
#include "base/err.h"
#include "options/options.h"
#include "safe/tick.h"

enum {
    /* largest ring: it is drained when a quarter is full, so more is not needed */
    RING_SAMPLES = 4096,
    RING_SAMPLES_LEAST = 2, /* smallest ring */
};

void *sample_room_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void unmap(void *at, size_t bytes)
{
    if (at)
        munmap(at, bytes);
}

void sample_room_unmap(struct sample_room *room)
{
    unmap(room->ring, room->ring_bytes);
    unmap(room->frames, room->frames_bytes);
    unmap(room->late, room->payload_bytes);
}

int sample_room_map(const struct options *o, uint32_t depth, struct sample_room *ret)
{
    struct sample_room room = {.payload_bytes = tick_sample_bytes(depth),
                               .ring_bytes = budget_bytes(o->mem_bytes, BUDGET_RING),
                               .frames_bytes = 2 * (size_t)depth * sizeof(*room.frames) + 1};
    size_t most = ring_bytes(RING_SAMPLES, room.payload_bytes);
    if (room.ring_bytes > most)
        room.ring_bytes = most;
    if (room.ring_bytes < ring_bytes(RING_SAMPLES_LEAST, room.payload_bytes)) {
        log_error("mem=%llu is too small for depth=%u: raise mem= or lower depth=",
                  (unsigned long long)o->mem_bytes, depth);
        return E_LIMIT;
    }
    room.ring = sample_room_pages(room.ring_bytes);
    room.frames = sample_room_pages(room.frames_bytes);
    room.late = sample_room_pages(room.payload_bytes);
    if (!room.ring || !room.frames || !room.late) {
        sample_room_unmap(&room);
        log_error("no memory for the sample ring: lower mem=");
        return -ENOMEM;
    }
    room.plain = room.frames + depth;
    *ret = room;
    return 0;
}
