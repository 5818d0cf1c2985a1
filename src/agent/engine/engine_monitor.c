/*
 * engine_monitor.c - monitor=y: who waits for whom.
 *
 * The VM tells of each contended enter and each Object.wait on the thread that meets it, before it
 * blocks and after; monitor=all adds parks (monitor_park.h). How they are noted without holding up
 * the program: monitor_note.h. What the tables mean: docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <stdatomic.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/monitor/monitor_dump.h"
#include "agent/monitor/monitor_note.h"
#include "agent/monitor/monitor_park.h"
#include "base/err.h"
#include "safe/clock.h"
#include "vm/virtuals.h"

enum { NS_PER_MS = 1000000 };

static struct {
    struct agent *agent;
    jvmtiEnv *jvmti;
    int has_virtuals;
    _Atomic int running;
} monitor;

static int wanted(const struct options *o)
{
    return o->monitor;
}

static void capabilities(jvmtiCapabilities *needed)
{
    needed->can_tag_objects = 1;
    needed->can_get_source_file_name = 1;
    needed->can_get_line_numbers = 1;
}

/* ---- events, on the thread itself */

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    uint64_t now = clock_monotonic_ns();
    struct thread *t;

    if (!atomic_load(&monitor.running) || !(t = monitor_note_thread(env, thread)))
        return;
    t->monitor.row = monitor_note_row(env, t, MONITOR_NOTE_JAVA, object, 0);
    t->monitor.enter_ns = now;
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    struct thread *t = threads_find(monitor.agent, thread);

    if (!t || !t->monitor.enter_ns)
        return;
    monitor_note_add(t->monitor.row, clock_monotonic_ns() - t->monitor.enter_ns);
    t->monitor.enter_ns = 0;
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                            jlong timeout_ms)
{
    struct thread *t;

    if (!atomic_load(&monitor.running) || !(t = monitor_note_thread(env, thread)))
        return;
    monitor_note_line(env, t, object, 0, timeout_ms);
    monitor_dump_note_wait(env, t, object);
    t->monitor.wait_ns = clock_monotonic_ns();
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                              jboolean timed_out)
{
    uint64_t now = clock_monotonic_ns();
    struct thread *t = threads_find(monitor.agent, thread);

    if (!t || !t->monitor.wait_ns)
        return;
    monitor_note_line(env, t, object, 1, (int64_t)((now - t->monitor.wait_ns) / NS_PER_MS));
    monitor_dump_note_wait(env, t, NULL);
    t->monitor.wait_ns = 0;
}

static void leave(struct agent *a, struct thread *thread)
{
    monitor_note_settle(a); /* its last lines stand before its end */
}

static void JNICALL on_virtual_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct agent *a = monitor.agent;

    if (!threads_find(a, thread) || !agent_enter(a))
        return;
    if (!a->closed)
        threads_leave(a, env, thread, leave);
    agent_unlock(a);
}

/* ---- the engine */

static int prepare(const struct options *o)
{
    if (monitor_note_init(budget_bytes(o->mem_bytes, BUDGET_MONITORS)) == 0)
        return 0;
    log_error("no memory for the table of monitors: raise mem=");
    return E_LIMIT;
}

static int open_jvmti(struct agent *a)
{
    static const jvmtiCapabilities events = {.can_generate_monitor_events = 1};

    monitor.agent = a;
    if ((*a->vm)->GetEnv(a->vm, (void **)&monitor.jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*monitor.jvmti)->AddCapabilities(monitor.jvmti, &events) != JVMTI_ERROR_NONE) {
        log_error("this VM does not tell of contended monitors");
        return E_UNSUPPORTED;
    }
    monitor_dump_want(monitor.jvmti);
    monitor.has_virtuals = virtuals_want(monitor.jvmti);
    monitor_note_open(a, monitor.jvmti);
    if (a->options.monitor_park && monitor_park_open(a) != 0) {
        log_error("this VM does not let its classes be changed: use monitor=y");
        return E_UNSUPPORTED;
    }
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    return 0;
}

static void set_events(jvmtiEventMode mode)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                        JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        (*monitor.jvmti)->SetEventNotificationMode(monitor.jvmti, mode, events[i], NULL);
}

/* Not before: a thread that starts an engine has the lock, and may itself meet a monitor. */
static void ready(struct agent *a)
{
    static const jvmtiEventCallbacks callbacks = {
        .MonitorContendedEnter = on_enter,
        .MonitorContendedEntered = on_entered,
        .MonitorWait = on_wait,
        .MonitorWaited = on_waited,
    };
    jvmtiEnv *jvmti = monitor.jvmti;
    JNIEnv *env;

    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks));
    if (monitor.has_virtuals)
        virtuals_hear_ends(jvmti, &callbacks, on_virtual_end);
    set_events(JVMTI_ENABLE);
    atomic_store(&monitor.running, 1);
    if (a->options.monitor_park &&
        (*a->vm)->GetEnv(a->vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK)
        monitor_park_start(a, env);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    leave(a, thread);
    monitor_dump_note_end(monitor.jvmti, thread);
}

static void dump(struct agent *a)
{
    JNIEnv *env;

    if ((*a->vm)->GetEnv(a->vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return;
    monitor_note_settle(a);
    monitor_dump_write(a, env, monitor.jvmti);
    monitor_note_write_time(a);
    monitor_note_set_quality(a);
}

static void stop(struct agent *a)
{
    atomic_store(&monitor.running, 0);
    set_events(JVMTI_DISABLE);
    monitor_park_stop(a);
}

const struct engine engine_monitor = {
    .name = "monitor",
    .help = "monitor=y|all: contended monitors, waits, parks, and a dump of all monitors",
    .begun = "monitors",
    .dumping = " contended monitor usage ...",
    .wanted = wanted,
    .capabilities = capabilities,
    .prepare = prepare,
    .open = open_jvmti,
    .start = start,
    .ready = ready,
    .thread_end = thread_end,
    .dump = dump,
    .stop = stop,
};
