/*
 * monitor_dump.c - see monitor.h.
 *
 * Three sources are put together. JVM TI reports the owner and the waiters of a monitor, but from
 * JDK 23 on without virtual threads. For each thread, virtual or not, JVM TI reports which monitors
 * the thread owns and which one it wants to enter. The monitor that a thread waits for is known
 * from the thread's own events.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/monitor/monitor.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "base/lock.h"
#include "format/writer_monitors.h"
#include "format/row_marks.h"
#include "vm/vm_heap.h"

enum { LOCAL_REFERENCES = 64 };

/* Guards `waits_for` of all threads. Held only during calls that make or delete a reference. */
static struct lock waits_lock = LOCK_INIT(WAITS);

struct serials {
    uint32_t *at, count, room;
};

struct monitor {
    jobject object; /* local reference */
    string_id signature;
    uint32_t owner, entry_count;
    struct serials entering, waiting;
};

struct dump {
    struct agent *a;
    struct recording *r;
    JNIEnv *env;
    jvmtiEnv *jvmti;
    struct writer_monitors_thread *threads;
    uint32_t thread_count, thread_room;
    struct monitor *monitors;
    uint32_t monitor_count, monitor_room;
};

/*
 * Make room for one more in an array of elements of `size`. NULL: no memory, and the array stays as
 * it is.
 */
static void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
    uint32_t more = *room ? *room * 2 : 16;
    void *bigger;
    if (count < *room)
        return array;
    bigger = realloc(array, more * size);
    if (bigger)
        *room = more;
    return bigger;
}

static bool has_serial(const struct serials *s, uint32_t serial)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->at[i] == serial)
            return true;
    return false;
}

static void add_serial(struct serials *s, uint32_t serial)
{
    uint32_t *at;
    if (has_serial(s, serial))
        return;
    at = grow(s->at, s->count, &s->room, sizeof(*s->at));
    if (!at)
        return;
    s->at = at;
    s->at[s->count++] = serial;
}

/* ---- threads */

static void put_status(char *to, size_t size, jint state)
{
    static const struct {
        jint bit;
        const char *word;
    } words[] = {{JVMTI_THREAD_STATE_TERMINATED, "ZO"},
                 {JVMTI_THREAD_STATE_SLEEPING, "SL"},
                 {JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, "MW"},
                 {JVMTI_THREAD_STATE_WAITING, "CW"},
                 {JVMTI_THREAD_STATE_RUNNABLE, "R"}};
    const char *word = state & JVMTI_THREAD_STATE_ALIVE ? "UN" : "NS";
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (state & words[i].bit) {
            word = words[i].word;
            break;
        }
    }
    snprintf(to, size, "%s%s%s%s", state & JVMTI_THREAD_STATE_SUSPENDED ? "S|" : "",
             state & JVMTI_THREAD_STATE_INTERRUPTED ? "intr|" : "",
             state & JVMTI_THREAD_STATE_IN_NATIVE ? "native|" : "", word);
}

static void add_thread(struct dump *d, uint32_t serial, trace_id trace, jint state)
{
    struct writer_monitors_thread *t =
        grow(d->threads, d->thread_count, &d->thread_room, sizeof(*d->threads));
    if (!t)
        return;
    d->threads = t;
    t += d->thread_count++;
    t->serial = serial;
    t->trace = trace;
    put_status(t->status, sizeof(t->status), state);
}

/* ---- monitors */

