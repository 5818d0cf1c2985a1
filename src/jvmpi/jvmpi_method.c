/*
 * jvmpi_method.c - see jvmpi_method.h.
 *
 * Injected code passes a number, which the method gets when its class is woven. The first call
 * finds the jmethodID of the number on its own stack. Native methods have no code; jvmpi_native.c
 * reports them. Each thread keeps the numbers of its open calls. A method with exception handlers
 * keeps two things in a local variable: the call's place among the open calls, and the number.
 *
 * While METHOD_ENTRY2 is on, injected code also passes the object, except in constructors. In a
 * constructor the object is asked for in the frame, which costs a pause of the VM each time
 * (docs/measurements/jvmpi.md). The compilers cannot remove an object that is passed, so no object
 * is passed while METHOD_ENTRY2 is off.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_method.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pages.h"
#include "classfile/instrument.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_native.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_thread.h"
#include "jvmpi/jvmpi_unweave.h"
#include "safe/own_class.h"
#include "safe/release.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_env.h"
#include "vm/vm_heap.h"
#include "vm/vm_names.h"

#define TRACKER OWN_CLASS("Calls")

enum {
    /* numbers are given in turn, so at most so many methods may be woven at a time */
    NUMBERS = 1 << 22,
    DEPTH_MAX = 1 << 20, /* how many open calls of a thread are kept */
    DEPTH_FIRST = 256,
    PLACE_BITS = 32,
    STATIC = 0x0008,
    NOT_KEPT = -1,
    CALLER = 1, /* depth of the method that calls a native method of the tracker */
};

/* The object of a call, or the frame in which it is found. */
struct receiver {
    bool is_passed;
    jobject object; /* if is_passed; NULL: a static method */
    jint depth;     /* otherwise, the depth of the frame */
};

static struct {
    jmethodID _Atomic *methods; /* indexed by number; NULL: not called yet */
    _Atomic uint32_t next;
    _Atomic int users;   /* count of events that are on */
    bool has_objects;    /* METHOD_ENTRY2 is one of them */
    _Atomic int periods; /* how often the first of them was turned on */
} calls;

/* ---- events */

/* Send METHOD_ENTRY or METHOD_EXIT. Calls come often: so only the fields of this event are written,
 * and the event is counted only in the thread's record. */
static void send(struct jvmpi_thread *t, jint event, jmethodID method)
{
    jvmpi_agents agents;
    JVMPI_Event e;
    jvmpi_thread_step_of(t);
    agents = jvmpi_send_wanted(event);
    if (agents) {
        e.event_type = event;
        e.env_id = t->env;
        e.u.method.method_id = method;
        jvmpi_send_counted(agents, &e);
    }
    jvmpi_thread_step_end(t);
}

static jmethodID method_of(JNIEnv *env, int32_t number)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jmethodID method = atomic_load_explicit(&calls.methods[number], memory_order_relaxed);
    jvmtiFrameInfo frame;
    jint count = 0;
    if (!method &&
        (*jvmti)->GetStackTrace(jvmti, NULL, CALLER, 1, &frame, &count) == JVMTI_ERROR_NONE &&
        count == 1) {
        method = vm_names_known_id(jvmti, env, frame.method);
        jvmpi_class_of_method(method); /* sends the CLASS_LOAD: not every class was seen prepared */
        atomic_store_explicit(&calls.methods[number], method, memory_order_relaxed);
    }
    return method;
}

/* The object of a frame, as a new local reference; NULL in a static method. JDK 8 would give the
 * first argument of a static method. */
static jobject object_in_frame(JNIEnv *env, jmethodID method, jint depth)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jobject object = NULL;
    jint flags = STATIC;
    jvmtiError error;
    (*jvmti)->GetMethodModifiers(jvmti, method, &flags);
    if (flags & STATIC)
        return NULL;
    error = vm_heap_local_instance(jvmti, NULL, depth, &object);
    jvmpi_alloc_tell_held(env);
    return error == JVMTI_ERROR_NONE ? object : NULL;
}

static void send_entry2(JNIEnv *env, jvmpi_agents agents, jmethodID method,
                        const struct receiver *r)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_METHOD_ENTRY2, .env_id = env};
    jobject object = r->is_passed ? r->object : object_in_frame(env, method, r->depth);
    e.u.method_entry2.method_id = method;
    e.u.method_entry2.obj_id = jvmpi_alloc_named(env, object);
    jvmpi_send_about(agents, &e, e.u.method_entry2.obj_id, object);
    if (!r->is_passed)
        (*env)->DeleteLocalRef(env, object);
}

