/*
 * verify_virtual.c - see verify.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify.h"
#include <stdbool.h>
#include "agent/agent.h"
#include "base/lock.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vm_threads.h"

enum { KEPT = 16 };

static struct {
    bool is_on; /* false: there are no virtual threads */
    jfieldID carrier;
    struct lock lock; /* guards the fields below */
    jweak kept[KEPT];
    uint32_t started;
} virtuals = {.lock = LOCK_INIT(SHADOWS)};

static void on_start(void *data, JNIEnv *env, jthread thread)
{
    jweak ref = (*env)->NewWeakGlobalRef(env, thread), before;
    lock_take(&virtuals.lock);
    before = virtuals.kept[virtuals.started % KEPT];
    virtuals.kept[virtuals.started++ % KEPT] = ref;
    lock_give(&virtuals.lock);
    if (before)
        (*env)->DeleteWeakGlobalRef(env, before);
}

static struct vm_event_subscriber on_starts = {.event = VM_EVENT_VIRTUAL_START,
                                               .on.virtual_start = on_start};

void verify_virtual_start(struct agent *a, JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/VirtualThread");
    virtuals.carrier = vm_lookup_field(&l, klass, "carrierThread", "Ljava/lang/Thread;");
    virtuals.is_on = vm_lookup_end(&l) && vm_event_add(&on_starts, NULL) == 0;
}

/*
 * The JavaThread of the carrier; 0: none. A suspended virtual thread stays on its carrier, or
 * without one.
 */
static uint64_t carrier_of(struct agent *a, JNIEnv *env, jthread thread)
{
    jobject carrier = (*env)->GetObjectField(env, thread, virtuals.carrier);
    uint64_t java_thread = 0;
    if (carrier)
        java_thread = vm_threads_address(env, carrier);
    (*env)->DeleteLocalRef(env, carrier);
    return java_thread;
}

static void stop_one(struct agent *a, JNIEnv *env, jthread thread)
{
    jvmtiEnv *jvmti = verify_stops_env();
    uint64_t java_thread;
    if ((*jvmti)->SuspendThread(jvmti, thread) != JVMTI_ERROR_NONE)
        return;
    java_thread = carrier_of(a, env, thread);
    if (java_thread != 0)
        verify_stops_mounted(a, thread, java_thread);
    (*jvmti)->ResumeThread(jvmti, thread);
}

void verify_virtual_round(struct agent *a, JNIEnv *env)
{
    for (int i = 0; virtuals.is_on && i < KEPT && !a->dying; i++) {
        jobject thread;
        lock_take(&virtuals.lock);
        thread = virtuals.kept[i] ? (*env)->NewLocalRef(env, virtuals.kept[i]) : NULL;
        lock_give(&virtuals.lock);
        if (thread)
            stop_one(a, env, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
}
