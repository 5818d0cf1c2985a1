/*
 * engine_perf.c - event=cycles, event=page-faults and their like: which stacks cause events of the
 * processor and the kernel.
 *
 * Each thread has a perf event, which raises a signal after each so many events (safe/counted.h).
 * All threads of the process are measured, and stacks have frames of C and C++, because such events
 * happen there, too. docs/perf-events.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/perf/perf_sampler.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/callstack.h"
#include "agent/stack_source/vm_walk.h"
#include "agent/timer/rival.h"
#include "base/err.h"
#include "base/pages.h"
#include "base/plural.h"
#include "options/options_perf.h"
#include "safe/own_class.h"
#include "vm/vmself.h"

enum { LAP_MS = 100, STOP_WAIT_MS = 2000 };

static struct perf_sampler perf;

static void wake(void)
{
    bell_ring(&perf.wake);
}

/* ---- memory */

/* The lists of threads are kept for ever, because a late signal may still refer to its slot. */
static int map_lists(struct counted *c)
{
    if (!c->slots)
        c->slots = pages_map(COUNTED_SLOTS * sizeof(*c->slots));
    if (!c->slot_of_fd)
        c->slot_of_fd = pages_map(COUNTED_FDS * sizeof(*c->slot_of_fd));
    return c->slots && c->slot_of_fd ? 0 : -ENOMEM;
}

static int map_ring(struct perf_sampler *p, uint64_t bytes)
{
    size_t longest = counted_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES);
    p->ring_bytes = (size_t)bytes;
    p->ring = pages_map(p->ring_bytes);
    if (!p->ring)
        return -ENOMEM;
    if (ring_init(&p->counted.ring, p->ring, p->ring_bytes, longest))
        return 0;
    pages_unmap(p->ring, p->ring_bytes);
    p->ring = NULL;
    return E_LIMIT;
}

/* ---- the signal */

/* Another handler was installed in place of the agent's: it keeps the signal, and the events get
 * another one. */
static void get_signal(struct perf_sampler *p)
{
    char before[RIVAL_NAME], after[RIVAL_NAME];
    int next = rival_second_signal();
    rival_signal_name(p->signal, before);
    if (!next || counted_install(&p->counted, next) != 0)
        return;
    p->signal = next;
    perf_threads_use_signal(p);
    rival_signal_name(next, after);
    if (p->agent->options.verbose)
        log_note("another handler took %s; event=%s goes on with %s", before, p->event.name, after);
}

static void JNICALL perf_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct perf_sampler *p = argument;
    struct agent *a = p->agent;
    bool is_told = false;
    threads_begin_agent(a, env);
    while (!p->stop) {
        perf_threads_look(p);
        bell_wait(&p->wake, LAP_MS);
        frame_native_look();
        agent_lock(a);
        if (!p->stop)
            perf_drain(p);
        agent_unlock(a);
        if (!counted_has_signal())
            get_signal(p);
        if (p->threads.refused_error && !is_told) {
            is_told = true;
            log_error("event=%s: a thread has no event (%s): it is not measured", p->event.name,
                      err_text(p->threads.refused_error));
        }
    }
    bell_ring(&p->stopped);
}

/* ---- the engine */

/* Find the function of uprobe:LIBRARY:FUNCTION in this process. Errors: as frame_native_find(), and
 * a message has said it. */
static int find_function(struct perf_attr *event)
{
    struct frame_native_found found;
    const char *library = event->name + event->library, *symbol = event->name + event->symbol;
    frame_native_refresh();
    int error = frame_native_find(library, event->symbol - event->library - 1, symbol, &found);
    event->address = found.addr;
    if (error == E_LIMIT)
        log_error("event %s: several functions have this name: give the library's whole path, or "
                  "another name",
                  event->name);
    else if (error == E_UNSUPPORTED)
        log_error("event %s: the program chooses this function when it loads the library (IFUNC): "
                  "name the one that is chosen",
                  event->name);
    else if (error && found.has_library)
        log_error("event %s: the library has no function of this name", event->name);
    else if (error)
        log_error("event %s: no library of this name is loaded now", event->name);
    return error;
}

static int prepare(const struct options *o)
{
    struct perf_sampler *p = &perf;
    const struct options_perf *own = options_perf_of(o);
    char why[OPTIONS_MESSAGE];
    int error = options_perf.works_here(own, why, sizeof(why));
    if (error) {
        log_error("%s", why);
        return error;
    }
    perf_attr_named(own->event, &p->event);
    if (p->event.library) {
        error = find_function(&p->event);
        if (error)
            return error;
    }
    error = perf_attr_probe(&p->event, &p->sees_kernel, why, sizeof(why));
    p->counted.interval = own->interval ? (uint64_t)own->interval : p->event.interval;
    p->counted.is_switch = p->event.is_switch;
    p->counted.goes_on =
        p->event.type == PERF_TYPE_BREAKPOINT || p->event.type == PERF_TYPE_TRACEPOINT;
    p->counted.wake = wake;
    perf_attr_fill(&p->event, p->counted.interval, p->sees_kernel, &p->attr);
    if (!error)
        error = map_lists(&p->counted);
    if (!error)
        error = map_ring(p, budget_bytes(o->mem_bytes, BUDGET_EVENT_RING));
    if (error)
        log_error("event=%s: %s", p->event.name,
                  error == E_LIMIT ? "mem= is too small: raise it" : "no memory: lower mem=");
    return error;
}

