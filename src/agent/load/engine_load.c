/*
 * engine_load.c - event=load: once a second, how busy the process and the machine are, and how much
 * memory and how many threads they have.
 *
 * These numbers help to read samples: they show whether there were processors to run on, and how
 * full the heap was. Nothing is asked of the VM (load_look.h, heapwalk/heap_level.h), so nothing
 * waits for a safepoint. docs/load.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/load/load_look.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "heapwalk/heap_level.h"
#include "options/options_group.h"
#include "profile/sums.h"

extern const struct options_group options_load;

extern const struct engine engine_load;

/* Indexes of the values of the kinds: kind_load and kind_level. */
enum { USER, SYSTEM, MACHINE, POSSIBLE };
enum { LOOKS, HEAP, RESIDENT, THREADS };

static struct {
    struct heap_level *heap;
    struct load_look_counters counters;
    struct load_look_cpu last;
} load;

static int prepare(const struct options *o)
{
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    load.heap = heap_level_open();
    if (!load.heap) {
        log_error("event=load: no memory");
        return E_UNSUPPORTED;
    }
    if (heap_level_why_not(load.heap))
        log_note("event=load: the heap's size is not known: %s", heap_level_why_not(load.heap));
    load_look_find(&load.counters, heap_level_mem(load.heap), heap_level_counters(load.heap));
    load_look_cpu(&load.last);
    return 0;
}

static uint64_t since(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

static bool is_off(const struct recording *r, const char *event)
{
    return options_group_is_off(&r->options, &options_load, event);
}

/* Set the values that the recording has turned off to 0, which means unknown. */
static struct event muted(const struct recording *r, struct event e)
{
    if (is_off(r, "jdk.GCHeapMemoryUsage"))
        e.value[HEAP] = 0;
    if (is_off(r, "jdk.ResidentSetSize"))
        e.value[RESIDENT] = 0;
    if (is_off(r, "jdk.JavaThreadStatistics"))
        e.value[THREADS] = 0;
    return e;
}

static void count_for_all(struct agent *a, struct event *e)
{
    struct recording *r;
    e->trace = profile_trace(a->profile, 0, NULL, 0);
    for (int at = 0; e->trace && (r = engine_recording(a, &engine_load, &at)) != NULL;) {
        struct event own = e->kind == KIND_LEVEL ? muted(r, *e) : *e;
        if (e->kind == KIND_LEVEL || !is_off(r, "jdk.CPULoad"))
            recording_count(a, r, &own);
    }
}

static void look(struct agent *a)
{
    struct load_look_cpu now;
    struct load_look_memory memory;
    struct load_look_threads threads;
    struct event event;
    load_look_cpu(&now);
    if (now.at_ns <= load.last.at_ns)
        return;
    event = (struct event){
        .kind = KIND_LOAD,
        .time_ns = now.at_ns,
        .value = {[USER] = since(load.last.user_ns, now.user_ns),
                  [SYSTEM] = since(load.last.system_ns, now.system_ns),
                  [MACHINE] = since(load.last.machine_ns, now.machine_ns),
                  [POSSIBLE] = (now.at_ns - load.last.at_ns) * now.processors},
    };
    /* The kernel counts whole ticks, so it may have counted one tick too many for a short time. */
    if (event.value[MACHINE] > event.value[POSSIBLE])
        event.value[MACHINE] = event.value[POSSIBLE];
    load.last = now;
    count_for_all(a, &event);
    load_look_memory(&memory);
    load_look_threads(&load.counters, &threads);
    const struct event_levels levels = {.resident_peak_bytes = memory.peak_bytes,
                                        .daemon_threads = threads.daemon,
                                        .peak_threads = threads.peak,
                                        .started_threads = threads.started};

    event = (struct event){
        .kind = KIND_LEVEL,
        .time_ns = now.at_ns,
        .value = {[LOOKS] = 1,
                  [HEAP] = heap_level_used(load.heap),
                  [RESIDENT] = memory.resident_bytes,
                  [THREADS] = threads.live},
        .levels = &levels,
    };
    count_for_all(a, &event);
}

static void beat(struct agent *a, JNIEnv *env)
{
    look(a);
}

/*
 * A look at this moment ends the time before the recording, which does not count for it. The other
 * recordings get this look early.
 */
static int join(struct agent *a, struct recording *r)
{
    look(a);
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    look(a);
    recording_table(r, KIND_LOAD);
    recording_table(r, KIND_LEVEL);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    snprintf(ret, ENGINE_STATUS, "looks=%llu",
             (unsigned long long)tally_sums(r->tally, KIND_LEVEL)->total[LOOKS]);
}

static int release(struct agent *a, JNIEnv *env)
{
    heap_level_close(load.heap);
    load.heap = NULL;
    return 0;
}

const struct engine engine_load = {
    .name = "load",
    .help = "event=load: CPU, memory and threads of the process, each second",
    .dumping = " load ...",
    .begun = "load",
    .options = &options_load,
    .prepare = prepare,
    .start = start,
    .beat = beat,
    .sharing = {.join = join},
    .dump = dump,
    .status = status,
    .release = release,
};