static void send_exit(struct jvmpi_thread *t, uint32_t number)
{
    jmethodID method = atomic_load_explicit(&calls.methods[number], memory_order_relaxed);
    if (method && jvmpi_send_wanted(JVMPI_EVENT_METHOD_EXIT))
        send(t, JVMPI_EVENT_METHOD_EXIT, method);
}

/* ---- open calls */

static bool push(struct jvmpi_thread *t, uint32_t number)
{
    if (t->calls.count == t->calls.room) {
        int32_t room = t->calls.room ? 2 * t->calls.room : DEPTH_FIRST;
        uint32_t *numbers =
            room <= DEPTH_MAX ? realloc(t->calls.numbers, (size_t)room * sizeof(*numbers)) : NULL;
        if (!numbers)
            return false;
        t->calls.numbers = numbers;
        t->calls.room = room;
    }
    t->calls.numbers[t->calls.count++] = number;
    return true;
}

static void pop_to(struct jvmpi_thread *t, int32_t count)
{
    while (t->calls.count > count)
        send_exit(t, t->calls.numbers[--t->calls.count]);
}

/* The place of the innermost open call with this number; -1: there is none. */
static int32_t place_of(const struct jvmpi_thread *t, uint32_t number)
{
    int32_t at = t->calls.count - 1;
    while (at >= 0 && t->calls.numbers[at] != number)
        at--;
    return at;
}

/* The record of the calling thread; NULL: its calls are not told. Calls that were open when no
 * agent wanted the events are forgotten. */
static struct jvmpi_thread *told_thread(JNIEnv *env)
{
    int period = atomic_load_explicit(&calls.periods, memory_order_relaxed);
    const struct jvmpi_self *self = &jvmpi_self;
    struct jvmpi_thread *t;
    if (self->quiet || !atomic_load_explicit(&calls.users, memory_order_relaxed) ||
        (!self->thread && !jvmpi_thread_is_open(env)))
        return NULL;
    t = self->thread;
    if (t->calls.period != period)
        t->calls.count = 0;
    t->calls.period = period;
    return t;
}

/* ---- functions that injected code calls */

/* A call of `method` begins. Returns the value that a method with handlers keeps. */
static jlong begin(struct jvmpi_thread *t, uint32_t number, jmethodID method,
                   const struct receiver *r)
{
    jvmpi_agents agents;
    int32_t place = t->calls.count;
    if (!method || !push(t, number))
        return NOT_KEPT;
    if (jvmpi_send_wanted(JVMPI_EVENT_METHOD_ENTRY))
        send(t, JVMPI_EVENT_METHOD_ENTRY, method);
    agents = jvmpi_send_wanted(JVMPI_EVENT_METHOD_ENTRY2);
    if (agents)
        send_entry2(t->env, agents, method, r);
    return (jlong)number << PLACE_BITS | place;
}

static void end(struct jvmpi_thread *t, uint32_t number)
{
    int32_t place = place_of(t, number);
    if (place >= 0)
        pop_to(t, place);
}

static const struct receiver in_caller = {.depth = CALLER};

static void JNICALL enter(JNIEnv *env, jclass self, jint number)
{
    struct jvmpi_thread *t = told_thread(env);
    if (t)
        begin(t, (uint32_t)number, method_of(env, number), &in_caller);
}

static void JNICALL enter_with(JNIEnv *env, jclass self, jint number, jobject object)
{
    struct jvmpi_thread *t = told_thread(env);
    if (t)
        begin(t, (uint32_t)number, method_of(env, number), &(struct receiver){true, object, 0});
}

static jlong JNICALL enter_keep(JNIEnv *env, jclass self, jint number)
{
    struct jvmpi_thread *t = told_thread(env);
    return t ? begin(t, (uint32_t)number, method_of(env, number), &in_caller) : NOT_KEPT;
}

static jlong JNICALL enter_keep_with(JNIEnv *env, jclass self, jint number, jobject object)
{
    struct jvmpi_thread *t = told_thread(env);
    return t ? begin(t, (uint32_t)number, method_of(env, number),
                     &(struct receiver){true, object, 0})
             : NOT_KEPT;
}

static void JNICALL leave(JNIEnv *env, jclass self, jint number)
{
    struct jvmpi_thread *t = told_thread(env);
    if (t)
        end(t, (uint32_t)number);
}

/* The place of a call whose value was kept. If a virtual thread is on another carrier now, its call
 * is not there. */
