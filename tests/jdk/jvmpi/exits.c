/*
 * exits.c - a JVMPI agent that says who gave back a contended monitor, and whether in its own
 * thread.
 *
 * A line "exits: NAME own" or "exits: NAME other" for each MONITOR_CONTENDED_EXIT, with the name of
 * the thread that the event names. It doubts that an ENTERED comes before the EXIT.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static _Atomic int exits, entered, early;

static const char *name_of(JNIEnv *env)
{
    const char *name = env ? jvmpi->GetThreadLocalStorage(env) : NULL;
    return name ? name : "?";
}

/* Exits.isAwaited = true, where a rival is known to wait. */
static void note_rival(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "Exits");
    jfieldID field = klass ? (*env)->GetStaticFieldID(env, klass, "isAwaited", "Z") : NULL;
    if (field)
        (*env)->SetStaticBooleanField(env, klass, field, JNI_TRUE);
    (*env)->DeleteLocalRef(env, klass);
}

static void on_event(JVMPI_Event *e)
{
    JNIEnv *own = NULL;
    switch (e->event_type) {
    case JVMPI_EVENT_THREAD_START:
        jvmpi->SetThreadLocalStorage(e->u.thread_start.thread_env_id,
                                     strdup(e->u.thread_start.thread_name));
        break;
    case JVMPI_EVENT_THREAD_END:
        free(jvmpi->GetThreadLocalStorage(e->env_id));
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        if (strcmp(name_of(e->env_id), "rival") == 0)
            note_rival(e->env_id);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        (*vm)->GetEnv(vm, (void **)&own, JNI_VERSION_1_2);
        fprintf(stderr, "exits: %s %s\n", name_of(e->env_id), own == e->env_id ? "own" : "other");
        exits++;
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
        if (strcmp(name_of(e->env_id), "rival") == 0)
            early += ++entered > exits;
        break;
    default:
        fprintf(stderr, "exits: %d early\n", early);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                                  JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    vm = java;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
