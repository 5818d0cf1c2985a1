/*
 * engine_monitor.c - monitor=y: which thread waits for which other thread.
 *
 * The VM reports each contended enter and each Object.wait on the thread that meets it, before the
 * thread blocks and after. monitor=all adds parks (agent/blocked/). monitor_note.c says how this is
 * noted without delaying the program. docs/monitor.md says what the tables mean.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <stdatomic.h>
#include "agent/agent.h"
#include "agent/blocked/blocked.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/monitor/monitor.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "options/options_monitor.h"
#include "safe/clock.h"
#include "vm/vm_env.h"

enum { LOCAL_REFERENCES = 4 };

static struct {
    struct agent *agent;
    jvmtiEnv *jvmti;
} monitor;

/* ---- on the thread itself */

static void set_row(struct monitor_thread_blocked *own, uint32_t row, uint64_t since_ns)
{
    own->row = row;
    atomic_store_explicit(&own->since_ns, since_ns, memory_order_release);
}

/*
 * Count the time since own->since_ns. If a recording began while the thread was blocked,
 * count_so_far() has counted the earlier part for the other recordings, and has moved since_ns.
 */
static void count_end(struct monitor_thread_blocked *own, const struct blocked *b)
{
    uint64_t since_ns = atomic_exchange_explicit(&own->since_ns, 0, memory_order_relaxed);
    if (!since_ns)
        return;
    if (since_ns < b->start_ns)
        since_ns = b->start_ns;
    monitor_note_add(own->row, b->end_ns > since_ns ? b->end_ns - since_ns : 0);
}

/* Take the stack now, while the thread would wait anyway. */
static void begins(JNIEnv *env, const struct blocked *b)
{
    if (b->by == BLOCKED_ENTER) {
        set_row(&monitor_thread_of(b->thread)->enter,
                monitor_note_row(env, b->thread, BLOCKED_ENTER, b->object, 0), b->start_ns);
        return;
    }
    monitor_note_line(env, b->thread, b->object, 0, b->limit_value);
    monitor_dump_note_wait(env, b->thread, b->object);
}

static void parks(JNIEnv *env, const struct blocked *b)
{
    const struct thread *t = blocked_thread(monitor.agent, env, NULL);
    jobject blocker;
    if (!t || (*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK)
        return;
    blocker = blocked_park_object(env, b);
    set_row(&monitor_thread_of(t)->park, monitor_note_row(env, t, BLOCKED_PARK, blocker, b->skip),
            b->start_ns);
    (*env)->PopLocalFrame(env, NULL);
}

static void park_ends(const struct blocked *b)
{
    const struct thread *t = threads_here();
    if (t)
        count_end(&monitor_thread_of(t)->park, b);
}

static void ends(JNIEnv *env, const struct blocked *b)
{
    switch (b->by) {
    case BLOCKED_ENTER:
        count_end(&monitor_thread_of(b->thread)->enter, b);
        break;
    case BLOCKED_WAIT:
        monitor_note_line(env, b->thread, b->object, 1,
                          (int64_t)((b->end_ns - b->start_ns) / NS_PER_MS));
        monitor_dump_note_wait(env, b->thread, NULL);
        break;
    case BLOCKED_PARK:
        park_ends(b);
    }
}

static struct blocked_user user = {
    .row = &monitor_note_row_of_thread,
    .begins = begins,
    .parks = parks,
    .ends = ends,
    .parks_asked_by = "monitor=all",
};

/* Write the last lines of a thread into the file before the line of its end. */
static void thread_end(struct agent *a, struct thread *thread)
{
    monitor_note_settle(a);
}

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
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    return 0;
}

/*
 * The events begin here and not in start(): the thread that starts an engine holds the agent's
 * lock, and may itself meet a contended monitor.
 */
static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (env)
        blocked_begin(a, env, &user,
                      options_group_asked(&a->options, &options_monitor) == OPTIONS_MONITOR_ALL);
}

/* Count the time that a blocked thread has waited so far, for the recordings that run now. */
static void count_so_far(struct monitor_thread_blocked *own, uint64_t now_ns)
{
    uint64_t since_ns = atomic_load_explicit(&own->since_ns, memory_order_acquire);
    uint32_t row = own->row;
    if (since_ns && since_ns < now_ns &&
        atomic_compare_exchange_strong(&own->since_ns, &since_ns, now_ns))
        monitor_note_add_time(row, now_ns - since_ns);
}

static int join(struct agent *a, struct recording *r)
{
    uint64_t now_ns = clock_monotonic_ns();
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
        count_so_far(&monitor_thread_of(t)->enter, now_ns);
        count_so_far(&monitor_thread_of(t)->park, now_ns);
    }
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
    blocked_end(&user);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (blocked_settle(&user) != 0) {
        log_error("monitor=all: somebody still looks at a class, or is in a park");
        return -EBUSY;
    }
    agent_lock(a); /* threads start and end while other recordings run */
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
             .per_thread = &monitor_note_row_of_thread,
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
