/*
 * steps.c - two agents that count instructions and do nothing else: JVM TI's and JVMPI's.
 *
 * Loaded by -agentpath it counts SingleStep events; by libjvmpi.so, INSTRUCTION_START. At the end
 * it writes the count. See steps.py. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <jvmti.h>
#include <stdio.h>

static jvmtiEnv *jvmti;
static JVMPI_Interface *jvmpi;
static long counted; /* the program has one thread that matters */

static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                            jlocation location)
{
    (void)env, (void)jni, (void)thread, (void)method, (void)location;
    counted++;
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)jni, (void)thread;
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, NULL);
}

static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    fprintf(stderr, "steps: %ld\n", counted);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const jvmtiEventCallbacks callbacks = {
        .VMInit = on_init, .VMDeath = on_death, .SingleStep = on_step};
    const jvmtiCapabilities needed = {.can_generate_single_step_events = 1,
                                      .can_generate_breakpoint_events = 1};
    (void)options, (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &needed) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}

static void notify(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_INSTRUCTION_START)
        counted++;
    else if (e->event_type == JVMPI_EVENT_JVM_INIT_DONE)
        jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL);
    else
        fprintf(stderr, "steps: %ld\n", counted);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
