/*
 * cpu_quality.c - see cpu_quality.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_quality.h"
#include <signal.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/recording/recording.h"
#include "agent/sampling/slots.h"
#include "agent/stack_source/stack_source.h"
#include "agent/timer/timer.h"
#include "options/options_cpu.h"
#include "safe/clock.h"
#include "safe/hs_cursor.h"
#include "safe/walk_native.h"

static bool is_java(const struct walk_frame *f)
{
    return f->kind != WALK_KIND_CPP && f->kind != WALK_KIND_KERNEL;
}

static bool is_cut(const struct tick_sample *s)
{
    for (int32_t i = 0; i < s->result; i++)
        if (s->frames[i].kind == WALK_KIND_CPP && (s->frames[i].flags & WALK_NATIVE_CUT))
            return true;
    return false;
}

/* Whether the sample lacks frames of a virtual thread that are in the heap. */
static bool is_frozen_cut(const struct tick_sample *s)
{
    for (int32_t i = 0; i < s->result; i++)
        if (is_java(&s->frames[i]) && (s->frames[i].flags & HS_FRAME_FROZEN))
            return true;
    return false;
}

/* Counts how the walker found the place where it began. All Java frames of a sample have the same
 * flags for this, so the first one is enough. */
static void count_guess(struct cpu_quality *q, const struct tick_sample *s, uint32_t weight)
{
    for (int32_t i = 0; i < s->result; i++) {
        if (!is_java(&s->frames[i]))
            continue;
        uint16_t trust = s->frames[i].flags & HS_FRAME_TRUST;
        if (trust == HS_TRUST_SHIFTED)
            q->shifted += weight;
        if (trust == HS_TRUST_SCANNED)
            q->scanned += weight;
        return;
    }
}

void cpu_quality_add_walked(struct cpu_quality *q, const struct tick_sample *s, uint32_t weight,
                            bool has_native)
{
    q->walked += weight;
    count_guess(q, s, weight);
    if (has_native && is_cut(s))
        q->native_cut += weight;
    if (is_frozen_cut(s))
        q->frozen_cut += weight;
    if (s->result > 0 && s->frames[0].kind == WALK_KIND_KERNEL)
        q->with_kernel += weight;
}

/* Sets the counts of samples and of what became of them. `untaken`: samples that were due but that
 * no handler took. */
static void write_samples(const struct cpu_quality *q, struct recording *r, uint64_t untaken)
{
    /* A thread of the VM without Java frames, for example the attach listener, was walked
     * completely, so its samples are no failures. */
    uint64_t failed = 0, frameless = q->failed[WALK_NO_JAVA_FRAME];

    for (int i = 0; i < WALK_CAUSE_COUNT; i++)
        failed += i == WALK_NO_JAVA_FRAME ? 0 : q->failed[i];
    recording_set_quality(r, QUALITY_SAMPLES,
                          q->walked + failed + frameless + q->nameless + q->no_memory + untaken);
    recording_set_quality(r, QUALITY_WALKED, q->walked);
    recording_set_quality(r, QUALITY_TRUNCATED, q->truncated);
    recording_set_quality(r, QUALITY_SHIFTED, q->shifted);
    recording_set_quality(r, QUALITY_SCANNED, q->scanned);
    recording_set_quality(r, QUALITY_FAILED, failed);
    for (int i = 0; i < WALK_CAUSE_COUNT; i++)
        if (q->failed[i])
            recording_set_quality(r, (enum quality)(QUALITY_WALK + i), q->failed[i]);
    if (q->frozen_cut)
        recording_set_quality(r, QUALITY_FROZEN_CUT, q->frozen_cut);
    recording_set_quality(r, QUALITY_NAMELESS, q->nameless);
    recording_set_quality(r, QUALITY_UNNAMED_FRAMES, q->unnamed_frames);
}

void cpu_quality_write(const struct cpu_quality *q, const struct agent *a, struct recording *r,
                       const struct tick *tick, const struct slots *slots,
                       const struct stack_source *stacks)
{
    const struct cpu_outside *outside = &q->outside;
    uint64_t interval = r->options.interval_ns;
    uint64_t lost = outside->lost_ns / interval, ended = outside->ended_ns / interval,
             blocked = outside->blocked_ns / interval, missed = outside->missed_ns / interval;
    recording_set_quality(r, QUALITY_INTERVAL, interval);
    write_samples(q, r, lost + ended + blocked + missed);
    if (options_cpu_of(&a->options)->native) {
        recording_set_quality(r, QUALITY_NATIVE_CUT, q->native_cut);
        recording_set_quality(r, QUALITY_OTHER_SAMPLES, q->other_samples);
    }
    if (options_cpu_of(&a->options)->kernel) {
        recording_set_quality(r, QUALITY_KERNEL_REFUSED, !tick->kernel_page);
        recording_set_quality(r, QUALITY_KERNEL_SAMPLES, q->with_kernel);
        recording_set_quality(r, QUALITY_KERNEL_STALE, outside->stale_ns / interval);
        recording_set_quality(r, QUALITY_THREADS_WITHOUT_KERNEL, slots->without_kernel);
    }
    if (stacks->count)
        stacks->count(r);
    recording_set_quality(r, QUALITY_LOST_RING_FULL, lost);
    recording_set_quality(r, QUALITY_THREAD_END, ended);
    if (blocked)
        recording_set_quality(r, QUALITY_SIGNAL_BLOCKED, blocked);
    if (missed)
        recording_set_quality(r, QUALITY_SIGNAL_LOST, missed);
    recording_set_quality(r, QUALITY_LARGEST_WEIGHT, q->largest);
    recording_set_quality(r, QUALITY_LOST_MEMORY_FULL, q->no_memory);
    recording_set_quality(r, QUALITY_MODEL_KB, profile_bytes(a->profile) / 1024);
    for (int i = 0; i < THREAD_ROLE_COUNT; i++)
        recording_set_quality(r, thread_role_quality((enum thread_role)i),
                              outside->other_ns[i] / interval);
    recording_set_quality(r, QUALITY_SIGNAL_NUMBER, (uint64_t)tick->signal);
    recording_set_quality(r, QUALITY_SIGNALS, outside->signals);
    recording_set_quality(r, QUALITY_SIGNALS_EARLY, outside->early);
    recording_set_quality(r, QUALITY_SIGNALS_FOREIGN, outside->foreign);
    for (int i = 0; timer_all[i]; i++)
        if (slots->armed[i])
            recording_set_quality(r, timer_all[i]->quality, slots->armed[i]);
    recording_set_quality(r, QUALITY_THREADS_WITHOUT_TIMER, slots->refused);
    recording_set_quality(r, QUALITY_AGENT_CPU, q->agent_cpu_ns / NS_PER_MS);
}
