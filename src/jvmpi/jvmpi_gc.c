/*
 * jvmpi_gc.c - see jvmpi_gc.h.
 *
 * Callbacks in a pause only note what happened. A bracket has these steps. GC_START is sent, and
 * agents take their locks. Then the thread waits a little until no thread is in a DisableGC region;
 * it cannot wait longer, because a thread in such a region may wait for an agent's lock. If a
 * thread is still in a region, the frees are told in a later bracket.
 *
 * JDK 17 and later report freed objects when a walk of the heap begins, or some time later on a
 * thread of the VM. RunGC starts a walk of one object to get the report. The bridge's thread waits
 * for the report instead. Source: HotSpot jvmtiTagMap.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_gc.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "base/err.h"
#include "base/lock.h"
#include "base/plural.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_ids.h"
#include "safe/clock.h"
#include "safe/release.h"
#include "vm/vm_event.h"
#include "vm/vm_heap.h"
#include "vm/vm_lookup.h"
#include "vm/vm_pause.h"
#include "vm/vm_threads.h"
#include "vm/vmself.h"

enum {
    HOLD_MS = 20,  /* how long the thread waits for threads in a DisableGC region */
    FREES_MS = 20, /* how long the thread waits for the VM's report of frees */
    /* after so long without a step the handler counts as waiting for the agent's lock */
    STALL_MS = 1000,
    END_MS = 100, /* how long the thread waits at once for the VM to tell of its end */
    PRIORITY = 10,
};

struct tags {
    jlong *all;
    size_t count, room;
};

static struct {
    struct lock lock; /* guards the fields below */
    pthread_cond_t changed;
    struct tags freed; /* freed tags that were not told yet */
    uint64_t finished; /* count of finished collections */
    uint64_t told;     /* count of collections that were told */
    int callers;       /* threads in RunGC, which tell of collections themselves */
    int holders;       /* threads in a DisableGC region */
    bool is_bracket;   /* a thread is telling of collections */
    bool is_telling;   /* that thread tells of frees: no thread may enter a DisableGC region */
    bool is_stopped;   /* a thread that asked for a collection now would wait for ever */
    bool is_ended;
    uint64_t lost; /* count of frees for which there was no memory */
    /* steps of the telling thread: frees that it has told, walks that it has ended */
    _Atomic uint64_t steps;
    _Atomic bool is_walking; /* the heap is being walked, which may take as long as it likes */
    JNIEnv *_Atomic teller;  /* the JNIEnv of the bridge's thread */
} gc = {.lock = LOCK_INIT(JVMPI_GC)};

static __thread bool in_bracket; /* the calling thread is telling of collections */
/* the calling thread is the one that still tells when `is_ended` is true */
static __thread bool is_last;

/* ---- in a pause */

static void on_freed(jlong tag)
{
    struct tags *f = &gc.freed;
    lock_take(&gc.lock);
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 1024;
        jlong *all = realloc(f->all, room * sizeof(*all));
        if (all) {
            f->all = all;
            f->room = room;
        }
    }
    if (f->count < f->room)
        f->all[f->count++] = tag;
    else
        gc.lost++;
    if (gc.freed.count == 1)
        pthread_cond_broadcast(&gc.changed);
    lock_give(&gc.lock);
}

static void on_finish(void *data)
{
    lock_take(&gc.lock);
    gc.finished++;
    pthread_cond_broadcast(&gc.changed);
    lock_give(&gc.lock);
}

/* ---- time */

static struct timespec after_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * NS_PER_MS;
    if (t.tv_nsec >= NS_PER_S) {
        t.tv_sec++;
        t.tv_nsec -= NS_PER_S;
    }
    return t;
}

/* ---- how many objects exist */

static jint JNICALL count_one(jlong class_tag, jlong size, jlong *tag, jint length, void *count)
{
    *(jlong *)count += !vm_heap_is_flat(tag);
    return JVMTI_VISIT_OBJECTS;
}

/* Wait until the VM has told of its end. Returns false if it had told before. */
static bool wait_for_the_end(void)
{
    bool was_ended;
    lock_take(&gc.lock);
    was_ended = gc.is_ended;
    if (!was_ended) {
        struct timespec end = after_ms(END_MS);
        pthread_cond_timedwait(&gc.changed, &gc.lock.mutex, &end);
    }
    lock_give(&gc.lock);
    return !was_ended;
}

