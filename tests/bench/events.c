/*
 * events.c - two agents that do no more than they must: JVM TI's and JVMPI's.
 *
 * Loaded by -agentpath it hears JVM TI's events, by libjvmpi.so JVMPI's. The option says which:
 * `methods`, entries and exits; `receivers`, entries with the object of the call, for which JVM
 * TI's agent asks for the object and gives it a tag; `objects`, allocations and frees, for which it
 * gives each object a tag. See events.py. SPDX-License-Identifier: Apache-2.0
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

static void JNICALL on_receiver(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    jobject object = NULL;
    jlong tag = 0;
    (void)thread, (void)method;
    entries++;
    if ((*env)->GetLocalInstance(env, NULL, 0, &object) != JVMTI_ERROR_NONE)
        return;
    (*env)->GetTag(env, object, &tag);
    if (!tag)
        (*env)->SetTag(env, object, ++made);
    (*jni)->DeleteLocalRef(jni, object);
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

static void want(jvmtiEnv *env, const char *what)
{
    jvmtiCapabilities needed = {.can_tag_objects = 1};
    jvmtiEventCallbacks callbacks = {
        .MethodExit = on_exit_of, .SampledObjectAlloc = on_sampled, .ObjectFree = on_freed};
    bool is_receivers = strcmp(what, "receivers") == 0, is_objects = strcmp(what, "objects") == 0;
    callbacks.MethodEntry = is_receivers ? on_receiver : on_entry;
    needed.can_access_local_variables = is_receivers;
    needed.can_generate_method_entry_events = !is_objects;
    needed.can_generate_method_exit_events = !is_objects && !is_receivers;
    needed.can_generate_sampled_object_alloc_events = is_objects;
    needed.can_generate_object_free_events = is_objects;
    (*env)->AddCapabilities(env, &needed);
    (*env)->SetEventCallbacks(env, &callbacks, sizeof(callbacks));
    if (is_objects) {
        (*env)->SetHeapSamplingInterval(env, 0);
        turn_on(env, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
        turn_on(env, JVMTI_EVENT_OBJECT_FREE);
        return;
    }
    turn_on(env, JVMTI_EVENT_METHOD_ENTRY);
    if (!is_receivers)
        turn_on(env, JVMTI_EVENT_METHOD_EXIT);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *answer = NULL;
    (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    want(answer, options);
    return JNI_OK;
}

/* ---- JVMPI */

static void notify(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_ENTRY2:
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
    JVMPI_Interface *jvmpi;
    void *answer = NULL;
    (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) != JNI_OK)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = notify;
    if (strcmp(options, "receivers") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY2, NULL);
    } else if (strcmp(options, "methods") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    } else {
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_FREE, NULL);
    }
    return JNI_OK;
}
