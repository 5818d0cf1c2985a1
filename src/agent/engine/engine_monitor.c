/*
 * engine_monitor.c - monitor=y: who waits for whom.
 *
 * The VM tells of each contended enter and each Object.wait on the thread that meets it. The
 * thread takes its stack and enters all in the table of monitor_table.h; nothing here waits for
 * the agent's lock but a thread that is not known yet. What must touch the file or the model is
 * done by whoever has the lock: the next event that finds it free, or a dump. docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/monitor_dump.h"
#include "agent/monitor_table.h"
#include "agent/traces.h"
#include "agent/virtuals.h"
#include "base/err.h"
#include "format/hprof_text_monitor.h"
#include "safe/clock.h"

enum {
    TABLE_SHARE = 16, /* the table gets one part of this many of mem= */
    NS_PER_MS = 1000000,
};

enum kind { KIND_JAVA };

static const char *const kind_words[] = {"Java"};

static struct {
    struct agent *agent;
    jvmtiEnv *jvmti;
    struct monitor_table table;
    uint32_t settled; /* rows that have a trace */
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

/* ---- what needs the agent's lock */

static string_id java_name(struct agent *a, const char *signature)
{
    char name[1024];

    return profile_cstring(a->profile, names_java_type(signature, name, sizeof(name)));
}

/* Frames become a trace early, while their classes are most likely still there. */
static void settle_row(struct agent *a, struct monitor_table_row *row)
{
    thread_id thread = row->thread ? profile_thread_by_serial(a->profile, row->thread) : 0;
    struct traces_stack stack;

    stack.count = (jint)(row->frame_bytes / sizeof(stack.frames[0]));
    memcpy(stack.frames, row->frames, row->frame_bytes);
    row->trace = traces_of(a, thread, &stack);
}

static void settle(struct agent *a)
{
    struct hprof_out *o = &a->output.out;
    struct monitor_table_line line;

    for (int i = 0; i < MONITOR_TABLE_LINES && monitor_table_next_line(&monitor.table, &line);
         i++) {
        string_id name = profile_cstring(a->profile, line.name);

        if (line.waited)
            hprof_text_monitor_waited(o, name, line.ms, line.thread);
        else
            hprof_text_monitor_wait(o, name, line.ms, line.thread);
    }
    while (monitor.settled < monitor_table_rows(&monitor.table))
        settle_row(a, monitor_table_at(&monitor.table, ++monitor.settled));
}

static void settle_if_free(struct agent *a)
{
    if (!agent_try_lock(a))
        return;
    if (!a->closed)
        settle(a);
    agent_unlock(a);
}

/* ---- events, on the thread itself */

/* The thread's record; a virtual thread gets one when it is first met. NULL: leave it alone. */
static struct thread *record_of(struct agent *a, JNIEnv *env, jthread thread)
{
    struct thread *t = threads_find(a, thread);

    if (!t && !agent_lock_is_mine(a)) {
        agent_lock(a);
        t = a->closed ? NULL : threads_enter(a, env, thread, 0);
        agent_unlock(a);
    }
    return t && !t->is_agent ? t : NULL;
}

static char *signature_of(JNIEnv *env, jobject object)
{
    jclass klass = (*env)->GetObjectClass(env, object);
    char *signature = NULL;

    if ((*monitor.jvmti)->GetClassSignature(monitor.jvmti, klass, &signature, NULL) !=
        JVMTI_ERROR_NONE)
        signature = NULL;
    (*env)->DeleteLocalRef(env, klass);
    return signature;
}

/* The row of the calling thread's stack and the class of `object`. */
static uint32_t row_here(struct agent *a, JNIEnv *env, const struct thread *t, enum kind kind,
                         jobject object)
{
    char *signature = signature_of(env, object);
    struct traces_stack stack;
    uint32_t row = 0;

    traces_take(a, t->ref, 0, a->options.depth, &stack);
    if (signature)
        row = monitor_table_row(&monitor.table, kind, signature, a->options.thread ? t->serial : 0,
                                stack.frames,
                                (uint32_t)((size_t)stack.count * sizeof(stack.frames[0])));
    (*monitor.jvmti)->Deallocate(monitor.jvmti, (unsigned char *)signature);
    return row;
}

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    uint64_t now = clock_monotonic_ns();
    struct thread *t;

