/*
 * engine_allocsample.c - event=alloc: where the program allocates, shown by sampled objects.
 *
 * The VM's sampler, or injected code on JDK 8, reports an object with the probability p = 1 -
 * exp(-size / interval): a random point of the bytes that the thread allocates lies in the object.
 * A sample counts as size / p bytes and 1 / p objects. The sum over the objects of one site is
 * therefore right on average, whatever their sizes (the estimator of Horvitz and Thompson).
 *
 * Each recording has an interval of its own, and takes the samples that this interval would have
 * hit. Above the rate of the recording only some of the samples are taken, and they stand for the
 * others (base/rate.h). See docs/allocation.md. heap=sites belongs to another engine, which follows
 * each object (agent/alloc).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/allocsample/allocsample_inject.h"
#include "agent/allocsample/allocsample_live.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/stack_source/callstack.h"
#include "agent/stack_source/vm_walk.h"
#include "base/err.h"
#include "base/expo.h"
#include "base/gate.h"
#include "base/plural.h"
#include "base/rate.h"
#include "base/splitmix.h"
#include "format/writer_sites.h"
#include "options/options_allocsample.h"
#include "safe/clock.h"
#include "safe/release.h"
#include "vm/vm_heap.h"
#include "vm/vm_sampler.h"

extern const struct engine engine_allocsample;

enum { CLOSE_MS = 2000 };

/* The counts of one recording: how many of its samples were taken, left out or lost. */
struct reader {
    struct rate rate;
    uint64_t taken, thinned, throttled, lost;
    uint64_t values; /* those of `taken` that have no identity, so their life cannot be watched */
};

static struct {
    struct gate gate;
    struct agent *agent;
    int user; /* the agent's number as a user of the VM's sampler; -1: none */
    bool hears, is_injected;
    uint64_t interval; /* the smallest interval that a recording asks for */
    uint64_t random;   /* needs the agent's lock */
    uint64_t began_ns;
    _Atomic uint64_t own, asked, late;
    /* indexed by the recording's place; needs the agent's lock */
    struct reader of[AGENT_RECORDINGS];
} sampled = {.user = -1};

/* ---- one object */

/* A random number in [0, 1). Needs the agent's lock. */
static double draw(void)
{
    return splitmix_fraction(splitmix_next(&sampled.random));
}

static double hit(uint64_t bytes, uint64_t interval)
{
    return expo_hit((double)bytes / (double)interval);
}

/* Count the object for `r`, which takes it with the probability `p`. */
static void count_for(struct recording *r, JNIEnv *env, const struct allocsample_object *o,
                      struct event event, const struct callstack *stack, double p)
{
    struct agent *a = sampled.agent;
    event.value[WRITER_SITES_BYTES] = (uint64_t)((double)o->bytes / p + draw());
    event.value[WRITER_SITES_OBJECTS] = (uint64_t)(1 / p + draw());
    event.trace = callstack_trace(a, r, stack, event.thread, &event.is_truncated);
    if (event.trace && recording_count(a, r, &event) == 0) {
        sampled.of[r->place].taken++;
        if (o->object)
            allocsample_live_add(r, env, o->object, &event);
        else
            sampled.of[r->place].values++;
    } else {
        sampled.of[r->place].lost++;
    }
}

/* Whether `r` takes the object of a sample. `drawn` is a random number below the probability of
 * being sampled at all; it is the same for all recordings. When samples come too fast, the interval
 * is made longer by the number of intervals that a sample stands for, so that small objects are
 * left out before large ones. */
static bool is_taken(struct recording *r, uint64_t weight, double drawn, uint64_t now_ns,
                     double *ret_p)
{
    struct reader *reader = &sampled.of[r->place];
    uint64_t interval = options_allocsample_of(&r->options)->interval_bytes, intervals;
    double p = hit(weight, interval);
    if (drawn >= p) {
        reader->thinned++;
        return false;
    }
    intervals = (uint64_t)((double)weight / (double)interval / p + draw());
    *ret_p = hit(weight, interval * rate_weight(&reader->rate, now_ns, intervals));
    if (drawn < *ret_p)
        return true;
    reader->throttled++;
    return false;
}

/* Needs the agent's lock. */
static void add(JNIEnv *env, const struct allocsample_object *o, struct callstack *stack)
{
    struct agent *a = sampled.agent;
    struct thread *t = threads_here();
    struct event event = {.kind = KIND_SITE,
                          .klass = names_class(a, o->klass),
                          .thread = t ? t->id : 0,
                          .context = scope_context_here(a),
                          .time_ns = clock_monotonic_ns()};
    double drawn = draw() * hit(o->weight, sampled.interval), p;
    struct recording *r;
    for (int at = 0; (r = engine_recording(a, &engine_allocsample, &at)) != NULL;) {
        if (!is_taken(r, o->weight, drawn, event.time_ns, &p))
            continue;
        if (event.klass)
            count_for(r, env, o, event, stack, p);
        else
            sampled.of[r->place].lost++;
    }
    vm_walk_turn();
}