/* Count the objects by a walk of the heap, which is the only exact number at any time. While the VM
 * is about to end there are no walks (vm/vm_pause.h), but after the VM has told of its end. */
static jlong count_objects(void)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = count_one};
    jvmtiEnv *jvmti = jvmpi_ids_env();
    jvmtiError error;
    jlong count;
    atomic_store(&gc.is_walking, true);
    do {
        count = 0;
        error = vm_heap_iterate(jvmti, 0, &callbacks, &count);
    } while (error == JVMTI_ERROR_WRONG_PHASE && wait_for_the_end());
    atomic_fetch_add(&gc.steps, 1);
    atomic_store(&gc.is_walking, false);
    return count;
}

/* ---- the bridge's thread */

/* Whether the VM reports freed objects after the pause, and an agent wants to know. */
static bool is_told_later(void)
{
    return jvmpi_bridge.vm.release >= RELEASE_FREED_LATER &&
           (jvmpi_send_whom(JVMPI_EVENT_OBJECT_FREE) | jvmpi_send_whom(JVMPI_EVENT_CLASS_UNLOAD));
}

static jint JNICALL stop_walk(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                              jlong *referrer_tag, jint length, void *arg)
{
    return JVMTI_VISIT_ABORT;
}

/* Make the VM report what it has freed, by a walk that ends at once. */
static void flush(JNIEnv *env)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = stop_walk};
    jvmtiEnv *jvmti = jvmpi_ids_env();
    jclass klass;
    if (!is_told_later())
        return;
    jvmpi_self_hush();
    klass = vm_lookup_boot_class(env, "java/lang/Object");
    jvmpi_self_speak();
    vm_heap_follow(jvmti, 0, klass, &callbacks, NULL); /* the walk begins at the mirror */
    (*env)->DeleteLocalRef(env, klass);
}

/* The agents that hear of a freed object. An agent that was promised each OBJECT_ALLOC hears of the
 * object only if it has had its OBJECT_ALLOC. */
static jvmpi_agents whom(jobjectID id)
{
    return jvmpi_send_whom(JVMPI_EVENT_OBJECT_FREE) &
           (~jvmpi_send_promised(JVMPI_EVENT_OBJECT_ALLOC) |
            atomic_load(&jvmpi_ids_find(id)->told_alloc));
}

/* Tell one freed object. Nothing is told while the object has another tag that was not freed
 * yet. */
static void tell_one_freed(JNIEnv *env, jlong tag)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_FREE, .env_id = env};
    jobjectID id = jvmpi_ids_from_tag(tag);
    if (!jvmpi_ids_is_freed(tag))
        return;
    if (jvmpi_ids_find(id)->kind == JVMPI_IDS_CLASS)
        jvmpi_class_gone(env, id);
    e.u.obj_free.obj_id = id;
    jvmpi_send_to(whom(id), &e);
    atomic_fetch_add_explicit(&gc.steps, 1, memory_order_relaxed);
}

/* Load a later record into the cache. The VM frees objects in no order of ids, so without this each
 * record would be waited for. */
static void look_ahead(const struct tags *freed, size_t at)
{
    enum { AHEAD = 16 };
    if (at + AHEAD < freed->count)
        jvmpi_ids_prefetch(jvmpi_ids_from_tag(freed->all[at + AHEAD]));
}

static void tell_freed(JNIEnv *env, const struct tags *freed)
{
    for (size_t i = 0; i < freed->count; i++) {
        look_ahead(freed, i);
        tell_one_freed(env, freed->all[i]);
    }
}

/* Whether frees may be told now. If so, the caller must call end_telling(). */
static bool begin_telling(struct tags *ret_freed)
{
    struct timespec end = after_ms(HOLD_MS);
    int error = 0;
    lock_take(&gc.lock);
    gc.is_telling = true;
    while (gc.holders > 0 && !error)
        error = pthread_cond_timedwait(&gc.changed, &gc.lock.mutex, &end);
    *ret_freed = (struct tags){.count = 0};
    if (gc.holders > 0) {
        gc.is_telling = false;
        pthread_cond_broadcast(&gc.changed);
    } else {
        *ret_freed = gc.freed;
        gc.freed = (struct tags){.count = 0};
    }
    error = !gc.is_telling;
    lock_give(&gc.lock);
    return !error;
}

static void end_telling(JNIEnv *env, struct tags *freed)
{
    for (size_t i = 0; i < freed->count; i++) {
        look_ahead(freed, i);
        jvmpi_ids_release(env, freed->all[i]);
    }
    free(freed->all);
    lock_take(&gc.lock);
    gc.is_telling = false;
    pthread_cond_broadcast(&gc.changed);
    lock_give(&gc.lock);
}