/* A signal may meet running threads at any instruction, as for samples of CPU time. */
static int load(struct agent *a)
{
    perf.agent = a;
    vmself_turn_on("DebugNonSafepoints");
    frame_native_refresh(); /* takes long; here the lock is not held */
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    struct perf_sampler *p = &perf;
    const char *why;
    if (vm_walk_open(a, &p->counted.ring, &why) != 0) {
        log_error("event=%s: stacks cannot be walked in this VM: %s", p->event.name, why);
        return E_UNSUPPORTED;
    }
    p->counted.walker = vm_walk_mixed();
    p->counted.depth = traces_walk_depth(&a->options);
    p->signal = rival_second_signal();
    perf_threads_init(p);
    int error = p->signal ? counted_install(&p->counted, p->signal) : -EBUSY;
    if (error) {
        log_error("event=%s: no signal is free for it (%s)", p->event.name, err_text(error));
        vm_walk_close(&p->counted.ring);
        return error;
    }
    p->running = true;
    p->thread_runs = agent_run_thread(a, env, "HPROF perf event thread", perf_loop, p) == 0;
    return 0;
}

static void thread_start(struct agent *a, struct thread *thread)
{
    if (perf.running)
        perf_threads_enter(&perf, thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    if (perf.running)
        perf_threads_leave(&perf, thread);
}

static void drain(struct perf_sampler *p)
{
    perf_drain(p);
    perf_drain_outside(p);
}

static int join(struct agent *a, struct recording *r)
{
    const char *wanted = options_perf_of(&r->options)->event;
    if (!perf.running)
        return E_VM_STATE;
    if (strcmp(wanted, perf.event.name) != 0) {
        log_error("event=%s: another recording counts %s, and one such event is counted at a time",
                  wanted, perf.event.name);
        return E_VM_STATE;
    }
    drain(&perf);
    perf.of[r->place] = (struct perf_counts){0};
    return 0;
}

static int retune(struct agent *a)
{
    perf.counted.depth = traces_walk_depth(&a->options);
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    const struct perf_counts *c = &perf.of[r->place];
    if (!perf.running)
        return;
    drain(&perf);
    const struct quality_count rows[] = {
        {QUALITY_PERF_INTERVAL, perf.counted.interval},
        {QUALITY_PERF_SAMPLES, c->samples},
        {QUALITY_PERF_EVENTS, c->walked},
        {QUALITY_PERF_NO_STACK, c->failed},
        {QUALITY_PERF_LOST, c->lost},
        {QUALITY_PERF_REST, c->rest},
        {QUALITY_PERF_CAUSED, c->caused},
        {QUALITY_PERF_USER_ONLY, !perf.sees_kernel},
        {QUALITY_PERF_THREADS_WITHOUT, perf.threads.refused},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
    recording_table(r, KIND_PERF);
    recording_put_quality(r);
}

static void say(struct agent *a, struct recording *r)
{
    const struct perf_counts *c = &perf.of[r->place];
    uint64_t events = c->walked + c->failed;
    log_note("event=%s: %llu in %llu sample%s, %llu lost", perf.event.name,
             (unsigned long long)events, (unsigned long long)c->samples, plural_s(c->samples),
             (unsigned long long)c->lost);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct perf_counts *c = &perf.of[r->place];
    if (!perf.running)
        return;
    drain(&perf);
    uint64_t events = c->walked + c->failed;
    snprintf(ret, ENGINE_STATUS, "perf_samples=%llu perf_events=%llu perf_lost=%llu",
             (unsigned long long)c->samples, (unsigned long long)events,
             (unsigned long long)c->lost);
}

static bool is_quiet(void)
{
    for (int ms = 0; ms < STOP_WAIT_MS && !counted_is_quiet(); ms++)
        usleep(1000);
    return counted_is_quiet();
}

static void stop(struct agent *a)
{
    struct perf_sampler *p = &perf;
    if (!p->running)
        return;
    counted_close();
    /* A handler that runs now reads the file descriptor of its slot, whose number may soon belong
     * to another file. */
    if (is_quiet())
        perf_threads_stop(p);
    p->stop = true;
    bell_ring(&p->wake);
    if (p->thread_runs && bell_wait(&p->stopped, STOP_WAIT_MS))
        p->thread_runs = false;
}

/* Memory that a late handler may still read stays. */
static int release(struct agent *a, JNIEnv *env)
{
    struct perf_sampler *p = &perf;
    const struct counted lists = {.slots = p->counted.slots, .slot_of_fd = p->counted.slot_of_fd};
    if (p->running) {
        if (p->thread_runs || !is_quiet()) {
            log_error("event=%s: %s did not end in time", p->event.name,
                      p->thread_runs ? "its thread" : "a signal handler");
            return -EBUSY;
        }
        vm_walk_close(&p->counted.ring);
        lock_done(&p->threads.lock);
    }
    pages_unmap(p->ring, p->ring_bytes);
    memset(p, 0, sizeof(*p));
    p->counted.slots = lists.slots;
    p->counted.slot_of_fd = lists.slot_of_fd;
    return 0;
}

const struct engine engine_perf = {
    .name = "perf",
    .help = "event=cycles, event=page-faults ...: events of the processor and the kernel by stack",
    .begun = "events of the kernel and the processor",
    .dumping = " events of the kernel and the processor ...",
    .options = &options_perf,
    .owns = {.counts = "perf_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .sharing = {.join = join, .retune = retune},
    .dump = dump,
    .say = say,
    .status = status,
    .stop = stop,
    .release = release,
};