/* `own`: number of innermost frames that belong neither to the program nor to a tracker. */
static void look(JNIEnv *env, const struct allocsample_object *o, uint32_t own)
{
    struct agent *a = sampled.agent;
    struct callstack stack;
    callstack_take(a, env, a->options.depth + (int)own, &stack);
    if (stack.names == WALK_NAMES_JMETHODID)
        atomic_fetch_add_explicit(&sampled.asked, 1, memory_order_relaxed);
    if (!agent_enter_in_time(a)) {
        atomic_fetch_add_explicit(&sampled.late, 1, memory_order_relaxed);
    } else {
        if (a->started && !a->closed) {
            callstack_name(a, &stack, own);
            add(env, o, &stack);
        }
        agent_unlock(a);
    }
    callstack_leave(&stack);
}

static void see(JNIEnv *env, const struct allocsample_object *o, uint32_t own)
{
    _Atomic uint32_t *inside = gate_enter(&sampled.gate);
    if (!inside)
        return;
    /* a call of the agent made the object */
    if (agent_lock_is_mine(sampled.agent) || vm_heap_is_making())
        atomic_fetch_add_explicit(&sampled.own, 1, memory_order_relaxed);
    else
        look(env, o, own);
    gate_leave(inside);
}

static void on_sampled(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg)
{
    const struct allocsample_object o = {
        .object = object, .klass = klass, .bytes = bytes, .weight = bytes};
    see(env, &o, 0);
}

/* ---- the engine */

static int prepare(const struct options *o)
{
    sampled.interval = options_allocsample_of(o)->interval_bytes;
    return 0;
}

/* If the VM has no sampler, code is injected. A thread draws its first distance when it is created,
 * so the interval has to be set before the VM has threads. */
static int load(struct agent *a)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    sampled.agent = a;
    sampled.is_injected = a->vm.release < RELEASE_ALLOCATION_SAMPLER;
    if (sampled.is_injected) {
        if (allocsample_inject_load(a) == 0)
            return 0;
        log_error("event=alloc: this VM does not let its classes be changed");
        return E_UNSUPPORTED;
    }
    sampled.user = vm_sampler_open(&a->vm, sampled.interval, NULL, &why);
    if (sampled.user >= 0)
        return 0;
    log_error("event=alloc: %s", vm_env_say(&why, text));
    return E_UNSUPPORTED;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *why_not;
    sampled.random = sampled.began_ns = clock_monotonic_ns();
    callstack_open(a);
    if (!callstack_can_walk(&why_not))
        log_note("event=alloc costs more here: stacks have to be asked of the VM (%s)", why_not);
    gate_open(&sampled.gate);
    sampled.hears = true;
    if (!sampled.is_injected)
        vm_sampler_hear(sampled.user, on_sampled);
    else if (allocsample_inject_start(a, env, sampled.interval, see) != 0) {
        log_error("event=alloc: this VM does not tell of allocations");
        return E_UNSUPPORTED;
    }
    return 0;
}

static int join(struct agent *a, struct recording *r)
{
    struct reader *reader = &sampled.of[r->place];
    *reader = (struct reader){.taken = 0};
    rate_init(&reader->rate, options_allocsample_of(&r->options)->rate);
    return allocsample_live_join(a, r);
}

static void beat(struct agent *a, JNIEnv *env)
{
    allocsample_live_sweep(env);
}

static int retune(struct agent *a)
{
    uint64_t interval = options_allocsample_of(&a->options)->interval_bytes;
    int error = 0;
    if (sampled.is_injected)
        allocsample_inject_set_interval(interval);
    else if (interval != sampled.interval)
        error = vm_sampler_set_interval(sampled.user, interval);
    if (error)
        log_error("event=alloc: the VM does not take an interval of %llu bytes",
                  (unsigned long long)interval);
    else
        sampled.interval = interval;
    return error;
}

/* How many of the classes that were loaded before the engine have the injected code. All counts are
 * 0 if no code is injected. */
static struct injector_later_cover cover(void)
{
    return sampled.is_injected && sampled.hears ? allocsample_inject_cover()
                                                : (struct injector_later_cover){.changed = 0};
}

static uint64_t covered_after_ms(const struct injector_later_cover *c)
{
    return c->left == 0 && c->since_ns > sampled.began_ns
               ? (c->since_ns - sampled.began_ns) / NS_PER_MS
               : 0;
}

/* Says how much of the program could be seen, and since when. */
static void say_cover(void)
{
    struct injector_later_cover c = cover();
    char when[64] = "the others follow, hottest first";
    if (c.changed + c.left + c.idle == 0)
        return;
    if (c.left == 0)
        snprintf(when, sizeof(when), "the last since %llu ms after the begin",
                 (unsigned long long)covered_after_ms(&c));
    log_note(
        "event=alloc: arrays are seen in %u of %u classes that were loaded before, make arrays "
        "and have run, %s; %u have never run; objects are seen in all; longest stop for it %llu ms",
        c.changed, c.changed + c.left, when, c.idle,
        (unsigned long long)(c.longest_ns / NS_PER_MS));
}

