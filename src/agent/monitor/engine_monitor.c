/*
 * engine_monitor.c - monitor=y: who waits for whom.
 *
 * The VM tells of each contended enter and each Object.wait on the thread that meets it, before it
 * blocks and after; monitor=all adds parks (monitor_park.h). How they are noted without holding up
 * the program: monitor_note.h. What the tables mean: docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/monitor/monitor_dump.h"
#include "agent/monitor/monitor_note.h"
#include "agent/monitor/monitor_park.h"
#include "agent/monitor/monitor_thread.h"
#include "agent/recording.h"
#include "base/err.h"
#include "options/options_monitor.h"
#include "safe/clock.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

enum { NS_PER_MS = 1000000 };

static struct {
    struct agent *agent;
    jvmtiEnv *jvmti;
    _Atomic int running;
    _Atomic bool has_notes; /* turns false under the agent's lock */
} monitor;

/* ---- events, on the thread itself */

static void on_enter(void *data, JNIEnv *env, jthread thread, jobject object)
{
    uint64_t now = clock_monotonic_ns();
    struct thread *t;
    struct monitor_thread *own;

    if (!atomic_load(&monitor.running) || !(t = monitor_note_thread(env, thread)))
        return;
    own = monitor_thread_of(t);
    own->row = monitor_note_row(env, t, MONITOR_NOTE_JAVA, object, 0);
    own->enter_ns = now;
}

static void on_entered(void *data, JNIEnv *env, jthread thread, jobject object)
{
    const struct thread *t = threads_find(thread);
    struct monitor_thread *own = t ? monitor_thread_of(t) : NULL;

    if (!own || !own->enter_ns)
        return;
    monitor_note_add(own->row, clock_monotonic_ns() - own->enter_ns);
    own->enter_ns = 0;
}

static void on_wait(void *data, JNIEnv *env, jthread thread, jobject object, jlong timeout_ms)
{
    struct thread *t;

    if (!atomic_load(&monitor.running) || !(t = monitor_note_thread(env, thread)))
        return;
    monitor_note_line(env, t, object, 0, timeout_ms);
    monitor_dump_note_wait(env, t, object);
    monitor_thread_of(t)->wait_ns = clock_monotonic_ns();
}

static void on_waited(void *data, JNIEnv *env, jthread thread, jobject object, jboolean timed_out)
{
    uint64_t now = clock_monotonic_ns();
    struct thread *t = threads_find(thread);
    struct monitor_thread *own = t ? monitor_thread_of(t) : NULL;

    if (!own || !own->wait_ns)
        return;
    monitor_note_line(env, t, object, 1, (int64_t)((now - own->wait_ns) / NS_PER_MS));
    monitor_dump_note_wait(env, t, NULL);
    own->wait_ns = 0;
}

/* Its last lines stand before its end. */
static void thread_end(struct agent *a, struct thread *thread)
{
    monitor_note_settle(a);
}

/* What this engine kept of the thread has gone with its last recording. */
static void forget(struct agent *a, struct thread *thread)
{
}

static void on_virtual_end(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = monitor.agent;

    if (!threads_find(thread) || !agent_enter(a))
        return;
    if (!a->closed)
        threads_leave(a, env, thread, atomic_load(&monitor.has_notes) ? thread_end : forget);
    agent_unlock(a);
}

static struct vm_event_subscriber on_monitors[] = {
    {.event = VM_EVENT_MONITOR_ENTER, .on.monitor_enter = on_enter},
    {.event = VM_EVENT_MONITOR_ENTERED, .on.monitor_entered = on_entered},
    {.event = VM_EVENT_MONITOR_WAIT, .on.monitor_wait = on_wait},
    {.event = VM_EVENT_MONITOR_WAITED, .on.monitor_waited = on_waited},
};
enum { MONITOR_EVENTS = sizeof(on_monitors) / sizeof(on_monitors[0]) };

/* Where there are virtual threads. Records of those that are alive when this engine stops are the
 * agent's until their ends, or until the last recording has ended, which closes all events. */
