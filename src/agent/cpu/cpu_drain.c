/*
 * cpu_drain.c - see cpu_sampler.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_sampler.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_share.h"
#include "agent/engine/engine.h"
#include "agent/names/frame_room.h"
#include "agent/recording/recording.h"
#include "agent/sampling/slots.h"
#include "agent/scope/scope_context.h"
#include "agent/stack_source/stack_source.h"
#include "options/options_cpu.h"
#include "safe/clock.h"
#include "safe/ring.h"
#include "safe/tick.h"

extern const struct engine engine_cpu;

/* The next recording that gets samples, from place *at on; NULL at the end. */
static struct recording *sampled(const struct cpu_sampler *c, int *at)
{
    struct recording *r;
    do
        r = engine_recording(c->agent, &engine_cpu, at);
    while (r && !c->of[r->place]); /* a recording with depth=0 gets none */
    return r;
}

/* The result of take_frames() for one sample. The frames themselves are in c->room.frames. */
struct taken {
    int64_t depth;    /* -1: the model's memory is used up */
    uint32_t unnamed; /* frames without a name */
};

static struct taken take_frames(struct cpu_sampler *c, const struct tick_sample *s)
{
    struct taken taken = {0};
    uint32_t depth = 0;
    for (int32_t i = 0; i < s->result; i++) {
        struct frame_found found = frame_room_find(c->agent, c->tick.walker->names, &s->frames[i]);
        if (found.is_lost)
            return (struct taken){.depth = -1, .unnamed = taken.unnamed};
        if (!found.frame) {
            taken.unnamed++; /* an unknown frame keeps its place in the stack */
            found.frame = frame_room_unknown(c->agent);
        }
        /* If the kernel gives no names, one unknown frame stands for all of its calls in a row. */
        if (found.is_blank && depth > 0 && c->room.frames[depth - 1] == found.frame)
            continue;
        if (found.is_own)
            depth = 0;
        else if (found.frame)
            c->room.frames[depth++] = found.frame;
    }
    taken.depth = depth;
    return taken;
}

/* Asks for the stack of a sample that was taken without a stack. The answer is the stack of this
 * later moment. */
static struct tick_sample *ask_stack(struct cpu_sampler *c, const struct tick_sample *s)
{
    struct tick_sample *late = c->room.late;
    *late = *s;
    late->result = c->stacks->stack(c->agent, s->serial, late->frames, c->tick.depth);
    return late;
}

/* The `count` innermost frames as `r` wants them. If `r` does not want kinds, it gets frames
 * without kinds, because otherwise one stack would become several of its rows. */
static const frame_id *frames_for(struct cpu_sampler *c, const struct recording *r, uint32_t count)
{
    if (recording_can(r, WRITER_TIERS))
        return c->room.frames;
    for (uint32_t i = 0; i < count; i++)
        c->room.plain[i] = frame_room_plain(c->agent, c->room.frames[i]);
    return c->room.plain;
}

/* Count the sample for `r`, with a weight of `weight` intervals of `r`. */
static void count_for(struct cpu_sampler *c, struct recording *r, const struct tick_sample *s,
                      const struct taken *taken, uint32_t weight)
{
    struct agent *a = c->agent;
    struct cpu_quality *q = &c->of[r->place]->quality;
    uint32_t depth = taken->depth > 0 ? (uint32_t)taken->depth : 0,
             most = (uint32_t)r->options.depth, kept = depth < most ? depth : most;
    thread_id thread = profile_thread_by_serial(a->profile, s->serial);
    struct event event = {.kind = KIND_SAMPLE,
                          .thread = thread,
                          .time_ns = s->time_ns,
                          .context = scope_context_of(a, &s->scopes),
                          .value = {weight},
                          .is_truncated = s->truncated || depth > most,
                          .is_biased = c->stacks->stack != NULL};
    q->unnamed_frames += taken->unnamed;
    if (taken->depth == 0) {
        q->nameless += weight;
        return;
    }
    if (taken->depth > 0)
        event.trace =
            profile_trace(a->profile, r->options.thread ? thread : 0, frames_for(c, r, kept), kept);
    if (!event.trace || recording_count(a, r, &event) != 0) {
        q->no_memory += weight;
        recording_lose(r, thread, weight);
        return;
    }
    if (event.is_truncated)
        q->truncated += weight;
    cpu_quality_add_walked(q, s, weight, options_cpu_of(&a->options)->native);
}

