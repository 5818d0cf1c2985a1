/*
 * engine_method.c - method=: single calls of chosen methods, and the sums of all their calls.
 *
 * Calls of a tracker stand at the entry of each method that matches, before its returns, and where
 * an exception leaves it. A call that is not longer than its time only adds to the sums. A longer
 * one takes its caller's stack when it ends and puts both into a queue (engine/ended.h).
 * docs/method.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/blocked/blocked.h"
#include "agent/budget.h"
#include "agent/engine/ended.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/method/method_open.h"
#include "agent/method/method_tracker.h"
#include "agent/method/method_watch.h"
#include "agent/names/methods.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_virtual.h"
#include "base/err.h"
#include "base/gate.h"
#include "base/rate.h"
#include "options/options_method.h"
#include "profile/sums.h"
#include "safe/clock.h"
#include "safe/release.h"
#include "safe/scope.h"
#include "vm/injector.h"
#include "vm/vm_event.h"

extern const struct engine engine_method;

enum {
    LOCAL_REFERENCES = 8,
    CLOSE_MS = 2000,
    SKIPPED_FRAMES = 2, /* the tracker and the method itself */
    RATE_WINDOW_NS = 100000000,
    RATE_WHOLE = 200, /* so many calls of a window have events before any is left out */
    NAME_BYTES = 1024,
};

/* A call that has ended. */
struct entry {
    struct ended ended;
    uint64_t off_ns;
    uint32_t at;
};

static void count_ended(struct agent *a, const struct ended *ended, struct traces_stack *stack);

static struct {
    struct gate gate;
    struct agent *agent;
    struct ended_queue queue;
    _Atomic uint64_t longest_ns; /* a call that is longer than all before is never left out */
    _Atomic uint64_t thinned, lost;
    /* indexed by the place of a recording; the *_before fields are the counts when it began */
    struct {
        uint64_t thinned_before, lost_before, unplaced_before, events, lost;
    } of[AGENT_RECORDINGS];
} calls = {.queue = {.bytes = sizeof(struct entry), .count = count_ended}};

static struct rate rate = {.window_ns = RATE_WINDOW_NS, .whole = RATE_WHOLE};

/* ---- with the agent's lock */

/* "com.acme.Dao.find" */
static string_id text_of(struct agent *a, method_id method)
{
    const struct profile_method *m = profile_method_at(a->profile, method);
    const struct profile_class *klass = profile_class_at(a->profile, m->klass);
    char text[NAME_BYTES];
    snprintf(text, sizeof(text), "%s.%s", profile_string_at(a->profile, klass->name)->bytes,
             profile_string_at(a->profile, m->name)->bytes);
    return profile_cstring(a->profile, text);
}

static void count_for(struct agent *a, struct recording *r, struct event *event, trace_id whole,
                      bool is_cut)
{
    event->trace = recording_trace(a, r, whole, &event->is_truncated);
    event->is_truncated = event->is_truncated || is_cut;
    if (!event->trace || recording_count(a, r, event) != 0)
        calls.of[r->place].lost++;
    else
        calls.of[r->place].events++;
}

static void count_ended(struct agent *a, const struct ended *ended, struct traces_stack *stack)
{
    const struct entry *e = (const struct entry *)(const void *)ended;
    struct event_call call = {.method = names_injected(a, method_watch_number(e->at))};
    struct event event = {.kind = KIND_METHOD,
                          .klass = ended->klass,
                          .thread = ended->thread,
                          .context = scope_context_of(a, &ended->scopes),
                          .time_ns = ended->end_ns,
                          .value = {ended->end_ns - ended->start_ns, 1, e->off_ns},
                          .call = &call};
    trace_id whole = traces_of(a, ended->thread, stack);
    struct recording *r;
    event.text = call.method ? text_of(a, call.method) : 0;
    for (int at = 0; (r = engine_recording(a, &engine_method, &at)) != NULL;) {
        const struct options_method_one *one =
            method_watch_of(options_method_of(&r->options), e->at);
        if (ended->end_ns < r->began_ns || !one || !one->has_events ||
            event.value[0] <= one->least_ns)
            continue;
        count_for(a, r, &event, whole, ended->is_cut);
    }
}

/* ---- on the thread itself */

/* Whether the call gets an event. */
static bool is_taken(uint64_t ns, uint64_t now_ns)
{
    uint64_t longest_ns = atomic_load_explicit(&calls.longest_ns, memory_order_relaxed);
    bool is_drawn = rate_take(&rate, now_ns) != 0;
    while (ns > longest_ns)
        if (atomic_compare_exchange_weak(&calls.longest_ns, &longest_ns, ns))
            return true;
    if (!is_drawn)
        atomic_fetch_add_explicit(&calls.thinned, 1, memory_order_relaxed);
    return is_drawn;
}