static int32_t kept_place(const struct jvmpi_thread *t, jlong kept)
{
    int32_t place = (int32_t)(kept & INT32_MAX);
    uint32_t number = (uint32_t)(kept >> PLACE_BITS);
    return place < t->calls.count && t->calls.numbers[place] == number ? place
                                                                       : place_of(t, number);
}

static void JNICALL leave_kept(JNIEnv *env, jclass self, jlong kept)
{
    struct jvmpi_thread *t = kept == NOT_KEPT ? NULL : told_thread(env);
    int32_t place = t ? kept_place(t, kept) : -1;
    if (place >= 0)
        pop_to(t, place);
}

static void JNICALL caught(JNIEnv *env, jclass self, jlong kept)
{
    struct jvmpi_thread *t = kept == NOT_KEPT ? NULL : told_thread(env);
    int32_t place = t ? kept_place(t, kept) : -1;
    if (place >= 0)
        pop_to(t, place + 1);
}

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(I)V", (void *)enter},
    {(char *)"enter", (char *)"(ILjava/lang/Object;)V", (void *)enter_with},
    {(char *)"exit", (char *)"(I)V", (void *)leave},
    {(char *)"enterKeep", (char *)"(I)J", (void *)enter_keep},
    {(char *)"enterKeep", (char *)"(ILjava/lang/Object;)J", (void *)enter_keep_with},
    {(char *)"exitKeep", (char *)"(J)V", (void *)leave_kept},
    {(char *)"caught", (char *)"(J)V", (void *)caught},
};
static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

/* ---- native methods */

/* A new number for a method; NULL: the first call finds out which method it is. */
static uint32_t number_of(jmethodID method)
{
    uint32_t number = atomic_fetch_add(&calls.next, 1) % NUMBERS;
    atomic_store_explicit(&calls.methods[number], method, memory_order_relaxed);
    return number;
}

static void begin_native(JNIEnv *env, uint32_t number)
{
    static const struct receiver in_frame = {.depth = 0};
    struct jvmpi_thread *t = told_thread(env);
    if (t)
        begin(t, number, atomic_load_explicit(&calls.methods[number], memory_order_relaxed),
              &in_frame);
}

static void end_native(JNIEnv *env, uint32_t number)
{
    struct jvmpi_thread *t = told_thread(env);
    if (t)
        end(t, number);
}

static const struct jvmpi_native_calls native_calls = {number_of, begin_native, end_native};

/* ---- which methods */

/* Methods that java.lang.VirtualThread or jdk.internal.vm.Continuation calls while a virtual thread
 * is mounted or unmounted. During the mount the VM takes the thread neither for the carrier nor for
 * the virtual thread. It sends no event of JVM TI. A function of JVM TI that looks at the thread's
 * stack waits until the mount is over; on JDK 21 it waits for ever, because it is called from
 * within the mount. So none of these methods gets a probe that calls the agent. A class may end in
 * '*'. The two classes themselves are left alone for another reason (INSTRUMENT_CHANGES_THREAD).
 * Source: java.base of JDK 21 to 28: VirtualThread.mount(), unmount(), Continuation.run(). */
static const struct {
    const char *class_name, *method;
} mounts[] = {
    {"java/lang/Thread", "isInterrupted"},
    {"java/lang/Thread", "setInterrupt"},
    {"java/lang/Thread", "clearInterrupt"},
    {"java/lang/Thread", "getContinuation"},
    {"java/lang/Thread", "setContinuation"},
    {"java/lang/System$*", "currentCarrierThread"},
    {"java/lang/System$*", "getContinuation"},
    {"java/lang/System$*", "setContinuation"},
    {"java/lang/System$*", "scopedValueCache"},
    {"java/lang/System$*", "setScopedValueCache"},
    {"java/lang/System$*", "virtualThreadContinuationScope"},
    {"jdk/internal/misc/Unsafe", "bool2byte"},
    {"jdk/internal/misc/Unsafe", "compareAndSetBoolean"},
    {"jdk/internal/vm/StackChunk", "isEmpty"},
    {"jdk/internal/vm/StackChunk", "parent"},
};

static bool is_class_of_row(struct cpool_utf8 name, const char *row)
{
    size_t len = strlen(row);
    if (row[len - 1] != '*')
        return cpool_utf8_is(name, row);
    return name.len >= len - 1 && memcmp(name.bytes, row, len - 1) == 0;
}