static void tell_finish(JNIEnv *env)
{
    jvmpi_agents agents = jvmpi_send_whom(JVMPI_EVENT_GC_FINISH);
    JVMPI_Event e = {.event_type = JVMPI_EVENT_GC_FINISH, .env_id = env};
    struct vm_lookup l;
    jclass klass;
    jobject runtime;
    jlong total;
    if (!agents)
        return;
    jvmpi_self_hush();
    l = vm_lookup_begin(env);
    klass = vm_lookup_class(&l, "java/lang/Runtime");
    runtime = vm_lookup_call_static_object(
        &l, klass, vm_lookup_static_method(&l, klass, "getRuntime", "()Ljava/lang/Runtime;"));
    total = vm_lookup_call_long(&l, runtime, vm_lookup_method(&l, klass, "totalMemory", "()J"));
    e.u.gc_info.total_object_space = total;
    e.u.gc_info.used_object_space =
        total - vm_lookup_call_long(&l, runtime, vm_lookup_method(&l, klass, "freeMemory", "()J"));
    vm_lookup_end(&l);
    e.u.gc_info.used_objects = count_objects();
    jvmpi_self_speak();
    jvmpi_send_to(agents, &e);
}

/* Whether there is something to tell of `finished` collections. Frees wait while a thread is in a
 * DisableGC region. Needs the lock. */
static bool is_due(uint64_t finished)
{
    return finished != gc.told || (gc.freed.count > 0 && gc.holders == 0);
}

/* The calling thread enters or leaves its DisableGC region. Needs the lock. */
static void set_holder(bool is_holder)
{
    gc.holders += is_holder - jvmpi_self.is_gc_holder;
    jvmpi_self.is_gc_holder = is_holder;
    pthread_cond_broadcast(&gc.changed);
}

/* Send a bracket on the calling thread, if there is something to tell of `finished` collections. */
static void tell_bracket(JNIEnv *env, uint64_t finished)
{
    struct tags freed;
    bool is_needed;
    lock_take(&gc.lock);
    is_needed = is_due(finished);
    lock_give(&gc.lock);
    if (is_needed) {
        in_bracket = true;
        jvmpi_send_bare(env, JVMPI_EVENT_GC_START);
        if (begin_telling(&freed)) {
            tell_freed(env, &freed);
            end_telling(env, &freed);
        }
        tell_finish(env);
        in_bracket = false;
    }
    jvmpi_alloc_tell_held(env);
    lock_take(&gc.lock);
    gc.told = finished;
    if (jvmpi_self.gc_holds > 0) /* a handler has begun a DisableGC region and not ended it */
        set_holder(true);
    lock_give(&gc.lock);
}

static void end_bracket(void)
{
    lock_take(&gc.lock);
    gc.is_bracket = false;
    pthread_cond_broadcast(&gc.changed);
    lock_give(&gc.lock);
}

/* Wait until there is something to tell and no other thread is telling. Returns whether the VM
 * still runs. */
static bool wait_for_work(uint64_t *ret_finished)
{
    bool goes_on;
    lock_take(&gc.lock);
    while (gc.is_bracket || gc.callers > 0 || (!is_due(gc.finished) && !gc.is_ended))
        pthread_cond_wait(&gc.changed, &gc.lock.mutex);
    gc.is_bracket = true;
    *ret_finished = gc.finished;
    goes_on = !gc.is_ended;
    lock_give(&gc.lock);
    return goes_on;
}

/* Wait for the VM's report of what a collection has freed, which belongs to the same bracket. */
static void wait_for_frees(void)
{
    struct timespec end = after_ms(FREES_MS);
    int error = 0;
    if (!is_told_later())
        return;
    lock_take(&gc.lock);
    while (gc.freed.count == 0 && !gc.is_ended && !error)
        error = pthread_cond_timedwait(&gc.changed, &gc.lock.mutex, &end);
    lock_give(&gc.lock);
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *arg)
{
    uint64_t finished;
    atomic_store(&gc.teller, env);
    while (wait_for_work(&finished)) {
        wait_for_frees();
        tell_bracket(env, finished);
        end_bracket();
    }
    end_bracket();
}

/* ---- life */

static struct vm_event_subscriber finish = {.event = VM_EVENT_GC_FINISH, .on.gc_finish = on_finish};