/* Count one sample for all recordings that sample its thread. Needs the lock. */
static void take_in(struct cpu_sampler *c, struct tick_sample *s)
{
    struct taken taken = {0};
    bool has_frames = false;
    struct recording *r;
    if (s->result >= 0 && c->stacks->stack)
        s = ask_stack(c, s);
    for (int at = 0; (r = sampled(c, &at)) != NULL;) {
        struct cpu_quality *q = &c->of[r->place]->quality;
        if (!cpu_share_is_on(c->of[r->place], s->serial))
            continue;
        uint32_t weight =
            cpu_share_take(c->of[r->place], s->serial, s->weight * c->slots.interval_ns);

        if (weight > q->largest)
            q->largest = weight;
        if (s->serial == 0) /* a thread that is not Java's; only with native=y */
            q->other_samples += weight;
        if (s->result < 0) {
            q->failed[-s->result - 1] += weight;
            continue;
        }
        if (weight && !has_frames)
            taken = take_frames(c, s);
        if (weight)
            count_for(c, r, s, &taken, weight);
        has_frames |= weight > 0;
    }
}

/* ---- samples that were lost */

/* Converts intervals of the sampler into intervals of each recording. A rest below one interval is
 * kept for the next loss, which may be of another thread. */
static void tell_lost_of(struct cpu_sampler *c, uint32_t serial, uint64_t intervals)
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

/*
 * Tell each recording that samples what its threads have lost since the last call, because the ring
 * was full. Samples of threads that have ended are told without a thread. Cheap if no sample was
 * lost.
 *
 * A handler counts the loss for its thread first, and then for all. So the sum of the threads is at
 * least the count of all that was read before.
 */
static void tell_lost(struct cpu_sampler *c)
{
    uint64_t lost = tick_counts(&c->tick).lost;
    uint32_t serial, intervals;
    if (lost <= c->lost.told)
        return;
    for (uint32_t at = 0; (intervals = slots_lost(&c->slots, &at, &serial)) != 0;) {
        c->lost.told += intervals;
        tell_lost_of(c, serial, intervals);
    }
    if (lost > c->lost.told) {
        tell_lost_of(c, 0, lost - c->lost.told);
        c->lost.told = lost;
    }
    c->lost.told_at_ns = clock_monotonic_ns();
}

/* ---- what all samples do not show */

void cpu_drain_outside(struct cpu_sampler *c)
{
    struct tick_counts now = tick_counts(&c->tick), before = c->known.counts;
    uint64_t other[THREAD_ROLE_COUNT], ns = c->slots.interval_ns;
    struct recording *r;
    slots_ticks(&c->slots, other);
    for (int at = 0; (r = sampled(c, &at)) != NULL;) {
        struct cpu_outside *to = &c->of[r->place]->quality.outside;
        to->lost_ns += (now.lost - before.lost) * ns;
        to->ended_ns += (now.ended - before.ended) * ns;
        to->blocked_ns += (now.blocked - before.blocked) * ns;
        to->missed_ns += (now.missed - before.missed) * ns;
        to->stale_ns += (now.kernel_stale - before.kernel_stale) * ns;
        to->signals += now.signals - before.signals;
        to->early += now.early - before.early;
        to->foreign += now.foreign - before.foreign;
        for (int i = 0; i < THREAD_ROLE_COUNT; i++)
            to->other_ns[i] += (other[i] - c->known.other[i]) * ns;
    }
    c->known.counts = now;
    memcpy(c->known.other, other, sizeof(other));
    tell_lost(c);
}

void cpu_drain(struct cpu_sampler *c)
{
    struct tick_sample *s;
    /* Only samples that are in the ring now are read: the lock must not be held as long as new
     * samples come. */
    uint64_t end = ring_end(&c->tick.ring);

    while (!ring_is_read(&c->tick.ring, end) && (s = ring_peek(&c->tick.ring)) != NULL) {
        take_in(c, s);
        ring_release(&c->tick.ring);
    }
    if (c->stacks->read)
        c->stacks->read();
    if (tick_counts(&c->tick).lost > c->lost.told &&
        clock_monotonic_ns() - c->lost.told_at_ns >= NS_PER_S)
        tell_lost(c);
}