    if (!atomic_load(&monitor.running) || !(t = record_of(monitor.agent, env, thread)))
        return;
    t->monitor.row = row_here(monitor.agent, env, t, KIND_JAVA, object);
    t->monitor.enter_ns = now;
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    struct thread *t = threads_find(monitor.agent, thread);

    if (!t || !t->monitor.enter_ns)
        return;
    monitor_table_add(&monitor.table, t->monitor.row, clock_monotonic_ns() - t->monitor.enter_ns);
    t->monitor.enter_ns = 0;
    settle_if_free(monitor.agent);
}

static void add_line(JNIEnv *env, jobject object, int waited, int64_t ms, const struct thread *t)
{
    char *signature = signature_of(env, object);

    if (signature)
        monitor_table_add_line(&monitor.table, waited, signature, ms, t->serial);
    (*monitor.jvmti)->Deallocate(monitor.jvmti, (unsigned char *)signature);
    settle_if_free(monitor.agent);
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                            jlong timeout_ms)
{
    struct thread *t;

    if (!atomic_load(&monitor.running) || !(t = record_of(monitor.agent, env, thread)))
        return;
    add_line(env, object, 0, timeout_ms, t);
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
    add_line(env, object, 1, (int64_t)((now - t->monitor.wait_ns) / NS_PER_MS), t);
    monitor_dump_note_wait(env, t, NULL);
    t->monitor.wait_ns = 0;
}

static void leave(struct agent *a, struct thread *thread)
{
    settle(a); /* its last lines stand before its end */
}

static void JNICALL on_virtual_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct agent *a = monitor.agent;

    if (!threads_find(a, thread))
        return;
    agent_lock(a);
    if (!a->closed)
        threads_leave(a, env, thread, leave);
    agent_unlock(a);
}

/* ---- the engine */

static int prepare(const struct options *o)
{
    if (monitor_table_init(&monitor.table, o->mem_bytes / TABLE_SHARE) == 0)
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
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    return 0;
}

/* Not before: a thread that starts an engine has the lock, and may itself meet a monitor. */
static void ready(struct agent *a)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                        JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};
    static const jvmtiEventCallbacks callbacks = {
        .MonitorContendedEnter = on_enter,
        .MonitorContendedEntered = on_entered,
        .MonitorWait = on_wait,
        .MonitorWaited = on_waited,
    };
    jvmtiEnv *jvmti = monitor.jvmti;

    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks));
    if (monitor.has_virtuals)
        virtuals_hear_ends(jvmti, &callbacks, on_virtual_end);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
    atomic_store(&monitor.running, 1);
}

static void thread_start(struct agent *a, struct thread *thread)
{
}

static void thread_end(struct agent *a, struct thread *thread)
{
    leave(a, thread);
    monitor_dump_note_end(monitor.jvmti, thread);
}

static void set_quality(struct agent *a)
{
    profile_set_quality(a->profile, "monitor_hits_lost", monitor.table.lost_total.hits);
    profile_set_quality(a->profile, "monitor_lines_lost", monitor.table.lines_lost);
    a->output.out.ops->quality(&a->output.out);
}

static void write_time(struct agent *a)
{
    uint32_t rows = monitor.settled, used = 0;
    struct hprof_text_monitor_row *table = calloc(rows + 1, sizeof(*table));

    for (uint32_t id = 0; table && id <= rows; id++) {
        struct monitor_table_count count = monitor_table_take(&monitor.table, id);
        const struct monitor_table_row *row = id ? monitor_table_at(&monitor.table, id) : NULL;

        if (count.hits > 0)
            table[used++] = (struct hprof_text_monitor_row){
                row ? row->trace : 0, row ? java_name(a, row->name) : 0,
                row ? kind_words[row->kind] : "", count.hits, count.ns};
    }
    hprof_text_monitor_time(&a->output.out, table, used);
    free(table);
}

static void dump(struct agent *a)
{
    JNIEnv *env;

    if ((*a->vm)->GetEnv(a->vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return;
    settle(a);
    monitor_dump_write(a, env, monitor.jvmti);
    write_time(a);
    set_quality(a);
}

static void stop(struct agent *a)
{
    atomic_store(&monitor.running, 0);
}

const struct engine engine_monitor = {
    .name = "monitor",
    .help = "monitor=y: contended monitors, waits, and a dump of all monitors",
    .dumping = " contended monitor usage ...",
    .wanted = wanted,
    .capabilities = capabilities,
    .prepare = prepare,
    .open = open_jvmti,
    .start = start,
    .ready = ready,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .dump = dump,
    .stop = stop,
};
