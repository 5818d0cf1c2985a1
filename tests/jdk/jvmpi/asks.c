/*
 * asks.c - a JVMPI agent that asks for what an event names, as agents of the time do that find
 * it unknown: in the handler of OBJECT_ALLOC for the class of the object, and in those of calls,
 * waits, threads and references for the object itself, which is also made a jobject and its id
 * again. Each request is answered before it returns. Prints "asks: wrong: ..." for what does
 * not hold, and how often each event named an object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { IDS = 1 << 22, STEP = 16, METHODS = 64, WRONGS = 10 };

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static JVMPI_RawMonitor lock;
static unsigned char is_class[IDS]; /* CLASS_LOAD has been told */
static jmethodID methods[METHODS];  /* of Asked and its parts */
static int method_count, wrongs;
static bool is_ready;      /* what was there before is not asked for: the VM would look for each */
static jobjectID answered; /* of the last requested OBJECT_ALLOC */
static long named[JVMPI_MAX_EVENT_TYPE_VAL + 1];

static void wrong(const char *what, jint event)
{
    if (wrongs++ < WRONGS)
        fprintf(stderr, "asks: wrong: %s, event %d\n", what, (int)event);
}

static unsigned char *class_at(jobjectID id)
{
    return &is_class[(uintptr_t)id / STEP % IDS];
}

static void on_class(const JVMPI_Event *e)
{
    *class_at(e->u.class_load.class_id) = 1;
    if (strncmp(e->u.class_load.class_name, "Asked", 5) != 0)
        return;
    for (jint i = 0; i < e->u.class_load.num_methods && method_count < METHODS; i++)
        methods[method_count++] = e->u.class_load.methods[i].method_id;
}

static bool is_asked(jmethodID method)
{
    for (int i = 0; i < method_count; i++)
        if (methods[i] == method)
            return true;
    return false;
}

/* An object or an array of objects has a class, which is known or told at once. */
static void ask_class(const JVMPI_Event *e)
{
    jobjectID id = e->u.obj_alloc.class_id;
    jint type = e->u.obj_alloc.is_array;
    if (type != JVMPI_NORMAL_OBJECT && type != JVMPI_CLASS)
        return;
    if (!id)
        wrong("an object without a class", e->event_type);
    else if (!*class_at(id) &&
             (jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id) != JVMPI_SUCCESS || !*class_at(id)))
        wrong("the class of an object is not told", e->event_type);
}

static void ask_object(jobjectID id, jint event)
{
    JNIEnv *env = NULL;
    jobject object;
    if (!id || !is_ready)
        return;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    named[event]++;
    answered = NULL;
    if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, id) != JVMPI_SUCCESS || answered != id)
        wrong("an object is not told", event);
    object = jvmpi->jobjectID2jobject(id);
    if (!object || jvmpi->jobject2jobjectID(object) != id)
        wrong("an id and its object", event);
    (*env)->DeleteLocalRef(env, object);
}

static void on_locked(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
    case JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT:
        on_class(e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        answered = e->u.obj_alloc.obj_id;
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        ask_class(e);
        ask_object(e->u.obj_alloc.obj_id, e->event_type);
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        if (is_asked(e->u.method_entry2.method_id))
            ask_object(e->u.method_entry2.obj_id, e->event_type);
        break;
    case JVMPI_EVENT_MONITOR_WAIT:
        ask_object(e->u.monitor_wait.object, e->event_type);
        break;
    case JVMPI_EVENT_THREAD_START:
        ask_object(e->u.thread_start.thread_id, e->event_type);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
        ask_object(e->u.jni_globalref_alloc.obj_id, e->event_type);
        break;
    default:
        break;
    }
}

static void use_reference(JNIEnv *env)
{
    jobject ref = (*env)->NewGlobalRef(env, (*env)->NewStringUTF(env, "kept"));
    (*env)->DeleteGlobalRef(env, ref);
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_JVM_INIT_DONE) {
        is_ready = true;
        use_reference(e->env_id);
    }
    jvmpi->RawMonitorEnter(lock);
    on_locked(e);
    if (e->event_type == JVMPI_EVENT_JVM_SHUT_DOWN)
        fprintf(stderr, "asks: %ld calls, %ld waits, %ld threads, %ld references, %ld objects\n",
                named[JVMPI_EVENT_METHOD_ENTRY2], named[JVMPI_EVENT_MONITOR_WAIT],
                named[JVMPI_EVENT_THREAD_START], named[JVMPI_EVENT_JNI_GLOBALREF_ALLOC],
                named[JVMPI_EVENT_OBJECT_ALLOC]);
    jvmpi->RawMonitorExit(lock);
}

/* The option says which of the two defining events is on: "classes", "objects"; else both are. What
 * the other would have told is asked for. */
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    const char *mode = options ? options : "";
    vm = java;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    lock = jvmpi->RawMonitorCreate((char *)"_asks");
    jvmpi->NotifyEvent = on_event;
    if (strcmp(mode, "classes") != 0)
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    if (strcmp(mode, "objects") != 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY2, NULL); /* of classes that are known */
    }
    jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JNI_GLOBALREF_ALLOC, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
