/*
 * jvmpi_raw.c - see jvmpi_raw.h.
 *
 * The fields of a monitor are guarded by a mutex that no thread holds for long. The owner of the
 * monitor is a field. A thread is known by the address of its thread-local memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_raw.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_send.h"
#include "safe/clock.h"

enum { MS_PER_S = 1000 };

/* A thread in a list of a monitor. The memory is on the thread's stack. */
struct waiter {
    struct waiter *next;
    JNIEnv *env;
    bool is_notified;
};

struct _JVMPI_RawMonitor {
    struct _JVMPI_RawMonitor *next, **link; /* in the list of all monitors */
    pthread_mutex_t guard;                  /* guards the fields below */
    pthread_cond_t released, notified;
    const void *owner; /* NULL: no owner */
    JNIEnv *owner_env;
    int entries;
    struct waiter *enters, *waits;
    bool is_silent; /* the name begins with '_': no events are sent */
    char name[];
};

static struct {
    struct lock lock;
    struct _JVMPI_RawMonitor *first;
    /* monitors that were destroyed while a thread holds their memory */
    struct _JVMPI_RawMonitor *destroyed;
    _Atomic int holders; /* count of jvmpi_raw_hold() without jvmpi_raw_let_go() */
} monitors = {.lock = LOCK_INIT(JVMPI_RAW)};

static const void *self(void)
{
    return &jvmpi_self;
}

static JNIEnv *own_env(void)
{
    return vm_jni(&jvmpi_bridge.vm);
}

static void tell(JVMPI_RawMonitor m, jint event)
{
    jvmpi_agents agents = m->is_silent ? 0 : jvmpi_send_whom(event);
    JVMPI_Event e = {.event_type = event};
    if (!agents)
        return;
    e.env_id = own_env();
    e.u.raw_monitor.name = m->name;
    e.u.raw_monitor.id = m;
    jvmpi_send_to(agents, &e);
}

JVMPI_RawMonitor jvmpi_raw_create(char *name)
{
    size_t size = name ? strlen(name) + 1 : 1;
    JVMPI_RawMonitor m = calloc(1, sizeof(*m) + size);
    pthread_condattr_t by_clock;
    if (!m)
        return NULL;
    if (name)
        memcpy(m->name, name, size);
    m->is_silent = m->name[0] == '_';
    pthread_mutex_init(&m->guard, NULL);
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&m->released, NULL);
    pthread_cond_init(&m->notified, &by_clock);
    pthread_condattr_destroy(&by_clock);
    lock_take(&monitors.lock);
    m->next = monitors.first;
    m->link = &monitors.first;
    if (m->next)
        m->next->link = &m->next;
    monitors.first = m;
    lock_give(&monitors.lock);
    return m;
}

static void give_back(JVMPI_RawMonitor m)
{
    pthread_cond_destroy(&m->notified);
    pthread_cond_destroy(&m->released);
    pthread_mutex_destroy(&m->guard);
    free(m);
}

void jvmpi_raw_destroy(JVMPI_RawMonitor m)
{
    bool is_held;
    if (!m)
        return;
    lock_take(&monitors.lock);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    is_held = atomic_load(&monitors.holders) > 0;
    if (is_held) {
        m->next = monitors.destroyed;
        monitors.destroyed = m;
    }
    lock_give(&monitors.lock);
    if (!is_held)
        give_back(m);
}

void jvmpi_raw_hold(void)
{
    atomic_fetch_add(&monitors.holders, 1);
}

void jvmpi_raw_let_go(void)
{
    JVMPI_RawMonitor destroyed = NULL;
    if (atomic_fetch_sub(&monitors.holders, 1) != 1)
        return;
    lock_take(&monitors.lock);
    /* a thread that holds now finds no destroyed monitor */
    if (atomic_load(&monitors.holders) == 0) {
        destroyed = monitors.destroyed;
        monitors.destroyed = NULL;
    }
    lock_give(&monitors.lock);
    while (destroyed) {
        JVMPI_RawMonitor next = destroyed->next;
        give_back(destroyed);
        destroyed = next;
    }
}

/* Wait in the list `enters` until the monitor has no owner. Needs the guard. */
static void queue_up(JVMPI_RawMonitor m, struct waiter *w)
{
    struct waiter **at = &m->enters;
    w->next = m->enters;
    m->enters = w;
    while (m->owner)
        pthread_cond_wait(&m->released, &m->guard);
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
}

/* Make the calling thread the owner. The monitor has no owner. Needs the guard. */
static void own(JVMPI_RawMonitor m, JNIEnv *env, int entries)
{
    m->owner = self();
    m->owner_env = env;
    m->entries = entries;
}