static void set_quality(struct recording *r)
{
    const struct injector_later_cover late = cover();
    const struct reader *c = &sampled.of[r->place];
    const struct quality_count rows[] = {
        {QUALITY_ALLOC_INTERVAL, options_allocsample_of(&r->options)->interval_bytes},
        {QUALITY_ALLOC_SAMPLES, c->taken},
        {QUALITY_ALLOC_BIAS, sampled.is_injected ? 0 : vm_sampler_bias_percent()},
        {QUALITY_ALLOC_THINNED, c->thinned},
        {QUALITY_ALLOC_THROTTLED, c->throttled},
        {QUALITY_ALLOC_LOST, c->lost},
        {QUALITY_ALLOC_VALUES, c->values},
        {QUALITY_ALLOC_ASKED, sampled.asked},
        {QUALITY_ALLOC_OWN, sampled.own},
        {QUALITY_ALLOC_LATE, sampled.late},
        {QUALITY_ALLOC_CLASSES_SEEN, late.changed},
        {QUALITY_ALLOC_CLASSES_WAITING, late.left},
        {QUALITY_ALLOC_CLASSES_IDLE, late.idle},
        {QUALITY_ALLOC_CLASSES_AFTER, covered_after_ms(&late)},
        {QUALITY_ALLOC_STOPS, late.stops},
        {QUALITY_ALLOC_STOP_LONGEST, late.longest_ns / 1000},
        {QUALITY_ALLOC_STOPPED, late.stopped_ns / 1000},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

/* A writer that takes events has had them. Another one gets their sums since the start of the
 * recording. */
static void dump(struct agent *a, struct recording *r)
{
    bool has_live = allocsample_live_is_wanted(r);
    set_quality(r);
    if (has_live && allocsample_live_put(a, r) != 0)
        log_error("event=live: some of what lives is left out: raise mem=");
    recording_table_as(r, &(struct writer_sums){.kind = KIND_SITE,
                                                .ranked_by = has_live ? WRITER_SITES_LIVE_BYTES
                                                                      : WRITER_SITES_BYTES,
                                                .cutoff = r->options.cutoff});
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct reader *c = &sampled.of[r->place];

    const struct injector_later_cover late = cover();
    int n =
        snprintf(ret, ENGINE_STATUS, "allocations=%llu thinned=%llu throttled=%llu alloc_lost=%llu",
                 (unsigned long long)c->taken, (unsigned long long)c->thinned,
                 (unsigned long long)c->throttled, (unsigned long long)c->lost);

    if (late.changed + late.left + late.idle > 0)
        snprintf(ret + n, ENGINE_STATUS - (size_t)n,
                 " classes_seen=%u classes_waiting=%u classes_idle=%u", late.changed, late.left,
                 late.idle);
}

static void say(struct agent *a, struct recording *r)
{
    const struct reader *c = &sampled.of[r->place];

    char lost[64] = "";

    if (c->lost)
        snprintf(lost, sizeof(lost),
                 "; %llu found no room: raise mem=", (unsigned long long)c->lost);
    log_note("event=alloc: %llu object%s sampled, one in %llu bytes%s",
             (unsigned long long)c->taken, plural_s(c->taken),
             (unsigned long long)options_allocsample_of(&r->options)->interval_bytes, lost);
    if (c->values && allocsample_live_is_wanted(r))
        log_note("event=live: %llu of them are of value classes: they have no identity, so nobody "
                 "can tell how long they live, and none counts as live",
                 (unsigned long long)c->values);
    say_cover();
}

static void stop(struct agent *a)
{
    if (sampled.hears && sampled.is_injected)
        allocsample_inject_stop();
    else if (sampled.hears)
        vm_sampler_hear(sampled.user, NULL);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (!gate_close(&sampled.gate, CLOSE_MS) ||
        (sampled.is_injected && allocsample_inject_release() != 0)) {
        log_error("event=alloc: somebody still looks at an object");
        return -EBUSY;
    }
    if (sampled.user >= 0)
        vm_sampler_close(sampled.user);
    if (sampled.hears)
        callstack_close();
    allocsample_live_release();
    sampled.user = -1;
    sampled.hears = false;
    sampled.own = sampled.asked = sampled.late = 0;
    return 0;
}

const struct engine engine_allocsample = {
    .name = "allocsample",
    .help =
        "event=alloc, live: sampled allocations by class and stack trace, and what lives of them",
    .begun = "sampled allocations",
    .dumping = " sampled allocations ...",
    .options = &options_allocsample,
    .owns = {.counts = "alloc_"},
    .beat = beat,
    .sharing = {.join = join, .part = allocsample_live_part, .retune = retune},
    .prepare = prepare,
    .load = load,
    .start = start,
    .dump = dump,
    .say = say,
    .status = status,
    .stop = stop,
    .release = release,
};
