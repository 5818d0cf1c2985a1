/*
 * jvmpi_sleep.c - see jvmpi_sleep.h.
 *
 * JDK 22 and later have one method, sleepNanos, which all others call. In JDK 21 each method sleeps
 * by itself, so each method is injected. The methods call the VM in a try with a finally, so an
 * interrupted sleep ends there. Source: java/lang/Thread.java; JVM_Sleep in HotSpot jvm.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_sleep.h"
#include <dlfcn.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_self.h"
#include "jvmpi/jvmpi_unweave.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "safe/release.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

#define TRACKER OWN_CLASS("Sleep")
#define THREAD "java/lang/Thread"

enum { MS_PER_S = 1000 };

/* The unit of an injected method's argument; it is the number that the method's probe passes. */
enum unit { NANOSECONDS, MILLISECONDS, A_DURATION };

static const struct jvmpi_sleep_seen *_Atomic heard; /* NULL: sleeps are not reported */
/* the VM's function, before JDK 21 */
static void(JNICALL *native_sleep)(JNIEnv *env, jclass thread, jlong ms);

static jlong now_ms(void)
{
    return (jlong)(clock_monotonic_ns() / NS_PER_MS);
}

/* Report that a sleep begins. Returns the time of the begin; 0: nothing was reported. */
static jlong begin(JNIEnv *env, jlong ms)
{
    const struct jvmpi_sleep_seen *seen = atomic_load(&heard);
    if (!seen || ms < 0)
        return 0;
    seen->begins(env, ms);
    return now_ms();
}

static void end(JNIEnv *env, jlong began)
{
    const struct jvmpi_sleep_seen *seen = atomic_load(&heard);
    if (seen && began)
        seen->ends(env, now_ms() - began);
}

/* ---- injected code */

static jlong to_ms(JNIEnv *env, jobject duration)
{
    struct vm_lookup l;
    jlong ms = -1;
    jvmpi_self_hush();
    l = vm_lookup_begin(env);
    if (duration)
        ms = vm_lookup_call_long(
            &l, duration,
            vm_lookup_method(&l, vm_lookup_class(&l, "java/time/Duration"), "toMillis", "()J"));
    if (!vm_lookup_end(&l))
        ms = -1;
    jvmpi_self_speak();
    return ms;
}

static jlong JNICALL enter(JNIEnv *env, jclass self, jint unit, jobject duration, jlong value)
{
    if (!atomic_load(&heard))
        return 0;
    if (unit == A_DURATION)
        value = to_ms(env, duration);
    else if (unit == NANOSECONDS && value > 0)
        value = (value - 1) / NS_PER_MS + 1;
    return begin(env, value);
}

static void JNICALL leave(JNIEnv *env, jclass self, jlong began, jint unit, jobject duration,
                          jlong value)
{
    end(env, began);
}

static void JNICALL caught(JNIEnv *env, jclass self, jlong began)
{
    end(env, began);
}

static bool calls_another(const struct instrument_method *m)
{
    static const char other[] = "sleepNanos";
    return cpool_names_method(m->pool, m->class_name,
                              (struct cpool_utf8){other, sizeof(other) - 1});
}

static int32_t select_method(void *context, const struct instrument_method *m)
{
    if (!cpool_utf8_is(m->class_name, THREAD))
        return -1;
    if (cpool_utf8_is(m->name, "sleepNanos") && cpool_utf8_is(m->desc, "(J)V"))
        return NANOSECONDS;
    if (!cpool_utf8_is(m->name, "sleep") || calls_another(m))
        return -1;
    return cpool_utf8_starts(m->desc, "(J") ? MILLISECONDS : A_DURATION;
}

static bool is_thread(const char *class_name)
{
    return strcmp(class_name, THREAD) == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .kept = 'J',
    .enter_keep = "enter",
    .exit_keep = "leave",
    .caught = "caught",
    .keep = INSTRUMENT_KEEP_ALL,
    .has_arguments = true,
    .select = select_method,
};
static struct injector_user user = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true, /* Thread is loaded before any agent */
    .wants = is_thread,
};

/* ---- instead of the native method */

static void JNICALL sleep_instead(JNIEnv *env, jclass thread, jlong ms)
{
    jlong began = begin(env, ms);
    native_sleep(env, thread, ms);
    end(env, began);
}

static bool bind_sleep(JNIEnv *env)
{
    static const JNINativeMethod method = {(char *)"sleep", (char *)"(J)V", (void *)sleep_instead};
    void *symbol = dlsym(RTLD_DEFAULT, "JVM_Sleep");
    jclass klass = symbol ? vm_lookup_boot_class(env, THREAD) : NULL;
    bool is_bound;
    memcpy(&native_sleep, &symbol, sizeof(symbol));
    is_bound = klass && (*env)->RegisterNatives(env, klass, &method, 1) == JNI_OK;
    vm_lookup_clear(env);
    (*env)->DeleteLocalRef(env, klass);
    return is_bound;
}

/* ---- on and off */

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(ILjava/lang/Object;J)J", (void *)enter},
    {(char *)"leave", (char *)"(JILjava/lang/Object;J)V", (void *)leave},
    {(char *)"caught", (char *)"(J)V", (void *)caught},
};

enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

static struct tracker injected = {.name = TRACKER, .natives = natives, .native_count = NATIVES};
static struct tracker replaced = {
    .name = TRACKER, .natives = natives, .native_count = NATIVES, .bind_others = bind_sleep};

static bool is_native(void)
{
    return jvmpi_bridge.vm.release < RELEASE_CONTINUATIONS;
}

static int define(JNIEnv *env)
{
    if (!is_native() && injector_open(&jvmpi_bridge.vm) != 0)
        return E_UNSUPPORTED;
    return tracker_define_natives(&jvmpi_bridge.vm, env, is_native() ? &replaced : &injected);
}

int jvmpi_sleep_on(JNIEnv *env, const struct jvmpi_sleep_seen *seen)
{
    if (define(env) != 0 || (!is_native() && injector_add(&user) != 0))
        return E_UNSUPPORTED;
    atomic_store(&heard, seen);
    injector_apply(env);
    return 0;
}

void jvmpi_sleep_off(void)
{
    atomic_store(&heard, NULL);
    jvmpi_unweave(&user);
}