/* The monitor of an object: a known one by the object's tag, or a new one. NULL: no memory. */
static struct monitor *monitor_of(struct dump *d, jobject object)
{
    struct monitor *m;
    char *signature = NULL;
    jlong tag = 0;
    jclass klass;
    if ((*d->jvmti)->GetTag(d->jvmti, object, &tag) != JVMTI_ERROR_NONE)
        return NULL;
    if (tag)
        return &d->monitors[tag - 1];
    m = grow(d->monitors, d->monitor_count, &d->monitor_room, sizeof(*d->monitors));
    if (!m)
        return NULL;
    d->monitors = m;
    m += d->monitor_count;
    memset(m, 0, sizeof(*m));
    m->object = (*d->env)->NewLocalRef(d->env, object);
    klass = (*d->env)->GetObjectClass(d->env, object);
    if ((*d->jvmti)->GetClassSignature(d->jvmti, klass, &signature, NULL) == JVMTI_ERROR_NONE) {
        m->signature = profile_cstring(d->a->profile, signature);
        (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)signature);
    }
    (*d->env)->DeleteLocalRef(d->env, klass);
    (*d->jvmti)->SetTag(d->jvmti, object, (jlong)++d->monitor_count);
    return m;
}

static void add_owned(struct dump *d, jthread thread, uint32_t serial)
{
    jobject *owned = NULL;
    jint count = 0;
    if (vm_heap_owned_monitors(d->jvmti, thread, &count, &owned) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        struct monitor *m = monitor_of(d, owned[i]);
        if (m) {
            m->owner = serial;
            m->entry_count = 1; /* at least one; GetObjectMonitorUsage gives the exact count */
        }
        (*d->env)->DeleteLocalRef(d->env, owned[i]);
    }
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)owned);
}

void monitor_dump_note_wait(JNIEnv *env, struct thread *self, jobject object)
{
    struct monitor_thread *own = monitor_thread_of(self);
    jobject before, now = object ? (*env)->NewGlobalRef(env, object) : NULL;
    lock_take(&waits_lock);
    before = own->waits_for;
    own->waits_for = now;
    lock_give(&waits_lock);
    if (before)
        (*env)->DeleteGlobalRef(env, before);
}

/* Add the thread to those that want `object`, and delete the reference. */
static void add_waiter(struct dump *d, const struct thread *t, jobject object, int enters)
{
    struct monitor *m = object ? monitor_of(d, object) : NULL;
    if (m)
        add_serial(enters ? &m->entering : &m->waiting, t->serial);
    if (object)
        (*d->env)->DeleteLocalRef(d->env, object);
}

static void add_wanted(struct dump *d, const struct thread *t, jint state)
{
    int enters = (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0;
    jobject contended = NULL, waited;
    if ((*d->jvmti)->GetCurrentContendedMonitor(d->jvmti, t->vm->ref, &contended) ==
        JVMTI_ERROR_NONE)
        add_waiter(d, t, contended, enters);
    if (enters)
        return;
    lock_take(&waits_lock);
    waited = (*d->env)->NewLocalRef(d->env, monitor_thread_of(t)->waits_for);
    lock_give(&waits_lock);
    add_waiter(d, t, waited, 0);
}

static uint32_t serial_of(struct dump *d, jthread thread)
{
    const struct thread *t = thread ? threads_find(d->env, thread) : NULL;
    uint32_t serial = t ? t->serial : thread ? threads_ended_serial(d->env, thread) : 0;
    if (thread)
        (*d->env)->DeleteLocalRef(d->env, thread);
    return serial;
}

static void add_all(struct dump *d, struct serials *to, const struct serials *but, jthread *threads,
                    jint count)
{
    for (jint i = 0; i < count; i++) {
        uint32_t serial = serial_of(d, threads[i]);
        if (serial && !(but && has_serial(but, serial)))
            add_serial(to, serial);
    }
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)threads);
}

static void ask_usage(struct dump *d, struct monitor *m)
{
    jvmtiMonitorUsage usage;
    uint32_t owner;
    memset(&usage, 0, sizeof(usage));
    if ((*d->jvmti)->GetObjectMonitorUsage(d->jvmti, m->object, &usage) != JVMTI_ERROR_NONE)
        return;
    owner = serial_of(d, usage.owner);
    if (owner) {
        m->owner = owner;
        m->entry_count = (uint32_t)usage.entry_count;
    }
    add_all(d, &m->waiting, NULL, usage.notify_waiters, usage.notify_waiter_count);
    /* Before JDK 23 threads that wait to be notified are also among `waiters`. */
    add_all(d, &m->entering, &m->waiting, usage.waiters, usage.waiter_count);
}

