/*
 * jvmpi_monitor.c - see jvmpi_monitor.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_monitor.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/lock.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_sleep.h"
#include "jvmpi/jvmpi_thread.h"
#include "jvmpi/jvmpi_unweave.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_monitor.h"

enum {
    MS_PER_S = 1000,
    ENTERS = 1024, /* how many waiting threads are known at a time */
};

/* A thread that waits to enter a monitor. */
struct enter {
    JNIEnv *env; /* NULL: the entry is free */
    jobjectID object;
    uint64_t monitor; /* vm_monitor_pending(): valid while the thread waits */
    /* the last owner whose EXIT was not sent; NULL: not known, or the thread has ended */
    JNIEnv *owner;
    bool is_told; /* the EXIT of the owner for which the thread began to wait was sent */
};

static struct {
    struct lock lock;
    struct enter all[ENTERS];
    int used;            /* the entries from this index on are free */
    _Atomic int waiting; /* count of entries that are in use */
} enters = {.lock = LOCK_INIT(JVMPI_ENTERS)};

static __thread jlong wait_began_ms; /* when the thread's Object.wait began */

static jlong now_ms(void)
{
    return (jlong)(clock_monotonic_ns() / NS_PER_MS);
}

/* The agents that hear of an event of the calling thread; none before its THREAD_START. */
static jvmpi_agents whom(JNIEnv *env, jint event)
{
    jvmpi_agents agents = jvmpi_send_whom(event);
    return agents && jvmpi_thread_is_open(env) ? agents : 0;
}

static void send(JNIEnv *env, jvmpi_agents agents, jint event, JNIEnv *about, jobject object)
{
    JVMPI_Event e = {.event_type = event, .env_id = about};
    if (!agents)
        return;
    e.u.monitor.object = jvmpi_alloc_named(env, object);
    jvmpi_send_about(agents, &e, e.u.monitor.object, object);
}

/* The owner of a monitor, and how often it has entered; NULL: there is no owner, or it is not
 * known. */
static JNIEnv *owner_of(JNIEnv *env, jobject object, uint32_t *ret_entries)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jvmtiMonitorUsage usage = {.owner = NULL};
    JNIEnv *owner = NULL;
    if ((*jvmti)->GetObjectMonitorUsage(jvmti, object, &usage) != JVMTI_ERROR_NONE)
        return NULL;
    *ret_entries = (uint32_t)usage.entry_count;
    if (usage.owner)
        owner = jvmpi_thread_env(env, usage.owner);
    for (jint i = 0; i < usage.waiter_count; i++)
        (*env)->DeleteLocalRef(env, usage.waiters[i]);
    for (jint i = 0; i < usage.notify_waiter_count; i++)
        (*env)->DeleteLocalRef(env, usage.notify_waiters[i]);
    (*env)->DeleteLocalRef(env, usage.owner);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.waiters);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.notify_waiters);
    return owner;
}

/* The entry of a thread; if `env` is NULL, a free entry. NULL: there is none. Needs the lock. */
static struct enter *enter_of(JNIEnv *env)
{
    for (int i = 0; i < enters.used; i++)
        if (enters.all[i].env == env)
            return &enters.all[i];
    return env || enters.used == ENTERS ? NULL : &enters.all[enters.used++];
}

/* The thread begins to wait. From now on each thread that enters the monitor is noted as its owner,
 * until the waiting thread itself enters. */
static void begin_enter(JNIEnv *env, jobjectID object)
{
    uint64_t monitor = vm_monitor_pending(env);
    struct enter *e;
    lock_take(&enters.lock);
    e = enter_of(env);
    if (!e)
        e = enter_of(NULL);
    if (e) {
        atomic_fetch_add(&enters.waiting, !e->env);
        *e = (struct enter){.env = env, .object = object, .monitor = monitor};
    }
    lock_give(&enters.lock);
}

/* Note the owner that the thread found when it began to wait. */
static void found_owner(JNIEnv *env, JNIEnv *owner)
{
    struct enter *e;
    lock_take(&enters.lock);
    e = enter_of(env);
    if (e && !e->owner && !e->is_told && owner &&
        jvmpi_thread_find(owner)) /* the owner may have ended meanwhile */
        e->owner = owner;
    lock_give(&enters.lock);
}