/* Whether the method is one of `mounts`. */
static bool is_called_by_mount(const struct instrument_method *m)
{
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
        if (cpool_utf8_is(m->name, mounts[i].method) &&
            is_class_of_row(m->class_name, mounts[i].class_name))
            return true;
    return false;
}

/* The number for a method that is to be woven; -1: none. Constructors of Object are calls like
 * others; every other method with an advice against weaving is left alone. */
static int32_t select_method(void *context, const struct instrument_method *m)
{
    if (!method_filter_wants(&jvmpi_bridge.options.filter, m->class_name.bytes, m->class_name.len,
                             m->name.bytes, m->name.len))
        return -1;
    if (m->advice != INSTRUMENT_INJECTED && m->advice != INSTRUMENT_OBJECT_INIT)
        return -1;
    if (jvmpi_bridge.vm.release >= RELEASE_CONTINUATIONS && is_called_by_mount(m))
        return -1;
    return (int32_t)number_of(NULL);
}

static bool wants_class(const char *name)
{
    return method_filter_wants_some(&jvmpi_bridge.options.filter, name, strlen(name));
}

#define PROBE(passes)                                                                              \
    {                                                                                              \
        .tracker = TRACKER, .enter = "enter", .exit = "exit", .kept = 'J',                         \
        .enter_keep = "enterKeep", .exit_keep = "exitKeep", .caught = "caught",                    \
        .keep = INSTRUMENT_KEEP_HANDLERS, .has_object = (passes), .select = select_method,         \
    }

static const struct instrument_probe probe = PROBE(false), probe_with_objects = PROBE(true);
static struct injector_user user = {
    .probe = &probe,
    .layer = INJECTOR_CALLS,
    .wants = wants_class,
};

/* ---- on and off */

void jvmpi_method_open(void)
{
    vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, VM_CAN_ACCESS_LOCAL_VARIABLES, NULL);
}

static int define(JNIEnv *env)
{
    if (!calls.methods)
        calls.methods = pages_map(NUMBERS * sizeof(*calls.methods));
    if (!calls.methods || injector_open(&jvmpi_bridge.vm) != 0 ||
        tracker_define_natives(&jvmpi_bridge.vm, env, &tracker) != 0)
        return E_UNSUPPORTED;
    return 0;
}

/* Choose the probe that is woven from now on. */
static void choose_probe(bool has_objects)
{
    atomic_store(&user.probe, has_objects ? &probe_with_objects : &probe);
    calls.has_objects = has_objects;
}

/* Give the loaded classes the other probe. */
static void weave_again(JNIEnv *env, bool has_objects)
{
    choose_probe(has_objects);
    jvmpi_self_hush();
    injector_add_again(&user);
    injector_apply(env);
    jvmpi_self_speak();
}

/* Turn the first of the events on. */
static int begin_period(JNIEnv *env, bool has_objects)
{
    jvmpi_self_hush();
    choose_probe(has_objects);
    if (define(env) != 0 || injector_add(&user) != 0) {
        jvmpi_self_speak();
        return E_UNSUPPORTED;
    }
    calls.periods++;
    calls.users++;
    injector_apply(env);
    jvmpi_native_on(&native_calls);
    jvmpi_self_speak();
    return 0;
}

/* Turn METHOD_ENTRY or METHOD_EXIT on. If JVM_OnLoad enables METHOD_ENTRY2 as well, the probe with
 * objects is woven at once, so classes are woven only once. */
int jvmpi_method_on(JNIEnv *env)
{
    if (calls.users == 0)
        return begin_period(env,
                            calls.periods == 0 &&
                                atomic_load(&jvmpi_send.from_start[JVMPI_EVENT_METHOD_ENTRY2]));
    calls.users++;
    return 0;
}

int jvmpi_method_objects_on(JNIEnv *env)
{
    if (calls.users == 0)
        return begin_period(env, true);
    calls.users++;
    if (!calls.has_objects)
        weave_again(env, true);
    return 0;
}

void jvmpi_method_off(void)
{
    if (--calls.users > 0)
        return;
    jvmpi_native_off();
    jvmpi_unweave(&user);
}

void jvmpi_method_objects_off(void)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    jvmpi_method_off();
    if (calls.users > 0 && env && !jvmpi_send_is_ending())
        weave_again(env, false);
}

void jvmpi_method_end_thread(struct jvmpi_thread *t)
{
    pop_to(t, 0);
    free(t->calls.numbers);
    t->calls.numbers = NULL;
    t->calls.room = 0;
}
