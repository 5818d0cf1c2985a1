/*
 * times_wait.c - see times_wait.h.
 *
 * libjvm.so has always exported the VM's own functions for these native methods. A thread may be
 * inside one of our functions when the VM gets its own back. It returns through our function, which
 * is safe because this library is never unloaded.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_wait.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "agent/log.h"
#include "agent/names/methods.h"
#include "classfile/instrument.h"
#include "vm/vm_lookup.h"

enum { BITS = 32 };

static const struct {
    const char *class_name, *name;
} waits[] = {
#define W(class_name, name) {class_name, name},
#include "agent/times/times_waits.def"
#undef W
};

enum { WAITS = sizeof(waits) / sizeof(waits[0]) };

static _Atomic uint32_t marks[METHODS_MAX / BITS];

bool times_wait_has_class(const char *class_name)
{
    for (size_t i = 0; i < WAITS; i++)
        if (strcmp(class_name, waits[i].class_name) == 0)
            return true;
    return false;
}

bool times_wait_has(const struct instrument_method *m)
{
    for (size_t i = 0; i < WAITS; i++)
        if (cpool_utf8_is(m->name, waits[i].name) &&
            cpool_utf8_is(m->class_name, waits[i].class_name))
            return true;
    return false;
}

void times_wait_mark(int32_t number)
{
    if (number >= 0)
        atomic_fetch_or(&marks[number / BITS], 1u << (uint32_t)number % BITS);
}

bool times_wait_is_marked(int32_t number)
{
    return number >= 0 && (atomic_load_explicit(&marks[number / BITS], memory_order_relaxed) >>
                               (uint32_t)number % BITS &
                           1u) != 0;
}

/* ---- native methods */

enum native { OBJECT_WAIT, THREAD_SLEEP, NATIVES };

typedef void (*native_function)(JNIEnv *env, jobject self, jlong ms);

static struct times_wait_calls calls;

static void object_wait(JNIEnv *env, jobject self, jlong ms);
static void thread_sleep(JNIEnv *env, jobject klass, jlong ms);

static struct {
    const char *class_name, *name, *symbol;
    native_function ours, vm_has;
    int32_t number;
    bool is_ours; /* whether our function is in place now */
} natives[NATIVES] = {
    [OBJECT_WAIT] = {"java/lang/Object", "wait", "JVM_MonitorWait", object_wait, NULL, -1, 0},
    [THREAD_SLEEP] = {"java/lang/Thread", "sleep", "JVM_Sleep", thread_sleep, NULL, -1, 0},
};

static void wait_in(enum native which, JNIEnv *env, jobject self, jlong ms)
{
    void *block = NULL;
    int64_t place = calls.enter(env, natives[which].number, &block);
    natives[which].vm_has(env, self, ms);
    if (place)
        calls.leave(block, place);
}

static void object_wait(JNIEnv *env, jobject self, jlong ms)
{
    wait_in(OBJECT_WAIT, env, self, ms);
}

static void thread_sleep(JNIEnv *env, jobject klass, jlong ms)
{
    wait_in(THREAD_SLEEP, env, klass, ms);
}

static struct cpool_utf8 utf8(const char *text)
{
    return (struct cpool_utf8){.bytes = text, .len = (uint16_t)strlen(text)};
}

static int32_t number_of(enum native which, int32_t (*add)(const struct instrument_method *m))
{
    const struct instrument_method m = {
        .class_name = utf8(natives[which].class_name),
        .name = utf8(natives[which].name),
        .desc = utf8("(J)V"),
    };
    int32_t number = add(&m);
    times_wait_mark(number);
    return number;
}

static int set_function(JNIEnv *env, jclass klass, enum native which, native_function function)
{
    const JNINativeMethod m = {(char *)natives[which].name, (char *)"(J)V", (void *)function};
    return (*env)->RegisterNatives(env, klass, &m, 1) == JNI_OK;
}

/*
 * Whether the method is native in this JDK. Reflection is asked, because an attempt to bind a
 * method that is not native costs an exception.
 */
static bool is_native(JNIEnv *env, jclass klass, enum native which)
{
    jclass modifiers = vm_lookup_boot_class(env, "java/lang/reflect/Method");
    jmethodID get = modifiers ? (*env)->GetMethodID(env, modifiers, "getModifiers", "()I") : NULL;
    jmethodID method = !get ? NULL
                       : which == THREAD_SLEEP
                           ? (*env)->GetStaticMethodID(env, klass, natives[which].name, "(J)V")
                           : (*env)->GetMethodID(env, klass, natives[which].name, "(J)V");
    jobject reflected =
        method ? (*env)->ToReflectedMethod(env, klass, method, which == THREAD_SLEEP) : NULL;
    enum { ACC_NATIVE = 0x0100 };
    return reflected && ((*env)->CallIntMethod(env, reflected, get) & ACC_NATIVE) != 0;
}

static void put_before(JNIEnv *env, enum native which,
                       int32_t (*add)(const struct instrument_method *m))
{
    jclass klass = vm_lookup_boot_class(env, natives[which].class_name);
    if (!klass || !is_native(env, klass, which))
        return;
    natives[which].vm_has = (native_function)dlsym(RTLD_DEFAULT, natives[which].symbol);
    if (!natives[which].vm_has || (natives[which].number = number_of(which, add)) < 0)
        return;
    natives[which].is_ours = set_function(env, klass, which, natives[which].ours);
    if (!natives[which].is_ours)
        log_error("cpu=times: this VM keeps %s.%s: its waits count as its callers' work",
                  natives[which].class_name, natives[which].name);
}

void times_wait_start(JNIEnv *env, const struct times_wait_calls *with,
                      int32_t (*add)(const struct instrument_method *m))
{
    calls = *with;
    if ((*env)->PushLocalFrame(env, 16) != JNI_OK)
        return;
    for (enum native i = 0; i < NATIVES && !(*env)->ExceptionCheck(env); i++)
        put_before(env, i, add);
    vm_lookup_clear(env);
    (*env)->PopLocalFrame(env, NULL);
}

void times_wait_stop(JNIEnv *env)
{
    for (enum native i = 0; i < NATIVES; i++) {
        jclass klass = natives[i].is_ours ? vm_lookup_boot_class(env, natives[i].class_name) : NULL;
        if (klass && set_function(env, klass, i, natives[i].vm_has))
            natives[i].is_ours = false;
        if (klass)
            (*env)->DeleteLocalRef(env, klass);
    }
    vm_lookup_clear(env);
}