/* The thread has entered the monitor. Returns the owner before; NULL: not known. */
static JNIEnv *end_enter(JNIEnv *env, jobjectID object)
{
    JNIEnv *owner = NULL;
    lock_take(&enters.lock);
    for (int i = 0; i < enters.used; i++) {
        struct enter *e = &enters.all[i];
        if (!e->env || e->object != object)
            continue;
        if (e->env == env) {
            owner = e->owner;
            e->env = NULL;
            atomic_fetch_sub(&enters.waiting, 1);
        } else {
            e->owner = env;
        }
    }
    lock_give(&enters.lock);
    return owner;
}

void jvmpi_monitor_end_thread(JNIEnv *env)
{
    lock_take(&enters.lock);
    for (int i = 0; i < enters.used; i++) {
        if (enters.all[i].env == env) {
            enters.all[i].env = NULL;
            atomic_fetch_sub(&enters.waiting, 1);
        }
        if (enters.all[i].owner == env)
            enters.all[i].owner = NULL;
    }
    lock_give(&enters.lock);
}

/* Whether a thread waits for the object's monitor. *ret_entries becomes how often the calling
 * thread has entered it; 0: not known. */
static bool is_awaited(JNIEnv *env, jobjectID object, uint32_t *ret_entries)
{
    bool answer = false;
    lock_take(&enters.lock);
    for (int i = 0; i < enters.used && !answer; i++) {
        answer = enters.all[i].env && enters.all[i].object == object;
        if (answer)
            *ret_entries = vm_monitor_entries(env, enters.all[i].monitor);
    }
    lock_give(&enters.lock);
    return answer;
}

/* Note that the EXIT of the object's owner is being sent. Returns whether a thread still waits. */
static bool note_told(jobjectID object)
{
    bool answer = false;
    lock_take(&enters.lock);
    for (int i = 0; i < enters.used; i++) {
        struct enter *e = &enters.all[i];
        if (!e->env || e->object != object)
            continue;
        answer = true;
        e->is_told = true;
        e->owner = NULL;
    }
    lock_give(&enters.lock);
    return answer;
}

/* The thread releases a monitor, or one of several entries; only the last release counts. If a
 * thread waits, that thread has given the object its id. */
static void on_unlock(JNIEnv *env, jobject object)
{
    jvmpi_agents agents;
    jobjectID id;
    uint32_t entries = 0;
    if (atomic_load_explicit(&enters.waiting, memory_order_relaxed) == 0)
        return;
    agents = whom(env, JVMPI_EVENT_MONITOR_CONTENDED_EXIT);
    id = agents ? jvmpi_ids_known(object) : NULL;
    if (!id || !is_awaited(env, id, &entries))
        return;
    if (entries == 0)
        owner_of(env, object, &entries);
    if (entries == 1 && note_told(id))
        send(env, agents, JVMPI_EVENT_MONITOR_CONTENDED_EXIT, env, object);
}

/* ---- injected code, which reports monitors that are about to be released */

#define TRACKER OWN_CLASS("Unlock")

static _Atomic bool is_unlock_heard;

static void JNICALL unlock(JNIEnv *env, jclass self, jobject object)
{
    if (object && atomic_load_explicit(&is_unlock_heard, memory_order_acquire))
        on_unlock(env, object);
}

static const JNINativeMethod natives[] = {
    {(char *)"unlock", (char *)"(Ljava/lang/Object;)V", (void *)unlock},
};
static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return m->advice == INSTRUMENT_INJECTED ? 0 : -1;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .unlock = "unlock",
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_method,
};
static struct injector_user user = {.probe = &probe, .layer = INJECTOR_EVENTS};

/* Begin to hear of releases. Reported are the instruction monitorexit, except where an exception
 * leaves a synchronized block; and the ends of synchronized methods that have code. Errors: 0,
 * E_UNSUPPORTED. */
static int hear_unlocks(JNIEnv *env)
{
    if (injector_open(&jvmpi_bridge.vm) != 0 ||
        tracker_define_natives(&jvmpi_bridge.vm, env, &tracker) != 0)
        return E_UNSUPPORTED;
    atomic_store(&is_unlock_heard, true);
    if (injector_add(&user) != 0)
        return E_UNSUPPORTED;
    injector_apply(env);
    return 0;
}

/* ---- the events of the VM */

static void on_enter(void *data, JNIEnv *env, jthread thread, jobject object)
{
    if (whom(env, JVMPI_EVENT_MONITOR_CONTENDED_EXIT)) {
        uint32_t entries;
        begin_enter(env, jvmpi_alloc_named(env, object));
        found_owner(env, owner_of(env, object, &entries));
    }
    send(env, whom(env, JVMPI_EVENT_MONITOR_CONTENDED_ENTER), JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
         env, object);
}

