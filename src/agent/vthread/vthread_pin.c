/*
 * vthread_pin.c - see vthread_pin.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/vthread/vthread_pin.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/blocked/blocked.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "base/gate.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "safe/release.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

#define VIRTUAL_THREAD "java/lang/VirtualThread"
#define TRACKER OWN_CLASS("Pinned")

enum {
    CLOSE_MS = 2000,
    DEPTH_MAX = 512, /* frames that are looked at */
    INNERMOST = 2,   /* the tracker's frame, and parkOnCarrierThread */
    REASON = 1024,
};

static struct {
    struct gate inside;
    vthread_pin_tell *_Atomic tell;
    bool has_begun;
} pins;

jvmtiEnv *vthread_pin_env;

/* ---- called in parkOnCarrierThread */

static jlong JNICALL enter(JNIEnv *env, jclass klass, jint number)
{
    return atomic_load_explicit(&pins.tell, memory_order_relaxed) ? (jlong)clock_monotonic_ns() : 0;
}

static void JNICALL leave(JNIEnv *env, jclass klass, jlong start_ns)
{
    uint64_t end_ns = clock_monotonic_ns();
    _Atomic uint32_t *inside = start_ns ? gate_enter(&pins.inside) : NULL;
    if (!inside)
        return;
    vthread_pin_tell *tell = atomic_load_explicit(&pins.tell, memory_order_acquire);
    if (tell)
        tell(env, (uint64_t)start_ns, end_ns);
    gate_leave(inside);
}

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(I)J", (void *)enter},
    {(char *)"leave", (char *)"(J)V", (void *)leave},
    {(char *)"caught", (char *)"(J)V", (void *)tracker_caught_nothing},
};

static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

/* The current thread does not change in this method, as it does in others of its class. */
static int32_t select_method(void *context, const struct instrument_method *m)
{
    return cpool_utf8_is(m->name, "parkOnCarrierThread") ? 0 : -1;
}

static bool is_virtual_thread(const char *class_name)
{
    return strcmp(class_name, VIRTUAL_THREAD) == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .enter = "enter",
    .exit = "leave",
    .kept = 'J',
    .enter_keep = "enter",
    .exit_keep = "leave",
    .caught = "caught",
    .keep = INSTRUMENT_KEEP_ALL,
    .select = select_method,
};

static struct injector_user injected; /* below */

static void say_unchangeable(void)
{
    log_error("event=vthread: this VM does not let " VIRTUAL_THREAD
              " be changed: pinned times are not counted");
}

static void note_all_done(JNIEnv *env)
{
    if (atomic_load(&injected.injected) == 0)
        say_unchangeable();
}

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true, /* vthread_pin_begin() has the class loaded */
    .wants = is_virtual_thread,
    .end = note_all_done,
};

void vthread_pin_begin(struct agent *a, JNIEnv *env, vthread_pin_tell *tell)
{
    struct vm_lookup l = vm_lookup_begin(env);
    vm_lookup_class(&l, VIRTUAL_THREAD);
    gate_open(&pins.inside);
    pins.has_begun = true;
    atomic_store_explicit(&pins.tell, tell, memory_order_release);
    if (!vm_lookup_end(&l) || tracker_define_natives(&a->vm, env, &tracker) != 0 ||
        injector_add(&injected) != 0)
        say_unchangeable();
}

void vthread_pin_end(void)
{
    if (!pins.has_begun)
        return;
    pins.has_begun = false;
    atomic_store(&pins.tell, NULL);
    injector_remove(&injected);
}

int vthread_pin_settle(void)
{
    return gate_close(&pins.inside, CLOSE_MS) ? 0 : -EBUSY;
}

/* ---- what pins */

thread_id vthread_pin_thread(struct agent *a, JNIEnv *env)
{
    const struct thread *t = blocked_thread(a, env, NULL);
    return t ? t->id : 0;
}

static bool is_native(jvmtiEnv *jvmti, jmethodID method)
{
    jboolean is = JNI_FALSE;
    return (*jvmti)->IsMethodNative(jvmti, method, &is) == JVMTI_ERROR_NONE && is;
}

static bool is_initializer(jvmtiEnv *jvmti, jmethodID method)
{
    char *name = NULL;
    bool is = (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
              strcmp(name, "<clinit>") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    return is;
}

/* The innermost frame that holds a monitor, by its depth; `none`: no frame does. From JDK 24 on a
 * monitor does not pin. */
static jint holder(const struct agent *a, JNIEnv *env, jint none)
{
    jvmtiEnv *jvmti = a->vm.release < RELEASE_UNMOUNTS_IN_VM ? vthread_pin_env : NULL;
    jvmtiMonitorStackDepthInfo *held = NULL;
    jint count = 0, least = none;
    if (!jvmti ||
        (*jvmti)->GetOwnedMonitorStackDepthInfo(jvmti, NULL, &count, &held) != JVMTI_ERROR_NONE)
        return none;
    for (jint i = 0; i < count; i++) {
        if (held[i].stack_depth >= 0 && held[i].stack_depth < least)
            least = held[i].stack_depth;
        (*env)->DeleteLocalRef(env, held[i].monitor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)held);
    return least;
}

void vthread_pin_find(const struct agent *a, struct vthread_pin *pin)
{
    jvmtiEnv *jvmti = a->vm.main;
    jvmtiFrameInfo frames[DEPTH_MAX];
    jint count = 0;
    pin->why = VTHREAD_PIN_UNKNOWN;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, DEPTH_MAX, frames, &count) != JVMTI_ERROR_NONE)
        return;
    jint held = holder(a, (JNIEnv *)(uintptr_t)pin->env, DEPTH_MAX);
    for (jint i = INNERMOST; i < count && pin->why == VTHREAD_PIN_UNKNOWN; i++) {
        pin->method = frames[i].method;
        if (i == held)
            pin->why = VTHREAD_PIN_MONITOR;
        else if (is_native(jvmti, frames[i].method))
            pin->why = VTHREAD_PIN_NATIVE;
        else if (is_initializer(jvmti, frames[i].method))
            pin->why = VTHREAD_PIN_INITIALIZER;
    }
}

string_id vthread_pin_text(struct agent *a, const struct vthread_pin *pin)
{
    static const char *const words[] = {
        [VTHREAD_PIN_NATIVE] = "Native frame %s.%s on stack",
        [VTHREAD_PIN_MONITOR] = "Monitor held by %s.%s",
        [VTHREAD_PIN_INITIALIZER] = "VM call to %s.%s on stack", /* the JDK's words */
    };
    frame_id frame = pin->why != VTHREAD_PIN_UNKNOWN ? names_frame(a, pin->method, -1) : 0;
    method_id method = frame ? profile_frame_at(a->profile, frame)->method : 0;
    if (!method)
        return 0;
    const struct profile_method *m = profile_method_at(a->profile, method);
    string_id klass = m->klass ? profile_class_at(a->profile, m->klass)->name : 0;
    char text[REASON];
    /* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): the table above */
    snprintf(text, sizeof(text), words[pin->why],
             klass ? profile_string_at(a->profile, klass)->bytes : "?",
             profile_string_at(a->profile, m->name)->bytes);
    return profile_cstring(a->profile, text);
}