static void tell(JNIEnv *env, struct entry *e, jthrowable thrown)
{
    struct agent *a = calls.agent;
    if (agent_lock_is_mine(a) || !is_taken(e->ended.end_ns - e->ended.start_ns, e->ended.end_ns))
        return;
    const struct thread *t = blocked_thread(a, env, NULL);
    if (!t || (*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK)
        return;
    e->ended.thread = t->id;
    if (!ended_put(&calls.queue, env, &e->ended, thrown, SKIPPED_FRAMES))
        atomic_fetch_add_explicit(&calls.lost, 1, memory_order_relaxed);
    ended_help(&calls.queue, env);
    (*env)->PopLocalFrame(env, NULL);
}

static void end(JNIEnv *env, jlong kept, jthrowable thrown)
{
    struct method_open_call call;
    if (!method_open_end(kept, &call))
        return;
    uint64_t now_ns = clock_monotonic_ns(), ns = now_ns - call.start_ns;
    method_watch_count(call.at, ns);
    if (ns <= method_watch_least_ns(call.at))
        return;
    _Atomic uint32_t *inside = gate_enter(&calls.gate);
    if (!inside)
        return;
    tell(env,
         &(struct entry){.ended = {.start_ns = call.start_ns, .end_ns = now_ns},
                         .off_ns = call.off_ns,
                         .at = call.at},
         thrown);
    gate_leave(inside);
}

static jlong JNICALL on_open(JNIEnv *env, jclass klass, jlong tid, jint at)
{
    return method_open_begin(tid, (uint32_t)at, (uintptr_t)__builtin_frame_address(0));
}

static void JNICALL on_exit_of(JNIEnv *env, jclass klass, jlong kept)
{
    end(env, kept, NULL);
}

static void JNICALL on_unwound(JNIEnv *env, jclass klass, jthrowable thrown, jlong kept)
{
    end(env, kept, thrown);
}

static const struct method_tracker natives = {on_open, on_exit_of, on_unwound};

/* ---- virtual threads */

static void on_mount(void *data, JNIEnv *env, jthread thread)
{
    method_open_mount(scope_virtual_id(env, thread));
}

static void on_unmount(void *data, JNIEnv *env, jthread thread)
{
    method_open_unmount(scope_virtual_id(env, thread));
}

static struct vm_event_subscriber carriers[] = {
    {.event = VM_EVENT_MOUNT, .on.mount = on_mount},
    {.event = VM_EVENT_UNMOUNT, .on.unmount = on_unmount},
};

enum { CARRIERS = sizeof(carriers) / sizeof(carriers[0]) };

/* ---- injection */

static void note_done(const struct instrument_result *r, const struct instrument_share *own)
{
    for (uint32_t i = 0; i < r->row_count; i++) {
        const struct instrument_row *row = &own->rows[i];
        if (row->verdict != INSTRUMENT_INJECTED && row->verdict != INSTRUMENT_NOT_SELECTED)
            method_watch_leave(r->class_name, row->name, row->verdict);
    }
}

/* All loaded classes have been changed. */
static void note_all_done(JNIEnv *env)
{
    method_watch_say(calls.agent->attached);
}

static const struct instrument_probe probe = {
    .tracker = METHOD_TRACKER,
    .kept = 'J',
    .enter_keep = "enter",
    .exit_keep = "exit",
    .caught = "unwound",
    .keep = INSTRUMENT_KEEP_UNWOUND,
    .huge_bytes = INSTRUMENT_HUGE_BYTES,
    .select = method_watch_select,
};

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_CALLS,
    .wants = method_watch_wants,
    .done = note_done,
    .end = note_all_done,
};

/* ---- the engine */

static int prepare(const struct options *o)
{
    uint64_t watched = budget_bytes(o->mem_bytes, BUDGET_WATCHED);
    if (methods_init() == 0 &&
        ended_init(&calls.queue, budget_bytes(o->mem_bytes, BUDGET_CALLS), LOCK_CALLS) == 0 &&
        method_open_prepare(watched / 2) == 0 && method_watch_prepare(watched / 2) == 0)
        return 0;
    ended_done(&calls.queue, NULL);
    log_error("no memory for method=: lower mem=");
    return E_LIMIT;
}

static const struct engine_need needs[] = {
    {.what = VM_CAN_RETRANSFORM_CLASSES,
     .refused = "method=: this VM does not let its classes be changed"},
};

static int load(struct agent *a)
{
    calls.agent = a;
    calls.queue.agent = a;
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    int error = method_tracker_define(&a->vm, env, &natives);
    if (!error)
        error = injector_add(&injected);
    if (error) {
        log_error("method=: this VM does not take our class");
        return error;
    }
    /* Without these events it is not known how long virtual threads had no carrier. */
    if (a->vm.release >= RELEASE_CONTINUATIONS)
        (void)vm_event_add_all(carriers, CARRIERS, NULL);
    method_watch_clear();
    gate_open(&calls.gate);
    return 0;
}

/* Watch what all recordings ask for, but not `without`, which ends. */
static void ask(struct agent *a, const struct recording *with, const struct recording *without)
{
    const struct options_method *lists[AGENT_RECORDINGS + 1];
    struct recording *r;
    int count = 0;
    for (int at = 0; (r = engine_recording(a, &engine_method, &at)) != NULL;)
        if (r != with && r != without)
            lists[count++] = options_method_of(&r->options);
    if (with)
        lists[count++] = options_method_of(&with->options);
    method_watch_ask(lists, count);
}

