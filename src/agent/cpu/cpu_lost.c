/*
 * cpu_lost.c - see cpu_lost.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_lost.h"
#include <stdint.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_sampler.h"
#include "agent/engine/engine.h"
#include "agent/recording/recording.h"
#include "agent/sampling/slots.h"
#include "safe/clock.h"
#include "safe/tick.h"

extern const struct engine engine_cpu;

/* Converts intervals of the sampler into intervals of each recording. A rest below one interval is
 * kept for the next loss, which may be of another thread. */
static void tell(struct cpu_sampler *c, uint32_t serial, uint64_t intervals)
{
    thread_id thread = serial ? profile_thread_by_serial(c->agent->profile, serial) : 0;
    struct recording *r;
    for (int at = 0; (r = engine_recording(c->agent, &engine_cpu, &at)) != NULL;) {
        struct cpu_share *share = c->of[r->place];
        if (!share || !cpu_share_is_on(share, serial))
            continue;
        uint64_t ns = share->lost_ns + intervals * c->slots.interval_ns;
        share->lost_ns = ns % share->interval_ns;
        if (ns >= share->interval_ns)
            recording_lose(r, thread, ns / share->interval_ns);
    }
}

/* A handler counts the loss for its thread first, and then for all. So the sum of the threads is at
 * least the count of all that was read before. */
void cpu_lost_tell(struct cpu_sampler *c)
{
    uint64_t lost = tick_counts(&c->tick).lost;
    uint32_t serial, intervals;
    if (lost <= c->lost.told)
        return;
    for (uint32_t at = 0; (intervals = slots_lost(&c->slots, &at, &serial)) != 0;) {
        c->lost.told += intervals;
        tell(c, serial, intervals);
    }
    if (lost > c->lost.told) {
        tell(c, 0, lost - c->lost.told);
        c->lost.told = lost;
    }
    c->lost.told_at_ns = clock_monotonic_ns();
}

void cpu_lost_tell_in_time(struct cpu_sampler *c)
{
    if (tick_counts(&c->tick).lost > c->lost.told &&
        clock_monotonic_ns() - c->lost.told_at_ns >= NS_PER_S)
        cpu_lost_tell(c);
}
