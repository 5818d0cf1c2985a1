/*
 * jvmpi_refs.c - see jvmpi_refs.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_refs.h"
#include <jvmti.h>
#include "base/err.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_thread.h"

static jniNativeInterface *vms; /* the functions that were there before; never freed */
static int users;

static void tell_made(JNIEnv *env, jint event, jobject ref)
{
    jvmpi_agents agents = jvmpi_send_whom(event);
    JVMPI_Event e = {.event_type = event, .env_id = env};

    if (!agents || !ref || !jvmpi_thread_is_open(env))
        return;
    jvmpi_self_hush();
    e.u.jni_globalref_alloc.obj_id = jvmpi_alloc_named(env, ref);
    jvmpi_self_speak();
    e.u.jni_globalref_alloc.ref_id = ref;
    jvmpi_send_to(agents, &e);
}

static void tell_gone(JNIEnv *env, jint event, jobject ref)
{
    jvmpi_agents agents = jvmpi_send_whom(event);
    JVMPI_Event e = {.event_type = event, .env_id = env};

    if (!agents || !ref || !jvmpi_thread_is_open(env))
        return;
    e.u.jni_globalref_free.ref_id = ref;
    jvmpi_send_to(agents, &e);
}

static jobject JNICALL new_global(JNIEnv *env, jobject object)
{
    jobject ref = vms->NewGlobalRef(env, object);

    tell_made(env, JVMPI_EVENT_JNI_GLOBALREF_ALLOC, ref);
    return ref;
}

static void JNICALL delete_global(JNIEnv *env, jobject ref)
{
    tell_gone(env, JVMPI_EVENT_JNI_GLOBALREF_FREE, ref);
    vms->DeleteGlobalRef(env, ref);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object)
{
    jweak ref = vms->NewWeakGlobalRef(env, object);

    tell_made(env, JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, ref);
    return ref;
}

static void JNICALL delete_weak(JNIEnv *env, jweak ref)
{
    tell_gone(env, JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE, ref);
    vms->DeleteWeakGlobalRef(env, ref);
}

/* Each function that we put before one of the VM's: X(its name, ours). */
#define FUNCTIONS                                                                                  \
    X(NewGlobalRef, new_global)                                                                    \
    X(DeleteGlobalRef, delete_global)                                                              \
    X(NewWeakGlobalRef, new_weak)                                                                  \
    X(DeleteWeakGlobalRef, delete_weak)

/* The table of before is kept for ever: a thread may be in one of ours. */
int jvmpi_refs_on(JNIEnv *env)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jniNativeInterface *ours = NULL;
    int error = E_UNSUPPORTED;

    if (users++ > 0)
        return 0;
    if ((vms || (*jvmti)->GetJNIFunctionTable(jvmti, &vms) == JVMTI_ERROR_NONE) &&
        (*jvmti)->GetJNIFunctionTable(jvmti, &ours) == JVMTI_ERROR_NONE) {
#define X(name, function) ours->name = function;
        FUNCTIONS
#undef X
        if ((*jvmti)->SetJNIFunctionTable(jvmti, ours) == JVMTI_ERROR_NONE)
            error = 0;
        (*jvmti)->Deallocate(jvmti, (unsigned char *)ours);
    }
    users -= error != 0;
    return error;
}

void jvmpi_refs_off(void)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jniNativeInterface *now = NULL;

    if (--users > 0 || (*jvmti)->GetJNIFunctionTable(jvmti, &now) != JVMTI_ERROR_NONE)
        return;
#define X(name, function)                                                                          \
    if (now->name == (function))                                                                   \
        now->name = vms->name;
    FUNCTIONS
#undef X
        (*jvmti)
            ->SetJNIFunctionTable(jvmti, now);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)now);
}