static int join(struct agent *a, struct recording *r)
{
    ended_drain(&calls.queue);
    calls.of[r->place].thinned_before = calls.thinned;
    calls.of[r->place].lost_before = calls.lost;
    calls.of[r->place].unplaced_before = method_open_unplaced();
    calls.of[r->place].events = calls.of[r->place].lost = 0;
    calls.longest_ns = 0;
    ask(a, r, NULL);
    return injector_add_again(&injected);
}

static void part(struct agent *a, struct recording *r)
{
    method_watch_say_end(options_method_of(&r->options));
    ask(a, NULL, r);
}

static void beat(struct agent *a, JNIEnv *env)
{
    ended_drain(&calls.queue);
}

static uint64_t lost_of(const struct recording *r)
{
    return calls.lost - calls.of[r->place].lost_before + calls.of[r->place].lost;
}

static uint64_t thinned_of(const struct recording *r)
{
    return calls.thinned - calls.of[r->place].thinned_before;
}

/* Give the writer the sums of all calls of the recording's methods. */
static void tell_timings(struct agent *a, struct recording *r)
{
    uint32_t count = method_watch_count_of(), used = 0;
    struct event_timing *rows = calloc(count + (size_t)1, sizeof(*rows));
    for (uint32_t at = 0; rows && at < count; at++) {
        if (!method_watch_of(options_method_of(&r->options), at))
            continue;
        rows[used] = method_watch_sums(at);
        if (rows[used].calls > 0)
            rows[used].method = names_injected(a, method_watch_number(at));
        used += rows[used].method != 0;
    }
    if (rows)
        recording_timings(r, rows, used);
    free(rows);
}

/* In a file that has no place for these sums they are rows, of methods whose calls are no events.
 */
static void tell_rows(struct agent *a, struct recording *r)
{
    uint32_t count = method_watch_count_of();
    for (uint32_t at = 0; at < count; at++) {
        const struct options_method_one *one = method_watch_of(options_method_of(&r->options), at);
        const struct event_timing sums = method_watch_sums(at);
        if (!one || one->has_events || sums.calls == 0)
            continue;
        method_id method = names_injected(a, method_watch_number(at));
        const struct event row = {.kind = KIND_METHOD,
                                  .trace = PROFILE_TRACE_EMPTY,
                                  .text = method ? text_of(a, method) : 0,
                                  .value = {sums.total, sums.calls}};
        if (!row.text || recording_count(a, r, &row) != 0)
            calls.of[r->place].lost++;
    }
}

static void dump(struct agent *a, struct recording *r)
{
    bool has_timings = recording_can(r, WRITER_TIMINGS);
    ended_drain(&calls.queue);
    if (has_timings)
        tell_timings(a, r);
    recording_set_quality(r, QUALITY_METHOD_WATCHED, method_watch_count_of());
    recording_set_quality(r, QUALITY_METHOD_EVENTS, calls.of[r->place].events);
    recording_set_quality(r, QUALITY_METHOD_THINNED, thinned_of(r));
    recording_set_quality(r, QUALITY_METHOD_LOST, lost_of(r));
    recording_set_quality(r, QUALITY_METHOD_UNPLACED,
                          method_open_unplaced() - calls.of[r->place].unplaced_before);
    recording_set_quality(r, QUALITY_METHOD_UNWATCHED, method_watch_left());
    if (!has_timings)
        tell_rows(a, r);
    recording_table(r, KIND_METHOD);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    char unmatched[OPTIONS_METHOD_TEXT];
    ended_drain(&calls.queue);
    method_watch_unmatched(options_method_of(&r->options), unmatched, sizeof(unmatched));
    int len = snprintf(ret, ENGINE_STATUS, "methods=%u method_calls=%llu method_thinned=%llu",
                       method_watch_count_of(), (unsigned long long)calls.of[r->place].events,
                       (unsigned long long)thinned_of(r));
    if (unmatched[0] && len > 0 && len < ENGINE_STATUS)
        snprintf(ret + len, ENGINE_STATUS - (size_t)len, " method_unmatched=\"%s\"", unmatched);
}

static void stop(struct agent *a)
{
    injector_remove(&injected);
    vm_event_remove_all(carriers, CARRIERS);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (!gate_close(&calls.gate, CLOSE_MS)) {
        log_error("method=: somebody is still at the end of a watched method");
        return -EBUSY;
    }
    ended_done(&calls.queue, env);
    return 0;
}

const struct engine engine_method = {
    .name = "method",
    .help = "method=CLASS::METHOD[:>5ms]: calls of methods, each above a time, and sums of all",
    .dumping = " calls ...",
    .begun = "calls of methods",
    .options = &options_method,
    .owns = {.needs = needs, .need_count = sizeof(needs) / sizeof(needs[0]), .counts = "method_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .beat = beat,
    .sharing = {.join = join, .part = part},
    .dump = dump,
    .status = status,
    .stop = stop,
    .release = release,
};
