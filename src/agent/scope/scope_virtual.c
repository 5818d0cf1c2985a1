/*
 * scope_virtual.c - see scope_virtual.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_virtual.h"
#include <stdatomic.h>
#include "agent/agent.h"
#include "agent/scope/scope_cell.h"
#include "agent/scope/scope_context.h"
#include "safe/release.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"

static struct {
    _Atomic bool is_followed;
    _Atomic bool is_known; /* the fields below are set */
    /* java.lang.Thread and BaseVirtualThread; NULL: this JDK has no virtual threads */
    jclass thread, virtual;
    jmethodID current;
    jfieldID id;
} jdk;

/*
 * Look the classes up. They are never released, because natives of hprof.jar may be called at any
 * time.
 */
static bool find(JNIEnv *env)
{
    struct vm_lookup l;
    jobject thread = NULL, virtual = NULL;
    jclass klass;
    if (jdk.is_known)
        return true;
    l = vm_lookup_begin(env);
    klass = vm_lookup_class(&l, "java/lang/BaseVirtualThread");
    if (!vm_lookup_end_with(&l, klass, &virtual))
        virtual = NULL;
    l = vm_lookup_begin(env);
    klass = vm_lookup_class(&l, "java/lang/Thread");
    jdk.current = vm_lookup_static_method(&l, klass, "currentThread", "()Ljava/lang/Thread;");
    jdk.id = vm_lookup_field(&l, klass, "tid", "J");
    if (!vm_lookup_end_with(&l, klass, &thread))
        return false;
    jdk.thread = thread;
    jdk.virtual = virtual;
    atomic_store(&jdk.is_known, true);
    return true;
}

jlong scope_virtual_id(JNIEnv *env, jthread thread)
{
    return find(env) ? (*env)->GetLongField(env, thread, jdk.id) : -1;
}

jlong scope_virtual_number(JNIEnv *env, jthread thread)
{
    if (!find(env))
        return -1;
    return jdk.virtual && (*env)->IsInstanceOf(env, thread, jdk.virtual)
               ? (*env)->GetLongField(env, thread, jdk.id)
               : 0;
}

jlong scope_virtual_self(JNIEnv *env)
{
    jobject self;
    jlong id = 0;
    if (!find(env))
        return -1;
    if (!jdk.virtual)
        return 0;
    self = (*env)->CallStaticObjectMethod(env, jdk.thread, jdk.current);
    if (vm_lookup_clear(env) || !self)
        return -1;
    if ((*env)->IsInstanceOf(env, self, jdk.virtual))
        id = (*env)->GetLongField(env, self, jdk.id);
    (*env)->DeleteLocalRef(env, self);
    return id;
}

static void on_mount(void *data, JNIEnv *env, jthread thread)
{
    scope_cell_mount((*env)->GetLongField(env, thread, jdk.id));
}

static void on_unmount(void *data, JNIEnv *env, jthread thread)
{
    scope_cell_unmount((*env)->GetLongField(env, thread, jdk.id));
}

static void on_end(void *data, JNIEnv *env, jthread thread)
{
    scope_cell_forget((*env)->GetLongField(env, thread, jdk.id));
}

static struct vm_event_subscriber events[] = {
    {.event = VM_EVENT_VIRTUAL_END, .on.virtual_end = on_end},
    {.event = VM_EVENT_MOUNT, .on.mount = on_mount},
    {.event = VM_EVENT_UNMOUNT, .on.unmount = on_unmount},
};

enum { EVENTS = sizeof(events) / sizeof(events[0]) };

void scope_virtual_begin(struct agent *a, JNIEnv *env)
{
    if (jdk.is_followed || !a->started || a->vm.release < RELEASE_CONTINUATIONS ||
        scope_context_keys() == 0 || !find(env) || !jdk.virtual)
        return;
    if (vm_event_add_all(events, EVENTS, NULL) == 0)
        atomic_store(&jdk.is_followed, true);
}

void scope_virtual_end(void)
{
    atomic_store(&jdk.is_followed, false);
    scope_cell_forget_virtuals();
}

bool scope_virtual_is_followed(void)
{
    return jdk.is_followed;
}