/* ---- the dump */

/*
 * Add the line of a thread, its stack and the monitors that it owns. Returns the state of the
 * thread; 0: the thread is gone.
 */
static jint add_alive(struct dump *d, jthread thread, uint32_t serial, thread_id id)
{
    struct traces_stack stack;
    jint state = 0;
    bool is_cut; /* not shown in the dump */
    if ((*d->jvmti)->GetThreadState(d->jvmti, thread, &state) != JVMTI_ERROR_NONE || !state)
        return 0;
    traces_take(d->a, thread, 0, d->r->options.depth, &stack);
    add_thread(d, serial, recording_trace(d->a, d->r, traces_of(d->a, id, &stack), &is_cut), state);
    add_owned(d, thread, serial);
    return state;
}

static void add_live(struct dump *d)
{
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
        jint state = add_alive(d, t->vm->ref, t->serial, t->id);
        if (state)
            add_wanted(d, t, state);
    }
}

/* Add the thread that ends the VM: its end is announced already, but it still owns its monitors. */
static uint32_t add_last(struct dump *d)
{
    uint32_t serial = threads_ended_here();
    jthread self = NULL;
    if (!serial || (*d->jvmti)->GetCurrentThread(d->jvmti, &self) != JVMTI_ERROR_NONE)
        return 0;
    add_alive(d, self, serial, profile_thread_by_serial(d->a->profile, serial));
    return serial;
}

/* Add the threads that have ended since the previous dump. */
static void add_ended(struct dump *d, uint32_t but)
{
    struct row_marks *marks = recording_marks(d->r);
    for (thread_id id = 1; id <= profile_thread_count(d->a->profile); id++) {
        const struct profile_thread *t = profile_thread_at(d->a->profile, id);
        if (t->ended && t->serial != but && (!marks || row_marks_set(marks, ROW_MARKS_ENDED, id)))
            add_thread(d, t->serial, 0, JVMTI_THREAD_STATE_TERMINATED);
    }
}

static int by_serial(const void *left, const void *right)
{
    const struct writer_monitors_thread *l = left, *r = right;
    return l->serial < r->serial ? -1 : l->serial > r->serial;
}

static void write_out(struct dump *d)
{
    struct writer_monitors_monitor *monitors = calloc(d->monitor_count + 1, sizeof(*monitors));
    struct writer_monitors dump = {d->threads, monitors, d->thread_count, 0};
    for (uint32_t i = 0; monitors && i < d->monitor_count; i++) {
        const struct monitor *m = &d->monitors[i];
        if (m->owner || m->entering.count || m->waiting.count)
            monitors[dump.monitor_count++] = (struct writer_monitors_monitor){
                .signature = m->signature,
                .owner = m->owner,
                .entry_count = m->entry_count,
                .entering = m->entering.at,
                .waiting = m->waiting.at,
                .entering_count = m->entering.count,
                .waiting_count = m->waiting.count,
            };
    }
    if (d->thread_count > 0)
        qsort(d->threads, d->thread_count, sizeof(*d->threads), by_serial);
    recording_monitors(d->r, &dump);
    free(monitors);
}

void monitor_dump_write(struct agent *a, struct recording *r, JNIEnv *env, jvmtiEnv *jvmti)
{
    struct dump d = {.a = a, .r = r, .env = env, .jvmti = jvmti};
    if (!recording_can(r, WRITER_MONITORS))
        return;
    if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK)
        return;
    add_live(&d);
    add_ended(&d, add_last(&d));
    for (uint32_t i = 0; i < d.monitor_count; i++) {
        ask_usage(&d, &d.monitors[i]);
        (*jvmti)->SetTag(jvmti, d.monitors[i].object, 0);
    }
    write_out(&d);
    for (uint32_t i = 0; i < d.monitor_count; i++) {
        free(d.monitors[i].entering.at);
        free(d.monitors[i].waiting.at);
    }
    free(d.monitors);
    free(d.threads);
    (*env)->PopLocalFrame(env, NULL);
}