static struct vm_event_subscriber on_virtuals = {.event = VM_EVENT_VIRTUAL_END,
                                                 .on.virtual_end = on_virtual_end};

/* ---- the engine */

static int prepare(const struct options *o)
{
    if (monitor_note_init(budget_bytes(o->mem_bytes, BUDGET_MONITORS)) == 0)
        return 0;
    log_error("no memory for the table of monitors: raise mem=");
    return E_LIMIT;
}

#define NO_EVENTS "this VM does not tell of contended monitors (%s)"

static const struct engine_need needs[] = {
    {.what = VM_CAN_GENERATE_MONITOR_EVENTS, .refused = NO_EVENTS},
    {.what = VM_CAN_TAG_OBJECTS, .env = &monitor.jvmti, .refused = NO_EVENTS},
    {.what = VM_CAN_GET_MONITOR_INFO, .env = &monitor.jvmti},
    {.what = VM_CAN_GET_OWNED_MONITOR_INFO, .env = &monitor.jvmti},
    {.what = VM_CAN_GET_CURRENT_CONTENDED_MONITOR, .env = &monitor.jvmti},
    {.what = VM_CAN_SUPPORT_VIRTUAL_THREADS, .env = &monitor.jvmti},
    {.asked = OPTIONS_MONITOR_ALL,
     .what = VM_CAN_RETRANSFORM_CLASSES,
     .refused = "this VM does not let its classes be changed: use monitor=y"},
};

static int load(struct agent *a)
{
    monitor.agent = a;
    monitor_note_open(a, monitor.jvmti);
    atomic_store(&monitor.has_notes, true);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    return 0;
}

/* Not before: a thread that starts an engine has the lock, and may itself meet a monitor. */
static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);

    vm_event_add(&on_virtuals, NULL);
    vm_event_add_all(on_monitors, MONITOR_EVENTS, NULL);
    atomic_store(&monitor.running, 1);
    if (options_group_asked(&a->options, &options_monitor) == OPTIONS_MONITOR_ALL && env)
        monitor_park_start(a, env);
}

static int join(struct agent *a, struct recording *r)
{
    monitor_note_settle(a);
    monitor_note_count(a);
    monitor_note_join(r);
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    JNIEnv *env = vm_jni(&a->vm);

    if (!env)
        return;
    monitor_note_settle(a);
    monitor_note_count(a);
    monitor_dump_write(a, r, env, monitor.jvmti);
    monitor_note_write_time(r);
    monitor_note_set_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    monitor_note_settle(a);
    monitor_note_count(a);
    snprintf(ret, ENGINE_STATUS, "contentions=%llu", (unsigned long long)monitor_note_hits(r));
}

static void stop(struct agent *a)
{
    atomic_store(&monitor.running, 0);
    vm_event_remove_all(on_monitors, MONITOR_EVENTS);
    monitor_park_stop();
}

/* Lines that are read under the agent's lock are no thread's any more: all has been closed. */
static int release(struct agent *a, JNIEnv *env)
{
    if (monitor_park_close() != 0) {
        log_error("monitor=all: somebody still looks at a class, or is in a park");
        return -EBUSY;
    }
    agent_lock(a); /* threads come and go while other recordings run */
    atomic_store(&monitor.has_notes, false);
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
        monitor_dump_note_wait(env, t, NULL);
    agent_unlock(a);
    monitor_note_done();
    if (monitor.jvmti)
        vm_env_close(monitor.jvmti);
    monitor.jvmti = NULL;
    return 0;
}

const struct engine engine_monitor = {
    .name = "monitor",
    .help = "monitor=y|all: contended monitors, waits, parks, and a dump of all monitors",
    .begun = "monitors",
    .dumping = " contended monitor usage ...",
    .options = &options_monitor,
    .owns = {.needs = needs,
             .need_count = sizeof(needs) / sizeof(needs[0]),
             .per_thread = &monitor_thread_row,
             .counts = "monitor_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .ready = ready,
    .thread_end = thread_end,
    .sharing = {.join = join},
    .dump = dump,
    .status = status,
    .stop = stop,
    .release = release,
};
