/*
 * weaver.c - a second library on src/vm that injects a method beside libhprof.so, and changes a
 * class by a hook that cannot retransform.
 *
 * Each call of Marked.say calls its tracker, which works for a while and makes an object, so that
 * others see the tracker on stacks; the class Marked says "marked!!". At the end of the VM it
 * writes to standard error how many calls there were, the method that it takes for their caller,
 * and how many trackers it was asked to inject. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm.h"
#include "vm/vm_event.h"
#include "vm/vm_names.h"

#define TRACKER OWN_CLASS("Calls")

enum { WORK_US = 200, DEPTH = OWN_CLASS_FRAMES + 1 };

static struct {
    struct vm vm;
    _Atomic int calls, trackers;
    char caller[64];
} weaver;

static void work(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < WORK_US);
}

/* The innermost method on the stack that is no tracker's. */
static void note_caller(JNIEnv *env)
{
    jvmtiEnv *jvmti = weaver.vm.main;
    jvmtiFrameInfo frames[DEPTH];
    jint count = 0;
    (*jvmti)->GetStackTrace(jvmti, NULL, 0, DEPTH, frames, &count);
    for (jint i = 0; i < count; i++) {
        struct vm_names_method m;
        size_t len;
        if (!vm_names_method(jvmti, env, frames[i].method, &m))
            continue;
        const char *name = vm_names_class(m.signature, &len);
        bool is_own = own_class_is(name, len);

        if (!is_own)
            snprintf(weaver.caller, sizeof(weaver.caller), "%.*s.%s", (int)len, name, m.name);
        vm_names_done(jvmti, env, &m);
        if (!is_own)
            break;
    }
}

static void JNICALL enter(JNIEnv *env, jclass klass, jint number)
{
    (void)klass, (void)number;
    if (atomic_fetch_add(&weaver.calls, 1) == 0)
        note_caller(env);
    (*env)->DeleteLocalRef(env, (*env)->NewByteArray(env, 8));
    work();
}

static void JNICALL leave(JNIEnv *env, jclass klass, jint number)
{
    (void)env, (void)klass, (void)number;
}

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(I)V", (void *)enter},
    {(char *)"leave", (char *)"(I)V", (void *)leave},
};
static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_say(void *context, const struct instrument_method *m)
{
    (void)context;
    if (own_class_is((const char *)m->class_name.bytes, m->class_name.len))
        atomic_fetch_add(&weaver.trackers, 1);
    return cpool_utf8_is(m->class_name, "Marked") && cpool_utf8_is(m->name, "say") ? 0 : -1;
}

static const struct instrument_probe probe = {.tracker = TRACKER,
                                              .enter = "enter",
                                              .exit = "leave",
                                              .keep = INSTRUMENT_KEEP_NONE,
                                              .select = select_say};
static struct injector_user user = {.probe = &probe, .layer = INJECTOR_EVENTS};

static void on_class_file(void *data, JNIEnv *env, jclass redefined, jobject loader,
                          const char *name, jobject domain, jint len, const unsigned char *bytes,
                          jint *new_len, unsigned char **new_bytes)
{
    static const char before[] = "\1\0\10unmarked", behind[] = "\1\0\10marked!!";
    enum { SIZE = sizeof(before) - 1 };
    jvmtiEnv *jvmti = weaver.vm.main;
    (void)data, (void)env, (void)redefined, (void)loader, (void)domain;
    if (!name || strcmp(name, "Marked") != 0 ||
        (*jvmti)->Allocate(jvmti, len, new_bytes) != JVMTI_ERROR_NONE)
        return;
    memcpy(*new_bytes, bytes, (size_t)len);
    *new_len = len;
    for (jint at = 0; at + SIZE <= len; at++)
        if (memcmp(*new_bytes + at, before, SIZE) == 0)
            memcpy(*new_bytes + at, behind, SIZE);
}

static void on_vm_init(void *data, JNIEnv *env, jthread thread)
{
    (void)data, (void)thread;
    if (tracker_define_natives(&weaver.vm, env, &tracker) != 0 || injector_add(&user) != 0)
        fprintf(stderr, "weaver: refused\n");
    injector_apply(env);
}

static void on_vm_death(void *data, JNIEnv *env)
{
    (void)data, (void)env;
    fprintf(stderr, "weaver: %d calls from %s, %d trackers\n", atomic_load(&weaver.calls),
            weaver.caller, atomic_load(&weaver.trackers));
}

static struct vm_event_subscriber events[] = {
    {.event = VM_EVENT_CLASS_FILE, .on.class_file = on_class_file},
    {.event = VM_EVENT_VM_INIT, .on.vm_init = on_vm_init},
    {.event = VM_EVENT_VM_DEATH, .on.vm_death = on_vm_death},
};

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java,
                                                                           char *options,
                                                                           void *reserved)
{
    (void)options, (void)reserved;
    if (vm_open(&weaver.vm, java) != 0)
        return JNI_ERR;
    vm_event_open(&weaver.vm);
    return injector_open(&weaver.vm) == 0 && vm_event_add_all(events, 3, NULL) == 0 ? JNI_OK
                                                                                    : JNI_ERR;
}