int jvmpi_gc_open(void)
{
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&gc.changed, &by_clock);
    pthread_condattr_destroy(&by_clock);
    if (jvmpi_ids_hear_freed(on_freed) != 0 ||
        vm_event_want(VM_CAN_GENERATE_GARBAGE_COLLECTION_EVENTS, NULL) != 0)
        return E_UNSUPPORTED;
    return 0;
}

void jvmpi_gc_hear(void)
{
    vm_event_add(&finish, NULL);
}

void jvmpi_gc_start(JNIEnv *env)
{
    jobject thread;
    jvmpi_self_hush();
    if (vm_threads_start(&jvmpi_bridge.vm, env, "JVMPI collections", run, NULL, PRIORITY,
                         &thread) == 0)
        (*env)->DeleteGlobalRef(env, thread);
    else
        jvmpi_bridge_say("the thread that tells of collections cannot be started");
    jvmpi_self_speak();
}

/* Wait until no thread is telling of collections. Returns whether this is so. An agent may hold a
 * lock for which its handler waits in the telling thread; then that thread makes no step, and the
 * wait ends. Needs the lock. */
static bool wait_for_teller(void)
{
    uint64_t steps;
    int error;
    do {
        struct timespec end = after_ms(STALL_MS);
        steps = atomic_load(&gc.steps);
        error = 0;
        while (gc.is_bracket && !error)
            error = pthread_cond_timedwait(&gc.changed, &gc.lock.mutex, &end);
    } while (error && (atomic_load(&gc.is_walking) || atomic_load(&gc.steps) != steps));
    return !gc.is_bracket;
}

/* Tell on the calling thread what there is to tell. At the end of the VM this is left to the last
 * thread: frees that another thread took would reach no agent, and a bracket that another thread
 * began would have no end. */
static void tell_here(JNIEnv *env)
{
    uint64_t finished;
    bool is_mine;
    lock_take(&gc.lock);
    is_mine = wait_for_teller() && (!gc.is_ended || is_last);
    if (is_mine)
        gc.is_bracket = true;
    finished = gc.finished;
    lock_give(&gc.lock);
    if (is_mine) {
        flush(env);
        tell_bracket(env, finished);
        end_bracket();
    }
}

void jvmpi_gc_shut(void)
{
    gc.is_stopped = vmself_is_on("UseZGC") || vmself_is_on("UseShenandoahGC");
}

void jvmpi_gc_end(JNIEnv *env)
{
    uint64_t lost;
    lock_take(&gc.lock);
    is_last = true;
    gc.is_ended = true;
    lost = gc.lost;
    pthread_cond_broadcast(&gc.changed);
    lock_give(&gc.lock);
    tell_here(env);
    if (lost > 0)
        jvmpi_bridge_say("there was no memory to tell that %llu object%s freed",
                         (unsigned long long)lost, plural_of(lost, " was", "s were"));
}

bool jvmpi_gc_is_teller(JNIEnv *env)
{
    return env && env == atomic_load(&gc.teller);
}

/* ---- functions of the interface */

void jvmpi_gc_disable(void)
{
    if (jvmpi_self.gc_holds++ > 0 || in_bracket)
        return;
    lock_take(&gc.lock);
    while (gc.is_telling)
        pthread_cond_wait(&gc.changed, &gc.lock.mutex);
    set_holder(true);
    lock_give(&gc.lock);
}

void jvmpi_gc_enable(void)
{
    if (jvmpi_self.gc_holds > 0 && --jvmpi_self.gc_holds == 0)
        jvmpi_gc_leave_thread();
}

void jvmpi_gc_leave_thread(void)
{
    jvmpi_self.gc_holds = 0;
    if (!jvmpi_self.is_gc_holder)
        return;
    lock_take(&gc.lock);
    set_holder(false);
    lock_give(&gc.lock);
}

void jvmpi_gc_run(void)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    JNIEnv *env = jvmpi_bridge_is_live() ? vm_jni(&jvmpi_bridge.vm) : NULL;
    if (!env || in_bracket || jvmpi_self.gc_holds > 0)
        return;
    lock_take(&gc.lock);
    gc.callers++;
    lock_give(&gc.lock);
    if (!gc.is_stopped)
        vm_pause_collect(jvmti);
    tell_here(env);
    lock_take(&gc.lock);
    gc.callers--;
    pthread_cond_broadcast(&gc.changed);
    lock_give(&gc.lock);
}