static void on_entered(void *data, JNIEnv *env, jthread thread, jobject object)
{
    jvmpi_agents agents = whom(env, JVMPI_EVENT_MONITOR_CONTENDED_EXIT);
    JNIEnv *owner = agents ? end_enter(env, jvmpi_alloc_named(env, object)) : NULL;
    if (owner)
        send(env, agents, JVMPI_EVENT_MONITOR_CONTENDED_EXIT, owner, object);
    send(env, whom(env, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED),
         JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, env, object);
}

static void send_wait(JNIEnv *env, jint event, jobject object, jlong ms)
{
    jvmpi_agents agents = whom(env, event);
    JVMPI_Event e = {.event_type = event, .env_id = env};
    if (!agents)
        return;
    e.u.monitor_wait.object = jvmpi_alloc_named(env, object);
    e.u.monitor_wait.timeout = ms;
    jvmpi_send_about(agents, &e, e.u.monitor_wait.object, object);
}

static void on_wait(void *data, JNIEnv *env, jthread thread, jobject object, jlong timeout_ms)
{
    send_wait(env, JVMPI_EVENT_MONITOR_WAIT, object, timeout_ms);
    wait_began_ms = now_ms();
}

static void on_waited(void *data, JNIEnv *env, jthread thread, jobject object, jboolean timed_out)
{
    jlong began = wait_began_ms;
    send_wait(env, JVMPI_EVENT_MONITOR_WAITED, object, began ? now_ms() - began : 0);
    wait_began_ms = 0;
}

static void on_sleep(JNIEnv *env, jlong ms)
{
    send_wait(env, JVMPI_EVENT_MONITOR_WAIT, NULL, ms);
}

static void on_slept(JNIEnv *env, jlong ms)
{
    send_wait(env, JVMPI_EVENT_MONITOR_WAITED, NULL, ms);
}

static const struct jvmpi_sleep_seen sleeps = {on_sleep, on_slept};

static struct vm_event_subscriber contended[] = {
    {.event = VM_EVENT_MONITOR_ENTER, .on.monitor_enter = on_enter},
    {.event = VM_EVENT_MONITOR_ENTERED, .on.monitor_entered = on_entered},
};
static struct vm_event_subscriber waits[] = {
    {.event = VM_EVENT_MONITOR_WAIT, .on.monitor_wait = on_wait},
    {.event = VM_EVENT_MONITOR_WAITED, .on.monitor_waited = on_waited},
};

/* Several JVMPI events have one source, which is on while any of them is wanted. */
static int contended_users, wait_users;

int jvmpi_monitor_contended_on(JNIEnv *env)
{
    int error = 0;
    vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, VM_CAN_GET_MONITOR_INFO, NULL);
    if (contended_users == 0)
        error = vm_event_add_all(contended, 2, NULL);
    contended_users += !error;
    return error;
}

void jvmpi_monitor_contended_off(void)
{
    if (--contended_users == 0)
        vm_event_remove_all(contended, 2);
}

int jvmpi_monitor_exit_on(JNIEnv *env)
{
    /* the layout is kept, because an event may be under way when this is turned off */
    static bool has_layout;
    int error;
    if (!has_layout)
        vm_monitor_open();
    has_layout = true;
    error = jvmpi_monitor_contended_on(env);

    if (error)
        return error;
    error = hear_unlocks(env);
    if (error)
        jvmpi_monitor_contended_off();
    return error;
}

void jvmpi_monitor_exit_off(void)
{
    atomic_store(&is_unlock_heard, false);
    jvmpi_unweave(&user);
    lock_take(&enters.lock);
    enters.used = 0; /* from now on nobody reports the ends of these waits */
    atomic_store(&enters.waiting, 0);
    lock_give(&enters.lock);
    jvmpi_monitor_contended_off();
}

int jvmpi_monitor_wait_on(JNIEnv *env)
{
    int error = 0;
    if (wait_users == 0)
        error = vm_event_add_all(waits, 2, NULL);
    if (wait_users == 0 && !error && jvmpi_sleep_on(env, &sleeps) != 0)
        jvmpi_bridge_say(
            "this VM does not let java.lang.Thread be changed: Thread.sleep is no wait");
    wait_users += !error;
    return error;
}

void jvmpi_monitor_wait_off(void)
{
    if (--wait_users > 0)
        return;
    vm_event_remove_all(waits, 2);
    jvmpi_sleep_off();
}
