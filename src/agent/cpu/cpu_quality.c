/*
 * cpu_quality.c - see cpu_quality.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_quality.h"
#include <signal.h>
#include "agent/agent.h"
#include "agent/recording.h"
#include "agent/slots.h"
#include "agent/timer/timer.h"
#include "agent/stack_source/stack_source.h"
#include "options/options_cpu.h"
#include "safe/hs_cursor.h"
#include "safe/walk_native.h"

static int is_java(const struct walk_frame *f)
{
    return f->kind != WALK_KIND_CPP && f->kind != WALK_KIND_KERNEL;
}

static int is_cut(const struct tick_sample *s)
{
    for (int32_t i = 0; i < s->result; i++)
        if (s->frames[i].kind == WALK_KIND_CPP && (s->frames[i].flags & WALK_NATIVE_CUT))
            return 1;
    return 0;
}

/* A virtual thread's frames in the heap are missing. */
static int is_frozen_cut(const struct tick_sample *s)
{
    for (int32_t i = 0; i < s->result; i++)
        if (is_java(&s->frames[i]) && (s->frames[i].flags & HS_FRAME_FROZEN))
            return 1;
    return 0;
}

/* The walker's frames say how it found where to begin: all Java frames of a sample the same. */
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
                            int has_native)
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

static void count(struct recording *r, const char *name, uint64_t value)
{
    recording_set_quality(r, name, value);
}

/* Samples, and what became of those that a handler took. `untaken`: of which it left none. */
static void write_samples(const struct cpu_quality *q, struct recording *r, uint64_t untaken)
{
    /* A thread of the VM that has no Java frame, as the attach listener, has been walked whole. */
    uint64_t failed = 0, frameless = q->failed[WALK_NO_JAVA_FRAME];

    for (int i = 0; i < WALK_CAUSE_COUNT; i++)
        failed += i == WALK_NO_JAVA_FRAME ? 0 : q->failed[i];
    count(r, "samples", q->walked + failed + frameless + q->nameless + q->no_memory + untaken);
    count(r, "walked", q->walked);
    count(r, "truncated", q->truncated);
    count(r, "shifted", q->shifted);
    count(r, "scanned", q->scanned);
    count(r, "failed", failed);
    for (int i = 0; i < WALK_CAUSE_COUNT; i++)
        if (q->failed[i])
            count(r, walk_cause_word((enum walk_cause)i), q->failed[i]);
    if (q->frozen_cut)
        count(r, "frozen_cut", q->frozen_cut);
    count(r, "nameless", q->nameless);
    count(r, "unnamed_frames", q->unnamed_frames);
}

void cpu_quality_write(const struct cpu_quality *q, const struct agent *a, struct recording *r,
                       const struct tick *tick, const struct slots *slots,
                       const struct stack_source *stacks)
{
    const struct cpu_outside *outside = &q->outside;
    uint64_t interval = r->options.interval_ns;
    uint64_t lost = outside->lost_ns / interval, ended = outside->ended_ns / interval,
             blocked = outside->blocked_ns / interval, missed = outside->missed_ns / interval;

    count(r, "interval_ns", interval);
    write_samples(q, r, lost + ended + blocked + missed);
    if (options_cpu_of(&a->options)->native) {
        count(r, "native_cut", q->native_cut);
        count(r, "other_samples", q->other_samples);
    }
    if (options_cpu_of(&a->options)->kernel) {
        count(r, "kernel_refused", !tick->kernel_page);
        count(r, "kernel_samples", q->with_kernel);
        count(r, "kernel_stale", outside->stale_ns / interval);
        count(r, "threads_without_kernel", slots->without_kernel);
    }
    if (stacks->count)
        stacks->count(r);
    count(r, "lost_ring_full", lost);
    count(r, "thread_end", ended);
    if (blocked)
        count(r, "signal_blocked", blocked);
    if (missed)
        count(r, "signal_lost", missed);
    count(r, "largest_weight", q->largest);
    count(r, "lost_memory_full", q->no_memory);
    count(r, "model_kb", profile_bytes(a->profile) / 1024);
    for (int i = 0; i < THREAD_ROLE_COUNT; i++)
        count(r, thread_role_word((enum thread_role)i), outside->other_ns[i] / interval);
    count(r, "signal_number", (uint64_t)tick->signal);
    count(r, "signals", outside->signals);
    count(r, "signals_early", outside->early);
    count(r, "signals_foreign", outside->foreign);
    for (int i = 0; timer_all[i]; i++)
        if (slots->armed[i])
            count(r, timer_all[i]->name, slots->armed[i]);
    count(r, "threads_without_timer", slots->refused);
    count(r, "agent_cpu_ms", q->agent_cpu_ns / 1000000);
}
