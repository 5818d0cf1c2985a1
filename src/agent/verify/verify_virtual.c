/*
 * verify_virtual.c - see verify_virtual.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_virtual.h"
#include <pthread.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/verify/verify_stops.h"
#include "vm/virtuals.h"

enum { KEPT = 16 };

static struct {
    jvmtiEnv *jvmti; /* NULL: there are no virtual threads */
    jfieldID carrier;
    pthread_mutex_t lock; /* of the rest */
    jweak kept[KEPT];
    uint32_t started;
} virtuals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void JNICALL started(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jweak ref = (*env)->NewWeakGlobalRef(env, thread), before;

    pthread_mutex_lock(&virtuals.lock);
    before = virtuals.kept[virtuals.started % KEPT];
    virtuals.kept[virtuals.started++ % KEPT] = ref;
    pthread_mutex_unlock(&virtuals.lock);
    if (before)
        (*env)->DeleteWeakGlobalRef(env, before);
}

void verify_virtual_start(struct agent *a, JNIEnv *env)
{
    jvmtiEnv *jvmti = NULL;
    jclass klass;

    if ((*a->vm)->GetEnv(a->vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return;
    klass = (*env)->FindClass(env, "java/lang/VirtualThread");
    if (klass)
        virtuals.carrier = (*env)->GetFieldID(env, klass, "carrierThread", "Ljava/lang/Thread;");
    (*env)->ExceptionClear(env);
    /* Only one environment can suspend: the agent's. */
    if (!virtuals.carrier || !virtuals_want(jvmti) || !virtuals_want(a->jvmti)) {
        (*jvmti)->DisposeEnvironment(jvmti);
        return;
    }
    virtuals.jvmti = jvmti;
    virtuals_hear_starts(jvmti, started);
}

/* Suspended, a virtual thread stays on its carrier, or off any. */
static uint64_t carrier_of(struct agent *a, JNIEnv *env, jthread thread)
{
    jobject carrier = (*env)->GetObjectField(env, thread, virtuals.carrier);
    uint64_t java_thread = 0;

    if (carrier)
        java_thread = (uint64_t)(*env)->GetLongField(env, carrier, a->threads.eetop);
    (*env)->DeleteLocalRef(env, carrier);
    return java_thread;
}

static void stop_one(struct agent *a, JNIEnv *env, jthread thread)
{
    uint64_t java_thread;

    if ((*a->jvmti)->SuspendThread(a->jvmti, thread) != JVMTI_ERROR_NONE)
        return;
    java_thread = carrier_of(a, env, thread);
    if (java_thread != 0)
        verify_stops_mounted(a, thread, java_thread);
    (*a->jvmti)->ResumeThread(a->jvmti, thread);
}

void verify_virtual_round(struct agent *a, JNIEnv *env)
{
    for (int i = 0; virtuals.jvmti && a->threads.eetop && i < KEPT && !a->dying; i++) {
        jobject thread;

        pthread_mutex_lock(&virtuals.lock);
        thread = virtuals.kept[i] ? (*env)->NewLocalRef(env, virtuals.kept[i]) : NULL;
        pthread_mutex_unlock(&virtuals.lock);
        if (thread)
            stop_one(a, env, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
}
