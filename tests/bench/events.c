/*
 * events.c - two agents that do no more than they must: JVM TI's and JVMPI's.
 *
 * Loaded by -agentpath it hears JVM TI's events, by libjvmpi.so JVMPI's. The option says which:
 * `methods`, entries and exits; `objects`, allocations and frees, for which JVM TI's agent gives
 * each object a tag. See events.py. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>

/* ---- JVM TI */

static long entries, exits; /* one thread matters, and others do no harm */
static _Atomic jlong made;
static _Atomic long freed;

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)env, (void)jni, (void)thread, (void)method;
    entries++;
}

static void JNICALL on_exit_of(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                               jboolean by_exception, jvalue value)
{
    (void)env, (void)jni, (void)thread, (void)method, (void)by_exception, (void)value;
    exits++;
}

static void JNICALL on_sampled(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                               jclass klass, jlong size)
{
    (void)jni, (void)thread, (void)klass, (void)size;
    (*env)->SetTag(env, object, ++made);
}

static void JNICALL on_freed(jvmtiEnv *env, jlong tag)
{
    (void)env, (void)tag;
    freed++;
}

static void turn_on(jvmtiEnv *env, jvmtiEvent event)
{
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, event, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry,
                                           .MethodExit = on_exit_of,
                                           .SampledObjectAlloc = on_sampled,
                                           .ObjectFree = on_freed};
    int is_methods = strcmp(options, "methods") == 0;
    jvmtiCapabilities needed = {.can_tag_objects = 1};
    void *answer = NULL;
    jvmtiEnv *env;

    (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    env = answer;
    needed.can_generate_method_entry_events = is_methods;
    needed.can_generate_method_exit_events = is_methods;
    needed.can_generate_sampled_object_alloc_events = !is_methods;
    needed.can_generate_object_free_events = !is_methods;
    if ((*env)->AddCapabilities(env, &needed) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*env)->SetEventCallbacks(env, &callbacks, sizeof(callbacks));
    if (is_methods) {
        turn_on(env, JVMTI_EVENT_METHOD_ENTRY);
        turn_on(env, JVMTI_EVENT_METHOD_EXIT);
    } else {
        (*env)->SetHeapSamplingInterval(env, 0);
        turn_on(env, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
        turn_on(env, JVMTI_EVENT_OBJECT_FREE);
    }
    return JNI_OK;
}

/* ---- JVMPI */

static void notify(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_METHOD_ENTRY:
        entries++;
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        exits++;
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        made++;
        break;
    default:
        freed++;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    int is_methods = strcmp(options, "methods") == 0;
    JVMPI_Interface *jvmpi;
    void *answer = NULL;

    (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) != JNI_OK)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(is_methods ? JVMPI_EVENT_METHOD_ENTRY : JVMPI_EVENT_OBJECT_ALLOC, NULL);
    jvmpi->EnableEvent(is_methods ? JVMPI_EVENT_METHOD_EXIT : JVMPI_EVENT_OBJECT_FREE, NULL);
    return JNI_OK;
}
