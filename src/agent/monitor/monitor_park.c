/*
 * monitor_park.c - see monitor_park.h.
 *
 * park(blocker) stores the blocker in its thread by setBlocker(), parks, and clears it. A park
 * begins for us when the blocker has been stored, and ends when the method returns; park() without
 * a blocker begins at once, for its caller may have stored one. LockSupport is the same in this on
 * JDK 8 to 26. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/monitor/monitor_park.h"
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/gate.h"
#include "agent/log.h"
#include "agent/monitor/monitor_note.h"
#include "agent/monitor/monitor_thread.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

#define LOCK_SUPPORT "java/util/concurrent/locks/LockSupport"
#define TRACKER OWN_CLASS("Park")

enum {
    LOCAL_REFERENCES = 4,
    CLOSE_MS = 2000,
};

enum method { PARK, PARK_WITH_BLOCKER, SET_BLOCKER }; /* the numbers in the probes */

static struct {
    jfieldID blocker; /* java.lang.Thread.parkBlocker */
    _Atomic int running;
    int is_defined;   /* the tracker */
    struct gate gate; /* of its methods */
} park;

/* ---- in the methods of LockSupport */

/* The stack begins at park: above it lie the tracker's frame and `above` more. */
static void begin(JNIEnv *env, const struct thread *t, int above)
{
    struct monitor_thread *own = monitor_thread_of(t);
    jvmtiEnv *jvmti = injector_env();
    jobject self = NULL, blocker = NULL;

    if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK)
        return;
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE && self)
        blocker = (*env)->GetObjectField(env, self, park.blocker);
    own->park_row = monitor_note_row(env, t, MONITOR_NOTE_PARK, blocker, 1 + above);
    (*env)->PopLocalFrame(env, NULL);
    own->is_parking = false;
    own->park_ns = clock_monotonic_ns();
}

static void enter_open(JNIEnv *env, jint method)
{
    const struct thread *t = monitor_note_thread(env, NULL);
    struct monitor_thread *own = t ? monitor_thread_of(t) : NULL;

    if (!own)
        return;
    own->park_ns = 0;
    own->is_parking = true;
    if (method == PARK)
        begin(env, t, 0);
}

static jint JNICALL enter(JNIEnv *env, jclass klass, jint method)
{
    _Atomic uint32_t *inside = method == SET_BLOCKER ? NULL : gate_enter(&park.gate);

    if (!inside)
        return method;
    if (atomic_load(&park.running))
        enter_open(env, method);
    gate_leave(inside);
    return method;
}

static void leave_open(JNIEnv *env, jint method)
{
    uint64_t now = clock_monotonic_ns();
    const struct thread *t = threads_find(NULL);
    struct monitor_thread *own = t ? monitor_thread_of(t) : NULL;

    if (!own)
        return;
    if (method == SET_BLOCKER) {
        if (own->is_parking)
            begin(env, t, 1);
        return;
    }
    if (own->park_ns)
        monitor_note_add(own->park_row, now - own->park_ns);
    own->park_ns = 0;
    own->is_parking = false;
}

static void JNICALL leave(JNIEnv *env, jclass klass, jint method)
{
    _Atomic uint32_t *inside = gate_enter(&park.gate);

    if (!inside)
        return;
    leave_open(env, method);
    gate_leave(inside);
}

/* An exception left the park; what it left open ends when the thread parks again. */
static void JNICALL caught(JNIEnv *env, jclass klass, jint method)
{
}

/* ---- the class they call, and the calls */

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(I)I", (void *)enter},
    {(char *)"leave", (char *)"(I)V", (void *)leave},
    {(char *)"caught", (char *)"(I)V", (void *)caught},
};

enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

static const struct tracker tracker = {TRACKER, natives, NATIVES};

static int32_t select_method(void *context, const struct instrument_method *m)
{
    if (cpool_utf8_is(m->name, "setBlocker"))
        return SET_BLOCKER;
    if (!cpool_utf8_is(m->name, "park") && !cpool_utf8_is(m->name, "parkNanos") &&
        !cpool_utf8_is(m->name, "parkUntil"))
        return -1;
    return m->desc.bytes[1] == 'L' ? PARK_WITH_BLOCKER : PARK;
}

static bool is_lock_support(const char *class_name)
{
    return strcmp(class_name, LOCK_SUPPORT) == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .enter = "enter",
    .exit = "leave",
    .kept = 'I',
    .enter_keep = "enter",
    .exit_keep = "leave",
    .caught = "caught",
    .keep = INSTRUMENT_KEEP_ALL,
    .select = select_method,
};

static void say_unchangeable(void)
{
    log_error("monitor=all: this VM does not let " LOCK_SUPPORT
              " be changed: parks are not counted");
}

static void note_done(const struct instrument_result *r, const struct instrument_share *own)
{
    if (r->bytes && own->injected > 0)
        atomic_store(&park.running, 1);
}

/* The loaded classes have been changed; LockSupport was to be one of them. */
static void note_all_done(JNIEnv *env)
{
    if (!atomic_load(&park.running))
        say_unchangeable();
}

static struct injector_user user = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true, /* find_classes() */
    .wants = is_lock_support,
    .done = note_done,
    .end = note_all_done,
};

/* The field, and LockSupport loaded: so no hook need stay for the classes to come. */
static int find_classes(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);

    park.blocker = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"), "parkBlocker",
                                   "Ljava/lang/Object;");
    vm_lookup_class(&l, LOCK_SUPPORT);
    return vm_lookup_end(&l) ? 0 : -1;
}

/* Once in a VM. */
static int define(struct agent *a, JNIEnv *env)
{
    if (!park.is_defined)
        park.is_defined = tracker_define_natives(&a->vm, env, &tracker) == 0;
    return park.is_defined ? 0 : -1;
}

void monitor_park_start(struct agent *a, JNIEnv *env)
{
    if (find_classes(env) != 0 || define(a, env) != 0 || injector_add(&user) != 0)
        say_unchangeable();
    else
        gate_open(&park.gate);
}

void monitor_park_stop(void)
{
    injector_remove(&user);
    atomic_store(&park.running, 0);
}

int monitor_park_close(void)
{
    return gate_close(&park.gate, CLOSE_MS) ? 0 : -EBUSY;
}