void jvmpi_raw_enter(JVMPI_RawMonitor m)
{
    struct waiter w = {.env = own_env()};
    bool is_contended;
    if (!m)
        return;
    pthread_mutex_lock(&m->guard);
    if (m->owner == self()) {
        m->entries++;
        pthread_mutex_unlock(&m->guard);
        return;
    }
    is_contended = m->owner != NULL;
    if (is_contended) {
        pthread_mutex_unlock(&m->guard);
        tell(m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER);
        pthread_mutex_lock(&m->guard);
        queue_up(m, &w);
    }
    own(m, w.env, 1);
    pthread_mutex_unlock(&m->guard);
    if (is_contended)
        tell(m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED);
}

/* RawMonitorExit. The thread that waited for the monitor may destroy it before the event was sent,
 * so the memory is held. */
void jvmpi_raw_exit(JVMPI_RawMonitor m)
{
    bool tells = m && !m->is_silent && jvmpi_send_whom(JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT);
    bool is_contended = false;
    if (!m)
        return;
    if (tells)
        jvmpi_raw_hold();
    pthread_mutex_lock(&m->guard);
    if (m->owner == self() && --m->entries == 0) {
        is_contended = m->enters != NULL;
        m->owner = NULL;
        m->owner_env = NULL;
        pthread_cond_signal(&m->released);
    }
    pthread_mutex_unlock(&m->guard);
    if (tells && is_contended)
        tell(m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT);
    if (tells)
        jvmpi_raw_let_go();
}

static struct timespec after(jlong ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / MS_PER_S;
    t.tv_nsec += ms % MS_PER_S * NS_PER_MS;
    if (t.tv_nsec >= NS_PER_S) {
        t.tv_sec++;
        t.tv_nsec -= NS_PER_S;
    }
    return t;
}

void jvmpi_raw_wait(JVMPI_RawMonitor m, jlong ms)
{
    struct waiter w = {.env = own_env()};
    struct timespec end = after(ms);
    struct waiter **at;
    int entries, ended = 0;
    if (!m)
        return;
    pthread_mutex_lock(&m->guard);
    if (m->owner != self() || ms < 0) {
        pthread_mutex_unlock(&m->guard);
        return;
    }
    entries = m->entries;
    m->owner = NULL;
    m->owner_env = NULL;
    pthread_cond_signal(&m->released);
    w.next = m->waits;
    m->waits = &w;
    while (!w.is_notified && !ended)
        ended = ms ? pthread_cond_timedwait(&m->notified, &m->guard, &end)
                   : pthread_cond_wait(&m->notified, &m->guard);
    for (at = &m->waits; *at != &w; at = &(*at)->next)
        ;
    *at = w.next;
    if (m->owner)
        queue_up(m, &w);
    own(m, w.env, entries);
    pthread_mutex_unlock(&m->guard);
}

void jvmpi_raw_notify_all(JVMPI_RawMonitor m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->guard);
    for (struct waiter *w = m->owner == self() ? m->waits : NULL; w; w = w->next)
        w->is_notified = true;
    pthread_cond_broadcast(&m->notified);
    pthread_mutex_unlock(&m->guard);
}

static bool is_in(const struct waiter *w, const JNIEnv *env)
{
    while (w && w->env != env)
        w = w->next;
    return w != NULL;
}

jint jvmpi_raw_status(const JNIEnv *env)
{
    jint status = 0;
    lock_take(&monitors.lock);
    for (JVMPI_RawMonitor m = monitors.first; m && !status; m = m->next) {
        pthread_mutex_lock(&m->guard);
        if (is_in(m->enters, env))
            status = JVMPI_THREAD_MONITOR_WAIT;
        else if (is_in(m->waits, env))
            status = JVMPI_THREAD_CONDVAR_WAIT;
        pthread_mutex_unlock(&m->guard);
    }
    lock_give(&monitors.lock);
    return status;
}

static int list(const struct waiter *w, JNIEnv *envs[JVMPI_RAW_WAITERS])
{
    int count = 0;
    for (; w && count < JVMPI_RAW_WAITERS; w = w->next)
        envs[count++] = w->env;
    return count;
}

void jvmpi_raw_visit(void (*each)(const struct jvmpi_raw_state *s, void *arg), void *arg)
{
    struct jvmpi_raw_state s;
    lock_take(&monitors.lock);
    for (JVMPI_RawMonitor m = monitors.first; m; m = m->next) {
        pthread_mutex_lock(&m->guard);
        s.name = m->name;
        s.id = m;
        s.owner = m->owner_env;
        s.entries = m->owner ? m->entries : 0;
        s.entering = list(m->enters, s.enters);
        s.waiting = list(m->waits, s.waits);
        pthread_mutex_unlock(&m->guard);
        each(&s, arg);
    }
    lock_give(&monitors.lock);
}
