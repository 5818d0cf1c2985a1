/*
 * cpu_tick.c - see cpu_sampler.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_sampler.h"
#include <errno.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/sampling/sample_room.h"
#include "agent/sampling/slots.h"
#include "options/options.h"
#include "safe/own_class.h"
#include "safe/ring.h"
#include "safe/tick.h"

enum { QUIET_WAIT_MS = 200 };

uint32_t cpu_tick_depth(uint32_t depth)
{
    return depth + OWN_CLASS_FRAMES;
}

/* Use other memory and another depth. No handler may run. */
static void use_room(struct cpu_sampler *c, const struct sample_room *room, uint32_t depth)
{
    c->room = *room;
    ring_init(&c->tick.ring, room->ring, room->ring_bytes, room->payload_bytes);
    c->tick.depth = depth;
}

int cpu_tick_make(struct cpu_sampler *c, const struct options *o)
{
    struct sample_room room;
    uint32_t depth = cpu_tick_depth((uint32_t)o->depth);
    int error = sample_room_map(o, depth, &room);
    if (error)
        return error;
    /* These lists are kept for ever, because a late signal may still refer to its slot. */
    if (!c->tick.slots)
        c->tick.slots = sample_room_pages(TICK_SLOTS * sizeof(*c->tick.slots));
    if (!c->tick.slot_of_fd)
        c->tick.slot_of_fd = sample_room_pages(TICK_FDS * sizeof(*c->tick.slot_of_fd));
    if (!c->tick.slots || !c->tick.slot_of_fd) {
        sample_room_unmap(&room);
        log_error("no memory for the list of threads");
        return -ENOMEM;
    }
    use_room(c, &room, depth);
    return 0;
}

bool cpu_tick_settle(void)
{
    for (int ms = 0; ms < QUIET_WAIT_MS && !tick_is_quiet(); ms++)
        usleep(1000);
    return tick_is_quiet();
}

int cpu_tick_change(struct cpu_sampler *c, uint32_t shown, uint64_t interval_ns)
{
    uint32_t depth = cpu_tick_depth(shown);
    struct sample_room before = c->room, room;
    bool has_other_depth = depth != c->tick.depth, is_quiet;
    int error = has_other_depth ? sample_room_map(&c->agent->options, depth, &room) : 0;
    if (error)
        return error;
    tick_stop();
    is_quiet = cpu_tick_settle();
    if (is_quiet) {
        cpu_drain(c);
        cpu_drain_outside(c);
        if (has_other_depth)
            use_room(c, &room, depth);
        slots_use_interval(&c->slots, interval_ns);
    } else {
        log_error("depth and interval stay as they are: a signal handler did not end in time");
    }
    tick_go_on(&c->tick);
    slots_restart(&c->slots); /* signals that came in between were ignored */
    if (has_other_depth)
        sample_room_unmap(is_quiet ? &before : &room);
    return is_quiet ? 0 : -ETIMEDOUT;
}
